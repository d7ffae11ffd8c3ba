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
    double corrected;       /* p, corrected for all tests of its list */
    double exact;           /* p of the exact sign-flip test */
    double exact_corrected; /* only set by lct_claims_changes() */
    int sign;     /* 1: above zero for every seed, -1: below, 0: neither */
    size_t seeds; /* of the test: those that both of a pair have */
};

/* Are there enough seeds for the t test? */
bool lct_claims_enough_seeds(const struct lct_results *r);

/* out[groups]: the change of loss from the trained length to length index k,
   corrected by Holm. */
locant_status lct_claims_changes(struct lct_test *out,
                                 const struct lct_results *r, int k);

/* The lowest losses at one length. */
struct lct_order {
    size_t first, next; /* groups of the lowest and the second lowest loss, r->n
                           if there is none */
    size_t pairs;       /* of groups whose loss is defined */
};

/* out[groups]: the difference from the encoding with the lowest loss at length
   index k, corrected for all pairs. It is undefined for that encoding. */
locant_status lct_claims_order(struct lct_test *out, struct lct_order *order,
                               const struct lct_results *r, int k);

/* The number of pairs of groups, and the index of the pair of i < j. */
size_t lct_claims_pairs_count(const struct lct_results *r);
size_t lct_claims_pair(const struct lct_results *r, size_t i, size_t j);

/*
 * out[pairs]: for the pairs (0, 1), (0, 2) .. (1, 2) .. of groups, the first
 * one's losses minus the second one's, corrected by Holm for all pairs.  The
 * losses are those of a term minus those of another, unless that is NULL.
 */
locant_status lct_claims_pairs(struct lct_test *out,
                               const struct lct_results *r,
                               struct lct_term term,
                               const struct lct_term *minus);

/* Indices of the lengths in the verdict: the trained one, twice that, and the
   longest. */
enum { LCT_CLAIMS_LENGTHS = 3 };
extern const int lct_claims_lengths[LCT_CLAIMS_LENGTHS];
#endif
