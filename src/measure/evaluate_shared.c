/*
 * evaluate_shared.c - a batch of windows shared out over the ranks of a group,
 * where there are fewer batches than ranks.
 *
 * A rank computes some of the windows or, of fewer windows than ranks, some
 * leaves of their tokens, as in training.  Every row of activations has the
 * same bits in any pass, so have the losses.
 */
#include "../core/tree.h"
#include "evaluate_shared.h"
#include <string.h>

/* The parts of a batch: windows, or leaves of windows. */
struct parts {
    int64_t all, of_window, tokens;
};

/* The largest power of two that divides n > 0. */
static int64_t power_in(int64_t n)
{
    return n & -n;
}

/* The parts of a batch for so many ranks; all = 0: there are not enough.  Two
   for each rank are balanced. */
static struct parts parts_of(const struct lct_eval_batch *x, int ranks)
{
    const int64_t tiles = x->T / LCT_LEAF_TOKENS;
    int64_t most, leaves = 1;

    if (x->B >= ranks)
        return (struct parts){ x->B, 1, x->T };
    if (x->T % LCT_LEAF_TOKENS != 0 || power_in(x->B) != x->B)
        return (struct parts){ 0 };
    most = lct_eval_min(LCT_TREE_LEAVES, x->B * power_in(tiles));
    while (leaves < 2 * ranks && leaves < most)
        leaves *= 2;
    if (leaves < ranks)
        return (struct parts){ 0 };
    return (struct parts){ leaves, leaves / x->B, x->T * x->B / leaves };
}

/* Where part l of the batch is in [B, T]. */
static size_t place(const struct parts *s, int64_t l)
{
    const int64_t window = l / s->of_window;
    const int64_t chunk = lct_leaf_chunk(l % s->of_window, s->of_window);

    return (size_t)((window * s->of_window + chunk) * s->tokens);
}

bool lct_eval_shared_is_possible(const struct lct_eval *ev,
                                 const struct lct_eval_batch *x)
{
    return ev->memory == 0 && parts_of(x, ev->group->size).all > 0;
}

/* The first part of a rank, and the end of those of the rank before it. */
static int64_t begin_of(const struct lct_eval *ev, const struct parts *s,
                        int rank)
{
    return lct_group_share(s->all, rank, ev->group->size);
}

locant_status lct_eval_shared_model(struct lct_model **out, struct lct_eval *ev,
                                    const struct lct_eval_batch *x)
{
    const struct parts s = parts_of(x, ev->group->size);
    struct lct_model_config config = *lct_model_config_of(ev->model);
    const int rank = ev->group->rank;

    *out = NULL;
    if (s.of_window == 1)
        return LOCANT_OK;
    config.leaves = (struct lct_leaves){ .all = s.all,
                                         .first = begin_of(ev, &s, rank),
                                         .last = begin_of(ev, &s, rank + 1),
                                         .of_row = s.of_window,
                                         .group = ev->group };
    LCT_TRY(lct_model_create(
        out, &config, config.leaves.last - config.leaves.first, x->T, false));
    memcpy(lct_model_params(*out), lct_model_params(ev->model),
           lct_model_size(*out) * sizeof(real));
    return LOCANT_OK;
}

void lct_eval_shared_lay_out(struct lct_eval *ev,
                             const struct lct_eval_batch *x)
{
    const struct parts s = parts_of(x, ev->group->size);

    for (int rank = 0; rank < ev->group->size; rank++) {
        const int64_t n = begin_of(ev, &s, rank + 1) - begin_of(ev, &s, rank);

        ev->begin[rank + 1] = ev->begin[rank] + LCT_EVAL_HEAD +
                              (size_t)(n * s.tokens) * sizeof(real);
    }
}

locant_status lct_eval_shared_compute(struct lct_eval *ev, struct lct_model *m,
                                      const struct lct_eval_batch *x)
{
    const struct parts s = parts_of(x, ev->group->size);
    const int64_t first = begin_of(ev, &s, ev->group->rank);
    const int64_t n = begin_of(ev, &s, ev->group->rank + 1) - first;
    const size_t bytes = (size_t)s.tokens * sizeof *ev->segment;

    for (int64_t i = 0; i < n; i++) {
        const size_t at = place(&s, first + i);

        memcpy(ev->segment + i * s.tokens, ev->tokens + at, bytes);
        memcpy(ev->segment_targets + i * s.tokens, ev->targets + at, bytes);
    }
    LCT_TRY(lct_model_forward(m ? m : ev->model, ev->segment,
                              ev->segment_targets, n, s.tokens,
                              ev->segment_loss, NULL));
    memcpy(ev->news + ev->begin[ev->group->rank] + LCT_EVAL_HEAD,
           ev->segment_loss, (size_t)(n * s.tokens) * sizeof(real));
    return LOCANT_OK;
}

void lct_eval_shared_collect(struct lct_eval *ev,
                             const struct lct_eval_batch *x)
{
    const struct parts s = parts_of(x, ev->group->size);
    const size_t bytes = (size_t)s.tokens * sizeof(real);

    for (int rank = 0; rank < ev->group->size; rank++) {
        const unsigned char *from = ev->news + ev->begin[rank] + LCT_EVAL_HEAD;

        for (int64_t l = begin_of(ev, &s, rank); l < begin_of(ev, &s, rank + 1);
             l++, from += bytes)
            memcpy(ev->loss + place(&s, l), from, bytes);
    }
}
