/*
 * ranks.h - what the ranks of a group tell each other in a step of training.
 *
 * Rank r of P passes leaves [L r/P, L (r+1)/P) of each batch and has a gradient
 * for each subtree that they fill (core/tree.h). Slice p of each goes to rank
 * p, which makes that slice of the sum of all leaves; then every rank gets all
 * slices. Who adds does not change a bit, because every node of the tree is one
 * addition of the same two operands.
 */
#ifndef LCT_RANKS_H
#define LCT_RANKS_H
#include "../core/tree.h"
#include "../model/model.h"
#include "../group/group.h"
#include "locant/lab.h"

struct lct_ranks {
    const locant_group *group; /* 'watched', or NULL: one process */
    struct lct_watched_group watched;
    int size, rank;
    struct lct_leaves leaves;     /* of this rank */
    size_t n;                     /* elements of a gradient */
    size_t *begin;                /* [size + 1] bytes, for lct_group_gather() */
    struct lct_subtree *subtrees; /* [count] of all ranks, by rising 'first';
                                     'sum': the slice of this rank */
    int *first_subtree;           /* [size + 1] of a rank */
    size_t count;
    real *room;                   /* slices of other ranks */
    struct lct_group_list pieces; /* room for count * size each way */
    double *losses;               /* [leaves.all] sums of each leaf */
    unsigned char *news;          /* of all ranks */
};

/* The leaves of a run with these options: o->leaves or, if that is 0, under a
   group the largest number up to 16 that divides the batch. */
int64_t lct_ranks_leaves(const locant_train_options *o);

/* Leaves of a row of the batch; 1 if leaves have whole rows. */
int64_t lct_ranks_leaves_of_row(const locant_train_options *o);

/* The rows of a batch that this rank passes: 'rows' from 'first' on. If rows
   have several leaves, each leaf is a row here. */
void lct_ranks_rows(int64_t *first, int64_t *rows, const struct lct_ranks *r,
                    int64_t batch);

/* Refuse a group that cannot train with these options. */
locant_status lct_ranks_check(const locant_train_options *o);

/* The ranks of a run; of one process without a group. To be freed, also after a
   failure. */
locant_status lct_ranks_create(struct lct_ranks *r,
                               const locant_train_options *o);
/* Allocate what gradients of n elements need. */
locant_status lct_ranks_reserve(struct lct_ranks *r, size_t n);
void lct_ranks_free(struct lct_ranks *r);

/*
 * grads [subtrees, n] of this rank's leaves; afterwards grads [n] is the sum of
 * all leaves, on every rank.
 */
locant_status lct_ranks_add_gradients(struct lct_ranks *r, real *grads);

/*
 * Tell all ranks this one's 'status', with locant_last_error(), and whether it
 * wishes to stop; *stop tells whether any does. r->losses has the sums of this
 * rank's leaves, afterwards those of all. If the status of any rank is not OK,
 * all return that of the first such rank, with its message.
 */
locant_status lct_ranks_tell(struct lct_ranks *r, locant_status status,
                             bool wish, bool *stop);

/* The same without losses and wishes. */
locant_status lct_ranks_agree(struct lct_ranks *r, locant_status status);

/* Each rank has its leaves in 'data', leaf_bytes for each leaf in order;
   afterwards every rank has all. */
locant_status lct_ranks_gather_rows(struct lct_ranks *r, void *data,
                                    size_t leaf_bytes);

/* Refuse with FORMAT unless 'hash' is that of rank 0 on every rank; 'step' is
   for the message. */
locant_status lct_ranks_compare(struct lct_ranks *r, uint64_t hash,
                                int64_t step);
#endif
