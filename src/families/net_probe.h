/*
 * net_probe.h - what the heads of a model attend to, and which frequencies
 * their queries and keys use
 */
#ifndef LCT_NET_PROBE_H
#define LCT_NET_PROBE_H
#include "net_probe_rows.h"
#include "net_run.h"
#include <jansson.h>

/*
 * A pair is unused by a head if its share is below this one of an even share;
 * classes by how much of what even weights leave goes to one place: the larger
 * threshold, and that of Gu et al. 2024, arXiv:2410.10781, for the first token.
 */
extern const double lct_net_probe_unused, lct_net_probe_most,
    lct_net_probe_sink, lct_net_probe_even;

/* One layer; 'pairs' is 0 if no fixed angles turn pairs. */
struct lct_net_probe_layer {
    const struct lct_layer_plan *plan;
    locant_encoding *hides; /* the window alone; NULL: none */
    int64_t pairs;
    double magnitude;  /* of cosines and sines */
    int64_t *channels; /* [pairs, 2] */
    double *frequency; /* [pairs] radians per position; 0: does not turn */
    /* Sums over tokens of the norms of each pair, and of all other channels. */
    double *q, *k; /* [heads, pairs + 1], [kv_heads, pairs + 1] */
    double q_tokens, k_tokens;
    struct lct_net_probe_head *heads; /* [heads + 1]: even weights are last */
    double rows;
    struct lct_net_probe_head *cross; /* the same over an encoder; or NULL */
    double cross_rows;
};

struct lct_net_probe {
    const struct lct_net_stack *stack;
    struct lct_net_probe_layer *layers;
    struct lct_net_watch watch; /* for the run */
};

/* For calls of at most 'length' positions, of layer 'only'; -1: of all.
   Errors: NOMEM. */
locant_status lct_net_probe_begin(struct lct_net_probe *p,
                                  const struct lct_net_stack *s, int64_t length,
                                  int64_t only);
void lct_net_probe_end(struct lct_net_probe *p);

/* The results (docs/guide/models/probe.md) of one head, or of all if -1; NULL:
   no memory. */
json_t *lct_net_probe_json(const struct lct_net_probe *p, int64_t length,
                           int64_t head);
#endif
