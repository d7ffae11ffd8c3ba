/* identify_distances.h - scores by the distance of query and key */
#ifndef LCT_IDENTIFY_DISTANCES_H
#define LCT_IDENTIFY_DISTANCES_H
#include "identify.h"
#include "identify_solve.h"

enum { LCT_SCORES_LAGS = 48 };

/* Everything in double. */
struct lct_scores {
    int64_t B, H, T, S, D;
    double *q, *k;
    double *s;        /* minus infinity: masked */
    double *position; /* of keys; query i has key S - T + i's */
    int64_t *order;   /* keys by position */
    double lag[LCT_SCORES_LAGS];
    int n_lags;
    double rounding;
};

/* Sort the keys by position. */
locant_status lct_scores_sort(struct lct_scores *p);

/* Choose distances 0, 1, 2, 3, .. and then in steps of a quarter, that have at
 * least 'least' scores. */
void lct_scores_lags(struct lct_scores *p, int64_t least);

/* Solve one distance for cosine and sine of each pair of the layout, then the
 * factor of the other channels; *left is the root of the mean square that is
 * left, in units of the rounding of the scores. */
void lct_scores_solve(struct lct_equations *e, double *left,
                      const struct lct_scores *p, double lag,
                      const struct lct_layout *l);
#endif
