/* claims.h - tests over seeds: what may be claimed of losses */
#ifndef LCT_CLAIMS_H
#define LCT_CLAIMS_H
#include "results.h"

/* What is claimed of losses has a corrected p below it. */
#define LCT_ALPHA .05

/* Seeds are advised for that power; no more than a report takes. */
#define LCT_POWER .8
enum { LCT_MOST_SEEDS = 1000 };

/* A paired t test over seeds; NAN where undefined, and of one seed. */
struct lct_test {
    double mean, half, deviation; /* half of the 95 % t interval */
    double p;         /* of the t test */
    double corrected; /* for all tests of its list */
    double exact;     /* p by flipping signs, not corrected */
    int sign;         /* 1: above zero in every run, -1: below, 0: neither */
};

/* Are there seeds enough for the t test to tell anything? */
bool lct_is_tested(const struct lct_results *r);

/* out[groups]: the change of loss from the trained length to length index k,
   corrected by Holm. */
locant_status lct_test_changes(struct lct_test *out,
                               const struct lct_results *r, int k);

/* The encoding of the lowest loss at some length, the next one, r->n where
   there is none, and pairs of encodings that are defined. */
struct lct_order {
    size_t first, next, pairs;
};

/* out[groups]: the difference from the first at length index k, corrected for
   all pairs; undefined for the first itself. */
locant_status lct_test_order(struct lct_test *out, struct lct_order *order,
                             const struct lct_results *r, int k);

/* The lengths that the verdict speaks of: the trained one, twice that, and the
   longest. */
enum { LCT_ANSWERED = 3 };
extern const int lct_answered[LCT_ANSWERED];
#endif
