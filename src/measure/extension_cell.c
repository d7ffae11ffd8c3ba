/*
 * extension_cell.c - evaluates one run with another encoding at one length. The
 * store keeps P1 and P2 as an evaluation of the policy "extension". With crop,
 * it keeps P4 as an evaluation of the policy "crop", under the name P1.
 *
 * A window of C tokens ends where its block does, so its last 64 losses are P1
 * and all its losses are P2 of that length.
 */
#define _POSIX_C_SOURCE 200809L
#include "../corpus/tokens.h"
#include "../store/clock.h"
#include "eval.h"
#include "extension.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Measure P1 (into own_loss, where P4 is with crop) and P2 at length T, as many
   windows at once as there is room for. */
static locant_status measure_windows(double *position, struct lct_eval *ev,
                                     int64_t T)
{
    const int64_t group = LONGEST / T, n = ev->blocks;

    for (int64_t b = 0; b < n; b += group) {
        const int64_t B = lct_eval_min(group, n - b);

        for (int64_t i = 0; i < B; i++)
            lct_eval_copy_window(ev, i, T, ev->test, ev->ends[b + i]);
        LCT_TRY(lct_eval_forward(ev, B, T));
        for (int64_t i = 0; i < B; i++) {
            const real *row = ev->loss + i * T;

            ev->own_loss[b + i] = lct_eval_target_mean(ev, row, T);
            for (int64_t k = 0; k < T / LCT_EXT_BUCKET; k++)
                position[k] +=
                    lct_eval_sum(row + k * LCT_EXT_BUCKET, LCT_EXT_BUCKET) /
                    (double)(LCT_EXT_BUCKET * n) /
                    lct_eval_bytes(ev, LONGEST - T + k * LCT_EXT_BUCKET,
                                   LCT_EXT_BUCKET);
        }
    }
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- store */

static struct lct_evaluation_key key_of(const struct lct_extension_shared *p,
                                        const struct lct_extension_cell *c,
                                        char lengths[24])
{
    snprintf(lengths, 24, "%" PRId64, c->length);
    return (struct lct_evaluation_key){
        .run = c->run,
        .corpus_sha256 = locant_corpus_info_of(p->corpus)->sha256,
        .want = p->want,
        .encoding = c->spec,
        .policy = c->crop ? "crop" : "extension",
        .lengths = lengths
    };
}

static locant_status record(const struct lct_extension_shared *p,
                            const struct lct_extension_cell *cell, double *loss,
                            double *position, double speed)
{
    enum { MOST = LCT_EXT_BUCKETS };
    int64_t at[MOST], length = cell->length;
    double mean = 0;
    char lengths[24];
    const struct lct_evaluation_key key = key_of(p, cell, lengths);
    const struct lct_evaluation_row row = { .blocks = p->blocks,
                                            .own_window = NAN,
                                            .valid = NAN,
                                            .shuffled = NAN,
                                            .causality = NAN,
                                            .tokens_per_second = speed };
    struct lct_curve curves[2] = {
        { .protocol = "P1",
          .n = 1,
          .blocks = (size_t)p->blocks,
          .length = &length,
          .mean = &mean,
          .loss = loss },
        { .protocol = "P2",
          .n = (size_t)(length / LCT_EXT_BUCKET),
          .length = at,
          .mean = position },
    };

    for (int64_t b = 0; b < p->blocks; b++)
        mean += loss[b] / (double)p->blocks;
    for (int i = 0; i < MOST; i++)
        at[i] = (int64_t)i * LCT_EXT_BUCKET;
    return lct_store_add_evaluation(p->store, &key, &row, curves,
                                    cell->crop ? 1 : 2);
}

static locant_status read_curves(double *loss, double *position,
                                 const struct lct_extension_shared *p,
                                 const struct lct_extension_cell *cell,
                                 int64_t id)
{
    struct lct_curve p1 = { .n = 0 }, p2 = { .n = 0 };
    locant_status status = lct_store_read_curve(&p1, p->store, id, "P1");

    if (status == LOCANT_OK)
        status = lct_store_read_curve(&p2, p->store, id, "P2");
    if (status == LOCANT_OK &&
        (p1.n != 1 || p1.blocks != (size_t)p->blocks ||
         (!cell->crop && p2.n != (size_t)(cell->length / LCT_EXT_BUCKET))))
        status =
            locant_fail(LOCANT_ERR_FORMAT,
                        "locant_report_run: the store's evaluation %" PRId64
                        " has other blocks than it says",
                        id);
    if (status == LOCANT_OK)
        memcpy(loss, p1.loss, p1.blocks * sizeof *loss);
    if (status == LOCANT_OK && position && p2.n > 0)
        memcpy(position, p2.mean, p2.n * sizeof *position);
    lct_curve_free(&p1);
    lct_curve_free(&p2);
    return status;
}

/* ----------------------------------------------------------------- measure */

static locant_status measure_cell(double *position, double *speed,
                                  struct lct_eval *ev,
                                  const struct lct_extension_shared *p,
                                  const struct lct_extension_cell *cell)
{
    double begun, unused;

    LCT_TRY(locant_store_run(&ev->run, p->store, cell->run));
    LCT_TRY(lct_eval_prepare(ev, p->store, p->corpus, p->want));
    snprintf(ev->run.encoding, sizeof ev->run.encoding, "%s", cell->spec);
    LCT_TRY(lct_load_trained(&ev->model, &ev->encoding, p->store, &ev->run,
                             ev->room));
    begun = lct_clock();
    if (cell->crop)
        LCT_TRY(lct_eval_own_window(&unused, ev, cell->length));
    else
        LCT_TRY(measure_windows(position, ev, cell->length));
    *speed = (double)(ev->blocks * cell->length *
                      (cell->crop ? TARGETS / STRIDE : 1)) /
             (lct_clock() - begun);
    return LOCANT_OK;
}

static locant_status compute(double *loss, double *position, double *speed,
                             const struct lct_extension_shared *p,
                             const struct lct_extension_cell *cell)
{
    struct lct_eval ev = { .tick = p->tick, .context = p->context };
    double buckets[LCT_EXT_BUCKETS] = { 0 };
    locant_status status = measure_cell(buckets, speed, &ev, p, cell);

    if (status == LOCANT_OK) {
        memcpy(loss, ev.own_loss, (size_t)p->blocks * sizeof *loss);
        status = record(p, cell, loss, buckets, *speed);
    }
    if (status == LOCANT_OK && position && !cell->crop)
        memcpy(position, buckets,
               (size_t)(cell->length / LCT_EXT_BUCKET) * sizeof *position);
    lct_eval_release(&ev);
    return status;
}

locant_status lct_extension_measure(double *loss, double *position,
                                    double *speed,
                                    const struct lct_extension_shared *p,
                                    const struct lct_extension_cell *cell)
{
    struct lct_evaluation_row row;
    char lengths[24];
    const struct lct_evaluation_key key = key_of(p, cell, lengths);
    bool found;

    LCT_TRY(lct_store_find_evaluation(&row, &found, p->store, &key));
    if (!found)
        return compute(loss, position, speed, p, cell);
    *speed = row.tokens_per_second;
    return read_curves(loss, position, p, cell, row.id);
}

locant_status lct_extension_set_blocks(struct lct_extension_shared *p,
                                       int64_t want, int vocabulary)
{
    size_t *ends = locant_alloc((size_t)want * sizeof *ends);
    const struct lct_vocabulary *v = NULL;
    const struct lct_split *parts;
    locant_status status;

    if (ends == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for"
                           " %" PRId64 " blocks",
                           want);
    p->want = want;
    status = lct_tokens_vocabulary(&v, p->corpus, vocabulary);
    if (status == LOCANT_OK)
        status = lct_tokens_of(&parts, p->corpus, v);
    if (status == LOCANT_OK)
        status = lct_eval_choose_blocks(ends, &p->blocks, want,
                                        "locant_report_run", &parts[LCT_TEST]);
    locant_release(ends);
    return status;
}
