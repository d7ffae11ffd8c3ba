/* store_protocols.c - writes and reads a locant_evaluation as rows */
#include "store_eval.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BUCKET = 2048 / LOCANT_EVAL_BUCKETS };

const char *const lct_changed_names[LCT_CHANGED] = { "shuffled", "replaced",
                                                     "truncated" };

/* Is it the evaluation of a run as it was trained, at the lengths of the
   protocols? In any other, P1 may have fewer lengths and P2 may be missing. */
static bool is_plain(const struct lct_evaluation_key *key)
{
    return !(key->encoding && *key->encoding) &&
           !(key->policy && *key->policy) && !(key->lengths && *key->lengths);
}

static locant_status wrong_count(const locant_store *s, int64_t id,
                                 const struct lct_curve *c, size_t want)
{
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: evaluation %lld has %zu losses of %s, expected"
                       " %zu",
                       s->path, (long long)id, c->n, c->protocol, want);
}

/* Copy the means of a curve to out[room], and NAN behind them. With 'complete'
   the curve must have 'room' means. */
static locant_status copy_means(double *out, size_t room, bool complete,
                                const struct lct_curve *c,
                                const locant_store *s, int64_t id)
{
    if (c->n > room || (complete && c->n != room))
        return wrong_count(s, id, c, room);
    for (size_t i = 0; i < room; i++)
        out[i] = i < c->n ? c->mean[i] : NAN;
    return LOCANT_OK;
}

static locant_status load_row(locant_evaluation *e, struct lct_curve c[3],
                              locant_store *s,
                              const struct lct_evaluation_row *row, bool plain)
{
    *e = (locant_evaluation){ .own_window = row->own_window,
                              .valid = row->valid,
                              .shuffled = row->shuffled,
                              .causality = row->causality,
                              .blocks = row->blocks,
                              .tokens_per_second = row->tokens_per_second };
    LCT_TRY(lct_store_read_curve(&c[0], s, row->id, "P1"));
    LCT_TRY(lct_store_read_curve(&c[1], s, row->id, "P2"));
    LCT_TRY(lct_store_read_curve(&c[2], s, row->id, "P3"));
    LCT_TRY(copy_means(e->same_targets, LOCANT_EVAL_LENGTHS, plain, &c[0], s,
                       row->id));
    LCT_TRY(copy_means(e->by_position, LOCANT_EVAL_BUCKETS, plain, &c[1], s,
                       row->id));
    LCT_TRY(copy_means(e->non_overlapping, LOCANT_EVAL_LENGTHS, false, &c[2], s,
                       row->id));
    if (c[0].n > 0)
        memcpy(e->length, c[0].length, c[0].n * sizeof *e->length);
    if (e->blocks < 1 || c[0].n < 1 || c[0].blocks != (size_t)e->blocks)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: evaluation %lld has %zu losses a length,"
                           " expected %lld",
                           s->path, (long long)row->id, c[0].blocks,
                           (long long)e->blocks);
    return LOCANT_OK;
}

/* The mean of a curve of one length; NAN if the store has none. */
static locant_status load_mean(double *out, locant_store *s, int64_t id,
                               const char *protocol)
{
    struct lct_curve c;
    locant_status status = lct_store_read_curve(&c, s, id, protocol);

    if (status == LOCANT_OK)
        status = copy_means(out, 1, false, &c, s, id);
    lct_curve_free(&c);
    return status;
}

locant_status lct_store_load_by_key(locant_evaluation *out, double **block_loss,
                                    bool *found, locant_store *s,
                                    const struct lct_evaluation_key *key)
{
    struct lct_curve curves[3] = { { { 0 }, 0, 0, NULL, NULL, NULL } };
    struct lct_evaluation_row row = { 0 };
    locant_evaluation e;
    locant_status status;

    if (block_loss)
        *block_loss = NULL;
    LCT_TRY(lct_store_find_evaluation(&row, found, s, key));
    if (!*found)
        return LOCANT_OK;
    status = load_row(&e, curves, s, &row, is_plain(key));
    if (status == LOCANT_OK)
        status = load_mean(&e.replaced, s, row.id,
                           lct_changed_names[LCT_CONTEXT_REPLACED]);
    if (status == LOCANT_OK)
        status = load_mean(&e.truncated, s, row.id,
                           lct_changed_names[LCT_CONTEXT_TRUNCATED]);
    if (status == LOCANT_OK) {
        *out = e;
        if (block_loss) {
            *block_loss = curves[0].loss;
            curves[0].loss = NULL;
        }
    }
    for (int i = 0; i < 3; i++)
        lct_curve_free(&curves[i]);
    return status;
}

