/* request.h - the checked arguments of an attention call */
#ifndef LCT_ATTENTION_REQUEST_H
#define LCT_ATTENTION_REQUEST_H
#include "../encodings/params.h"
#include "locant/attention.h"
#include "paged.h"

struct lct_request {
    const char *fn;            /* the public function, for error messages */
    const locant_attention *a; /* as the caller gave it */
    locant_tensor q, k, v;
    int64_t B, H, Hkv, T, S, D; /* D: channels of q and k */
    int64_t capacity; /* keys in the shapes of arguments: S, or more if paged */
    const locant_attention_part *part; /* NULL: a whole call */
    int64_t first_key, held_keys; /* those in k and v: of a part, else 0, S */
    int64_t Dv;                   /* channels of v */
    int64_t Dq; /* channels of q and k in the scores: D, or more after a
                   map that widens them */
    int64_t W;  /* width of the model */
    bool has_x; /* the input of the layer is given: [B, S, W] */
    double scale;
    bool causal;
    int64_t window;                      /* 0: none */
    double softcap;                      /* 0: none */
    const locant_tensor *sinks;          /* NULL: none */
    const locant_tensor *bias, *visible; /* dense; NULL: none */
    bool rotated_keys;                   /* the caller has rotated the keys */
    bool values_of_keys;                 /* v is the first channels of k */
    bool rotate_values;     /* values rotate like keys, outputs back */
    int64_t position_rows;  /* 1, or B if positions differ by batch row */
    int axes;               /* of coordinates; 0: none are given */
    bool coords_by_head;    /* each head has coordinates of its own */
    bool real;              /* biases and factors of pairs read them (real.h) */
    bool documents;         /* documents are given, or lengths */
    struct lct_paged paged; /* and how k and v are quantised */
    int64_t leaves;         /* of the sums over queries; 0: none */

    /* Parts of the encoding, and last the sum of several biases (biases.h);
     * tables.h loads their parameters. */
    struct lct_call call[LCT_MAX_PARTS + 1];
    size_t part_param[LCT_MAX_PARTS]; /* where a part's parameters begin */
    size_t params;                    /* elements of all parameters */
    const struct lct_call *rotate, *score, *content; /* by door; or NULL */
    const struct lct_token_angles *token_numbers;    /* of 'content'; or NULL */
    const struct lct_token_angles *token_angles; /* the same if they rotate */
    bool general_map; /* 'rotate' is more than a rotation of pairs, or there
                         are 'token_angles' */
    const struct lct_call *gain, *after, *row; /* by factor (doors.h) */
    const locant_encoding *relations; /* of pairs, which choose rotations of
                                         queries; NULL: none */
    const locant_encoding *stick; /* stick-breaking weights; NULL: softmax */
    bool own_rest;                /* of stick-breaking */
    const locant_encoding *temperature;              /* NULL: none */
    const locant_encoding *mask_hook[LCT_MAX_PARTS]; /* parts that mask keys */
    int mask_hooks;
};

/*
 * Check all of the call but its outputs; 'part' is NULL for a whole call.  r
 * points into itself: do not move.
 */
locant_status lct_request_check(struct lct_request *r, const char *fn,
                                const locant_attention *a,
                                const locant_attention_part *part);
#endif
