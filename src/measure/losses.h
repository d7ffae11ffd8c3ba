/* losses.h - the losses of all encodings in one array. 'k' is the index of a
   length among those of the evaluations. */
#ifndef LCT_LOSSES_H
#define LCT_LOSSES_H
#include "results.h"

/* A measure at length index k. P4 and changed contexts ignore k. */
struct lct_term {
    enum lct_measure measure;
    int k;
};

/*
 * Losses of all groups, minus those of another term unless 'minus' is NULL:
 * (*out)[groups, seeds, blocks] in nats per byte, to be released. Blocks that
 * some run lacks are left out. The runs of a group come first, in their order;
 * NAN follows if others have more.
 */
locant_status lct_losses(double **out, size_t *seeds, size_t *blocks,
                         const struct lct_results *r, struct lct_term term,
                         const struct lct_term *minus);

/* Most seeds of an encoding. */
size_t lct_losses_seeds(const struct lct_results *r);

/* Index of the group's run of that seed; the number of its runs if it has
   none. */
size_t lct_losses_find_seed(const struct lct_group *g, uint64_t seed);

/* Does any run have this measure? */
bool lct_losses_has(const struct lct_results *r, enum lct_measure measure);

/* Index of the length at which encodings are ranked. */
int lct_losses_ranked_index(const struct lct_results *r);

/* The first encoding that has a run; NULL: none has. */
const struct lct_group *lct_first_group(const struct lct_results *r);

/* The length of index k. */
int64_t lct_length(const struct lct_results *r, int k);

/*
 * Index of the length of the declared comparison, which was chosen before any
 * result was seen: the change of each encoding's loss from the trained length
 * to this one. It is 1024, or the judged length if that is shorter.
 */
int lct_losses_declared_index(const struct lct_results *r);
#endif
