/* ranks.c - see ranks.h */
#include "ranks.h"
#include "../core/size.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    DEFAULT_LEAVES = 16,
    HEAD = 8 /* bytes of the news of a rank before its losses */
};

int64_t lct_ranks_leaves(const locant_train_options *o)
{
    int64_t leaves = DEFAULT_LEAVES;

    if (o->leaves > 0 || o->group == NULL)
        return o->leaves;
    while (o->batch % leaves != 0)
        leaves /= 2;
    return leaves;
}

int64_t lct_ranks_leaves_of_row(const locant_train_options *o)
{
    const int64_t leaves = lct_ranks_leaves(o);

    return leaves > o->batch ? leaves / o->batch : 1;
}

locant_status lct_ranks_check(const locant_train_options *o)
{
    const int64_t leaves = lct_ranks_leaves(o);
    const int size = lct_group_size(o->group);

    LCT_TRY(lct_group_check("locant_train", o->group));
    if (size == 1)
        return LOCANT_OK;
    if (size > leaves)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: %d ranks share a batch of %" PRId64
                           " rows in %" PRId64
                           " leaves, expected at most %" PRId64
                           " ranks, or more leaves",
                           size, o->batch, leaves, leaves);
    return LOCANT_OK;
}

/* The first leaf of a rank. */
static int64_t first_leaf(const struct lct_ranks *r, int rank)
{
    return lct_group_share(r->leaves.all, rank, r->size);
}

static locant_status no_memory(void)
{
    return locant_fail(LOCANT_ERR_NOMEM,
                       "locant_train: no memory for the work of a group");
}

locant_status lct_ranks_create(struct lct_ranks *r,
                               const locant_train_options *o)
{
    *r = (struct lct_ranks){ .size = lct_group_size(o->group),
                             .rank = lct_group_rank(o->group) };
    r->leaves.all = lct_ranks_leaves(o);
    r->leaves.first = first_leaf(r, r->rank);
    r->leaves.last = first_leaf(r, r->rank + 1);
    r->leaves.of_row = lct_ranks_leaves_of_row(o);
    if (r->size == 1)
        return LOCANT_OK;
    r->leaves.group = r->group = lct_group_watch(&r->watched, o->group);
    r->begin = locant_alloc((size_t)(r->size + 1) * sizeof *r->begin);
    r->losses = locant_alloc((size_t)r->leaves.all * sizeof *r->losses);
    r->news = locant_alloc((size_t)r->size * HEAD +
                           (size_t)r->leaves.all * sizeof *r->losses);
    return r->begin && r->losses && r->news ? LOCANT_OK : no_memory();
}

void lct_ranks_rows(int64_t *first, int64_t *rows, const struct lct_ranks *r,
                    int64_t batch)
{
    const struct lct_leaves *own = &r->leaves;
    const int64_t all = own->of_row * batch; /* rows, some of them leaves */
    const int64_t of_leaf = own->all > 0 ? all / own->all : all;

    *first = own->first * of_leaf;
    *rows = own->all > 0 ? (own->last - own->first) * of_leaf : all;
}

void lct_ranks_free(struct lct_ranks *r)
{
    locant_release(r->begin);
    locant_release(r->subtrees);
    locant_release(r->first_subtree);
    locant_release(r->room);
    locant_release(r->pieces.send);
    locant_release(r->pieces.receive);
    locant_release(r->losses);
    locant_release(r->news);
    *r = (struct lct_ranks){ 0 };
}

/* --------------------------------------------------------------- gradients */

/* The first element of the slice of a rank. */
static size_t first_element(const struct lct_ranks *r, int rank)
{
    return r->n * (size_t)rank / (size_t)r->size;
}

static size_t slice(const struct lct_ranks *r, int rank)
{
    return first_element(r, rank + 1) - first_element(r, rank);
}

/* List the subtrees of all ranks. */
static locant_status list_subtrees(struct lct_ranks *r)
{
    r->subtrees = locant_alloc((size_t)r->leaves.all * sizeof *r->subtrees);
    r->first_subtree =
        locant_alloc((size_t)(r->size + 1) * sizeof *r->first_subtree);
    if (!r->subtrees || !r->first_subtree)
        return no_memory();
    for (int rank = 0; rank < r->size; rank++) {
        const struct lct_tree t =
            lct_tree_of(first_leaf(r, rank), first_leaf(r, rank + 1));

        r->first_subtree[rank] = (int)r->count;
        memcpy(r->subtrees + r->count, t.held,
               (size_t)t.count * sizeof *t.held);
        r->count += (size_t)t.count;
    }
    r->first_subtree[r->size] = (int)r->count;
    return LOCANT_OK;
}

locant_status lct_ranks_reserve(struct lct_ranks *r, size_t n)
{
    size_t pieces, own, elements;

    r->n = n;
    if (r->size == 1)
        return LOCANT_OK;
    LCT_TRY(list_subtrees(r));
    pieces = r->count * (size_t)r->size;
    own = (size_t)(r->first_subtree[r->rank + 1] - r->first_subtree[r->rank]);
    if (!lct_mul(&elements, r->count - own, slice(r, r->rank)) ||
        !lct_mul(&elements, elements, sizeof *r->room))
        return no_memory();
    r->room = locant_alloc(elements + 1);
    r->pieces.send = locant_alloc(pieces * sizeof(locant_piece));
    r->pieces.receive = locant_alloc(pieces * sizeof(locant_piece));
    return r->room && r->pieces.send && r->pieces.receive ? LOCANT_OK
                                                          : no_memory();
}

