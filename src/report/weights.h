/* weights.h - attention weights and scores of an encoding */
#ifndef LCT_WEIGHTS_H
#define LCT_WEIGHTS_H
#include "subject.h"

/* Attention over n tokens of random queries and keys (and inputs), drawn from
   'seed', with a causal mask. */
struct lct_weights {
    int64_t heads, n;
    double *weight; /* [heads, n, n]: weight of query i, key j */
    double *added;  /* [heads, n, n]: score minus 'plain'; NAN if masked */
    double *plain;  /* [heads, n, n]: q.k / sqrt(dim), also if masked */
};

struct lct_weights_query {
    int64_t n;
    uint64_t seed;
    bool zero;     /* queries and keys are 0: scores are what is added */
    bool unmasked; /* queries see every key */
    /* Index t holds token order[t]; the weights are returned in the old order.
       NULL: tokens keep their places. */
    const int64_t *order;
};

/* The largest length up to n at which the weights of all heads have at most
   4 Mi cells: measuring takes three such arrays, 96 MiB. */
int64_t lct_weights_length(int64_t heads, int64_t n);

/* Measures the weights, in memory of lct_subject_numbers(). */
locant_status lct_weights_measure(struct lct_weights *out,
                                  const struct lct_subject *s,
                                  const locant_tensor *params,
                                  const struct lct_weights_query *query);
#endif