locant_status lct_store_load_evaluation(locant_evaluation *out,
                                        double **block_loss, bool *found,
                                        locant_store *s, int64_t run,
                                        const char *corpus_sha256, int64_t want)
{
    const struct lct_evaluation_key key = { .run = run,
                                            .corpus_sha256 = corpus_sha256,
                                            .want = want };

    return lct_store_load_by_key(out, block_loss, found, s, &key);
}

/* The number of lengths of an evaluation; the rest of e->length is 0. */
static size_t count_lengths(const locant_evaluation *e)
{
    size_t n = 0;

    while (n < LOCANT_EVAL_LENGTHS && e->length[n] > 0)
        n++;
    return n;
}

/* Set the curves of changed contexts; 'window' is their length. */
static void set_changed(struct lct_curve c[LCT_CHANGED], locant_evaluation *e,
                        const double *changed, int64_t *window)
{
    double *const means[LCT_CHANGED] = { &e->shuffled, &e->replaced,
                                         &e->truncated };

    for (int i = 0; i < LCT_CHANGED; i++) {
        c[i] = (struct lct_curve){ .n = 1,
                                   .blocks = (size_t)e->blocks,
                                   .length = window,
                                   .mean = means[i],
                                   .loss = (double *)changed + i * e->blocks };
        snprintf(c[i].protocol, sizeof c[i].protocol, "%s",
                 lct_changed_names[i]);
    }
}

locant_status lct_store_save_evaluation(locant_store *s,
                                        const struct lct_evaluation_key *key,
                                        const locant_evaluation *e,
                                        const struct lct_block_losses *losses)
{
    const struct lct_evaluation_row row = { .blocks = e->blocks,
                                            .own_window = e->own_window,
                                            .valid = e->valid,
                                            .shuffled = e->shuffled,
                                            .causality = e->causality,
                                            .tokens_per_second =
                                                e->tokens_per_second };
    const size_t n = count_lengths(e), blocks = (size_t)e->blocks;
    locant_evaluation copy = *e; /* struct lct_curve has no const members */
    int64_t position[LOCANT_EVAL_BUCKETS], window = 128;
    struct lct_curve curves[4 + LCT_CHANGED] = { { "P1", n, blocks, copy.length,
                                                   copy.same_targets,
                                                   (double *)losses->p1 } };
    size_t used = 1;

    for (int64_t i = 0; i < LOCANT_EVAL_BUCKETS; i++)
        position[i] = i * BUCKET;
    if (is_plain(key) || (n > 0 && e->length[n - 1] == 2048))
        curves[used++] =
            (struct lct_curve){ "P2",     LOCANT_EVAL_BUCKETS, 0,
                                position, copy.by_position,    NULL };
    if (losses->p3)
        curves[used++] = (struct lct_curve){ "P3",
                                             n,
                                             blocks,
                                             copy.length,
                                             copy.non_overlapping,
                                             (double *)losses->p3 };
    if (losses->p4)
        curves[used++] = (struct lct_curve){
            "P4", 1, blocks, &window, &copy.own_window, (double *)losses->p4
        };
    if (losses->changed) {
        set_changed(curves + used, &copy, losses->changed, &window);
        used += LCT_CHANGED;
    }
    return lct_store_add_evaluation(s, key, &row, curves, used);
}

locant_status lct_store_read_block_losses(double **out, locant_store *s,
                                          const struct lct_evaluation_key *key,
                                          const char *protocol, size_t lengths,
                                          size_t blocks)
{
    struct lct_evaluation_row row = { 0 };
    struct lct_curve c;
    bool found;
    locant_status status;

    *out = NULL;
    LCT_TRY(lct_store_find_evaluation(&row, &found, s, key));
    if (!found)
        return LOCANT_OK;
    status = lct_store_read_curve(&c, s, row.id, protocol);
    if (status == LOCANT_OK && c.n == lengths && c.blocks == blocks) {
        *out = c.loss;
        c.loss = NULL;
    }
    lct_curve_free(&c);
    return status;
}
