/*
 * net_probe_rows.h - attention weights of a layer, a tile at a time
 *
 * The definitions are those of docs/PROBES.md, for queries that see keys after
 * them too.
 */
#ifndef LCT_NET_PROBE_ROWS_H
#define LCT_NET_PROBE_ROWS_H
#include "locant/attention.h"

enum {
    LCT_NET_PROBE_BINS = 40,  /* of distance: 0, 1, 2-3, 4-7, .. */
    LCT_NET_PROBE_WITHIN = 3, /* limits of distance: 8, 32, 128 */
    LCT_NET_PROBE_TILE = 64   /* queries and keys of a tile */
};

extern const int64_t lct_net_probe_within[LCT_NET_PROBE_WITHIN];

/* Sums over queries of a head; begin with zeros. */
struct lct_net_probe_head {
    double weight;  /* of all keys: below 1 where a learned sink has the rest */
    double entropy; /* nats */
    double first;   /* weight of the first token of the text */
    double own;     /* of the query's own token */
    double previous;                     /* of the one before it */
    double next;                         /* of the one after it */
    double after;                        /* of all that follow */
    double distance;                     /* weight times distance */
    double within[LCT_NET_PROBE_WITHIN]; /* at distances below the limits */
    double bin[LCT_NET_PROBE_BINS];
};

/*
 * Add the weights of all queries of one call of attention.
 *
 * heads  [B, H] in turn of which the B are added up: [H + 1], the last of which
 *        gets even weights over the keys that a query sees
 * rows   += the number of queries that are no padding
 * lse    of that call, [B, H, T]
 * only   the encoding that hides keys, without what else it does; NULL: none
 *
 * Memory does not grow with T S, but by some hundred numbers for each key.
 * Errors: as locant_attention_forward(), NOMEM.
 */
locant_status lct_net_probe_rows(struct lct_net_probe_head *heads, double *rows,
                                 const locant_attention *call,
                                 const locant_tensor *lse,
                                 const locant_encoding *only);

/* The bin of a distance, 0 or more. */
int lct_net_probe_bin(int64_t distance);
#endif
