/* claims.h - tests over seeds: what may be claimed of losses */
#ifndef LCT_CLAIMS_H
#define LCT_CLAIMS_H
#include "results.h"

/* Every claim about losses has a corrected p below this. */
#define LCT_ALPHA .05

/* The power that a recommended number of seeds has, and the most seeds of a
   report. */
#define LCT_POWER .8
enum { LCT_MOST_SEEDS = 1000 };

/* A paired t test over seeds; NAN where undefined, as for one seed. */
struct lct_test {
    double mean, half, deviation; /* half of the 95 % t interval */
    double p;                     /* of the t test */
    double corrected;             /* p corrected for all tests of its list */
    double exact;                 /* p of the exact sign-flip test */
    double exact_corrected;       /* only of changes */
    int sign; /* 1: above zero in every run, -1: below, 0: neither */
};

/* Are there enough seeds for the t test? */
bool lct_claims_tested(const struct lct_results *r);

/* out[groups]: the change of loss from the trained length to length index k,
   corrected by Holm. */
locant_status lct_claims_changes(struct lct_test *out,
                                 const struct lct_results *r, int k);

/* The encodings with the lowest and the second lowest loss at some length, each
   r->n if there is none, and how many pairs of encodings are defined there. */
struct lct_order {
    size_t first, next, pairs;
};

/* out[groups]: the difference from the encoding with the lowest loss at length
   index k, corrected for all pairs; undefined for that encoding itself. */
locant_status lct_claims_order(struct lct_test *out, struct lct_order *order,
                               const struct lct_results *r, int k);

/* The lengths that the verdict speaks of: the trained one, twice that, and the
   longest. */
enum { LCT_CLAIMS_LENGTHS = 3 };
extern const int lct_claims_lengths[LCT_CLAIMS_LENGTHS];
#endif
