/* claims.h - tests over seeds that allow claims about losses */
#ifndef LCT_CLAIMS_H
#define LCT_CLAIMS_H
#include "losses.h"

/* Level of significance: a claim about losses needs a corrected p below it. */
#define LCT_ALPHA .05

/* The power that a recommended number of seeds has, and the largest number that
   is recommended. */
#define LCT_POWER .8
enum { LCT_MOST_SEEDS = 1000 };

/* Paired tests of a difference of losses, nats per byte, over seeds. NAN where
   undefined, as for one seed. p are NAN, too, for fewer seeds than tests need
   if other encodings have enough. */
struct lct_test {
    double mean;
    double half;            /* half the width of the 95 % t interval */
    double deviation;       /* standard deviation between seeds */
    double p;               /* of the t test */
    double corrected;       /* p, corrected for all tests of the page */
    double exact;           /* p of the exact sign-flip test */
    double exact_corrected; /* of changes: for all groups at that length */
    int sign;     /* 1: above zero for every seed, -1: below, 0: neither */
    size_t seeds; /* of the test: those that both of a pair have */
};

/* Are there enough seeds for the t test? */
bool lct_claims_enough_seeds(const struct lct_results *r);

/* The tests of all claims that a page can make, corrected together by Holm. */
struct lct_claims {
    const struct lct_results *r;
    struct lct_test *test; /* [count], those below in their order */
    size_t count;
    size_t tested; /* those that are defined, for which p are corrected */
    bool has_gains;
};

/* Test the results, which must outlive the claims. */
locant_status lct_claims_create(struct lct_claims *c,
                                const struct lct_results *r);
void lct_claims_free(struct lct_claims *c);

/* [groups]: the change of loss from the trained length to length index k >
   0. */
const struct lct_test *lct_claims_changes(const struct lct_claims *c, int k);

/*
 * [pairs]: for the pairs (0, 1), (0, 2) .. (1, 2) .. of groups, the first one's
 * loss minus the second one's at length index k; the same of the gain at the
 * longest length, NULL if gains were not measured.
 */
const struct lct_test *lct_claims_losses(const struct lct_claims *c, int k);
const struct lct_test *lct_claims_gains(const struct lct_claims *c);

/* The number of pairs of groups, and the index of the pair of i < j. */
size_t lct_claims_pairs_count(const struct lct_results *r);
size_t lct_claims_pair(const struct lct_results *r, size_t i, size_t j);

/* The loss of group i minus that of group j at length index k. */
struct lct_test lct_claims_difference(const struct lct_claims *c, int k,
                                      size_t i, size_t j);

/* The groups of the lowest and the second lowest loss at one length, r->n if
   there is none. */
struct lct_order {
    size_t first, next;
};

/* out[groups]: the difference from the encoding with the lowest loss at length
   index k. It is undefined for that encoding. */
locant_status lct_claims_order(struct lct_test *out, struct lct_order *order,
                               const struct lct_claims *c, int k);

/* rank[groups] at length index k: 1 + the number of groups whose loss is lower
   by a test, or, with too few seeds for tests, in every run; 0: undefined. */
locant_status lct_claims_rank(int *rank, const struct lct_claims *c, int k);

/* Indices of the lengths in the verdict: the trained one, twice that, and the
   longest. */
enum { LCT_CLAIMS_LENGTHS = 3 };
extern const int lct_claims_lengths[LCT_CLAIMS_LENGTHS];
#endif