/* Say where each subtree's slice of this rank is or will be. */
static void place_slices(struct lct_ranks *r, real *grads)
{
    const size_t at = first_element(r, r->rank);
    real *room = r->room;

    for (int rank = 0; rank < r->size; rank++) {
        for (int k = r->first_subtree[rank]; k < r->first_subtree[rank + 1];
             k++) {
            if (rank == r->rank) {
                r->subtrees[k].sum = grads + at;
                grads += r->n;
            } else {
                r->subtrees[k].sum = room;
                room += slice(r, r->rank);
            }
        }
    }
}

/* List slices, a round of lct_group_exchange_rounds(). */
static void list_slices(struct lct_group_list *list, int to, int from,
                        void *context)
{
    const struct lct_ranks *r = context;
    const int *first = r->first_subtree;
    const struct lct_subtree *x = r->subtrees;

    for (int k = first[r->rank]; k < first[r->rank + 1]; k++)
        list->send[list->sends++] = (locant_piece){
            to, x[k].sum - first_element(r, r->rank) + first_element(r, to),
            slice(r, to) * sizeof *x[k].sum
        };
    for (int k = first[from]; k < first[from + 1]; k++)
        list->receive[list->receives++] =
            (locant_piece){ from, x[k].sum,
                            slice(r, r->rank) * sizeof *x[k].sum };
}

locant_status lct_ranks_add_gradients(struct lct_ranks *r, real *grads)
{
    if (r->size == 1)
        return LOCANT_OK;
    place_slices(r, grads);
    LCT_TRY(lct_group_exchange_rounds(&r->pieces, list_slices, r, r->group));
    lct_tree_combine(grads + first_element(r, r->rank), r->leaves.all,
                     r->subtrees, slice(r, r->rank));
    for (int rank = 0; rank <= r->size; rank++)
        r->begin[rank] = first_element(r, rank) * sizeof *grads;
    return lct_group_gather(grads, r->begin, r->group);
}

/* -------------------------------------------------------------------- news */

/* The news of a rank: its status and its wish, 4 bytes each, and its losses. */
static void read_news(struct lct_ranks *r, bool *stop)
{
    for (int rank = 0; rank < r->size; rank++) {
        const unsigned char *at = r->news + r->begin[rank];
        const int64_t leaf = first_leaf(r, rank);
        uint32_t wishes;

        memcpy(&wishes, at + LCT_GROUP_STATUS, sizeof wishes);
        *stop |= wishes != 0;
        memcpy(r->losses + leaf, at + HEAD,
               (size_t)(first_leaf(r, rank + 1) - leaf) * sizeof *r->losses);
    }
}

locant_status lct_ranks_tell(struct lct_ranks *r, locant_status status,
                             bool wish, bool *stop)
{
    const struct lct_leaves *own = &r->leaves;
    const uint32_t wishes = wish;
    unsigned char *at;

    *stop = wish;
    if (r->size == 1)
        return status;
    for (int rank = 0; rank <= r->size; rank++)
        r->begin[rank] = (size_t)rank * HEAD +
                         (size_t)first_leaf(r, rank) * sizeof *r->losses;
    at = r->news + r->begin[r->rank];
    memcpy(at + LCT_GROUP_STATUS, &wishes, sizeof wishes);
    memcpy(at + HEAD, r->losses + own->first,
           (size_t)(own->last - own->first) * sizeof *r->losses);
    LCT_TRY(lct_group_tell(r->news, r->begin, status, r->group));
    read_news(r, stop);
    return LOCANT_OK;
}

locant_status lct_ranks_agree(struct lct_ranks *r, locant_status status)
{
    return lct_group_agree(status, r->group);
}

locant_status lct_ranks_compare(struct lct_ranks *r, uint64_t hash,
                                int64_t step)
{
    uint64_t hashes[LCT_GROUP_RANKS];

    if (r->size == 1)
        return LOCANT_OK;
    for (int rank = 0; rank <= r->size; rank++)
        r->begin[rank] = (size_t)rank * sizeof *hashes;
    hashes[r->rank] = hash;
    LCT_TRY(lct_group_gather(hashes, r->begin, r->group));
    for (int rank = 1; rank < r->size; rank++)
        if (hashes[rank] != hashes[0])
            return locant_fail(LOCANT_ERR_FORMAT,
                               "locant_train: rank %d has other parameters than"
                               " rank 0 after step %" PRId64 ": its memory or"
                               " processor is faulty, and no checkpoint was"
                               " written",
                               rank, step);
    return LOCANT_OK;
}

locant_status lct_ranks_gather_rows(struct lct_ranks *r, void *data,
                                    size_t leaf_bytes)
{
    if (r->size == 1)
        return LOCANT_OK;
    for (int rank = 0; rank <= r->size; rank++)
        r->begin[rank] = (size_t)first_leaf(r, rank) * leaf_bytes;
    return lct_group_gather(data, r->begin, r->group);
}
