/*
 * extension_cell.c - one run read under another encoding: P1 and P2 at one
 * length, kept in the store as an evaluation of the policy "extension".
 *
 * A window of C bytes ends where the block does, so that its last 64 losses are
 * P1 and all of them are P2 of that length.
 */
#define _POSIX_C_SOURCE 200809L
#include "../store/checkpoint.h"
#include "../train/load_trained.h"
#include "extension.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    ROOM = 2048,
    TARGETS = LCT_EVAL_TARGETS,
    STRIDE = 16, /* of the windows of P4 */
    PARTS = TARGETS / STRIDE
};

struct reading {
    const struct lct_extension_place *p;
    const struct lct_extension_cell *cell;
    struct lct_model *model;
    locant_encoding *encoding;
    int32_t tokens[ROOM], targets[ROOM];
    real loss[ROOM];
    double *block, *position;
    double seconds;
    int64_t fed;
};

static void put_window(struct reading *r, int64_t row, int64_t T, size_t end)
{
    const uint8_t *first =
        lct_corpus_split(r->p->corpus, LCT_TEST)->bytes + end - (size_t)T - 1;

    for (int64_t i = 0; i < T; i++) {
        r->tokens[row * T + i] = first[i];
        r->targets[row * T + i] = first[i + 1];
    }
}

static locant_status forward(struct reading *r, int64_t B, int64_t T)
{
    const double begun = lct_clock();

    LCT_TRY(lct_model_forward(r->model, r->tokens, r->targets, B, T, r->loss,
                              NULL));
    r->seconds += lct_clock() - begun;
    r->fed += B * T;
    if (r->p->tick && r->p->tick(B * T, r->p->context) != 0)
        return locant_fail(LOCANT_ERR_INTERRUPTED,
                           "locant_report_run: the evaluation of run %" PRId64
                           " as %s was stopped", r->cell->run, r->cell->spec);
    return LOCANT_OK;
}

static double sum_of(const real *x, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* P1 and P2 at the cell's length, as many windows at once as there is room. */
static locant_status read_windows(struct reading *r)
{
    const int64_t T = r->cell->length, group = ROOM / T, n = r->p->blocks;

    for (int64_t b = 0; b < n; b += group) {
        const int64_t B = group < n - b ? group : n - b;

        for (int64_t i = 0; i < B; i++)
            put_window(r, i, T, r->p->ends[b + i]);
        LCT_TRY(forward(r, B, T));
        for (int64_t i = 0; i < B; i++) {
            const real *row = r->loss + i * T;

            r->block[b + i] = sum_of(row + T - TARGETS, TARGETS) / TARGETS;
            for (int64_t k = 0; k < T / LCT_EXT_BUCKET; k++)
                r->position[k] += sum_of(row + k * LCT_EXT_BUCKET,
                                         LCT_EXT_BUCKET) /
                                  (double)(LCT_EXT_BUCKET * n);
        }
    }
    return LOCANT_OK;
}

/* Windows of the cell's length whose last 16 targets tile those of P1. */
static locant_status read_cropped(struct reading *r)
{
    const int64_t T = r->cell->length, group = ROOM / T;
    const int64_t n = r->p->blocks * PARTS;

    for (int64_t b = 0; b < r->p->blocks; b++)
        r->block[b] = 0;
    for (int64_t w = 0; w < n; w += group) {
        const int64_t B = group < n - w ? group : n - w;

        for (int64_t i = 0; i < B; i++)
            put_window(r, i, T, r->p->ends[(w + i) / PARTS] -
                       (size_t)((PARTS - 1 - (w + i) % PARTS) * STRIDE));
        LCT_TRY(forward(r, B, T));
        for (int64_t i = 0; i < B; i++)
            r->block[(w + i) / PARTS] +=
                sum_of(r->loss + (i + 1) * T - STRIDE, STRIDE);
    }
    for (int64_t b = 0; b < r->p->blocks; b++)
        r->block[b] /= TARGETS;
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- store */

static struct lct_evaluation_key key_of(const struct lct_extension_place *p,
                                        const struct lct_extension_cell *c,
                                        char lengths[24])
{
    snprintf(lengths, 24, "%" PRId64, c->length);
    return (struct lct_evaluation_key){
        .run = c->run,
        .corpus_sha256 = locant_corpus_info_of(p->corpus)->sha256,
        .want = p->want, .encoding = c->spec,
        .policy = c->crop ? "crop" : "extension", .lengths = lengths};
}

static locant_status record(struct reading *r, double speed)
{
    enum { MOST = LCT_EXT_BUCKETS };
    int64_t at[MOST], length = r->cell->length;
    double mean = 0;
    char lengths[24];
    const struct lct_evaluation_key key = key_of(r->p, r->cell, lengths);
    const struct lct_evaluation_row row = {
        .blocks = r->p->blocks, .own_window = NAN, .valid = NAN,
        .shuffled = NAN, .causality = NAN, .tokens_per_second = speed};
    struct lct_curve curves[2] = {
        {.protocol = "P1", .n = 1, .blocks = (size_t)r->p->blocks,
         .length = &length, .mean = &mean, .loss = r->block},
        {.protocol = "P2", .n = (size_t)(length / LCT_EXT_BUCKET), .length = at,
         .mean = r->position},
    };

    for (int64_t b = 0; b < r->p->blocks; b++)
        mean += r->block[b] / (double)r->p->blocks;
    for (int i = 0; i < MOST; i++)
        at[i] = (int64_t)i * LCT_EXT_BUCKET;
    return lct_store_add_evaluation(r->p->store, &key, &row, curves,
                                    r->cell->crop ? 1 : 2);
}

static locant_status take_curves(double *loss, double *position,
                                 const struct lct_extension_place *p,
                                 const struct lct_extension_cell *cell,
                                 int64_t id)
{
    struct lct_curve one = {.n = 0}, two = {.n = 0};
    locant_status status = lct_store_read_curve(&one, p->store, id, "P1");

    if (status == LOCANT_OK)
        status = lct_store_read_curve(&two, p->store, id, "P2");
    if (status == LOCANT_OK &&
        (one.n != 1 || one.blocks != (size_t)p->blocks ||
         (!cell->crop && two.n != (size_t)(cell->length / LCT_EXT_BUCKET))))
        status = locant_fail(LOCANT_ERR_FORMAT,
                             "locant_report_run: the store's evaluation %"
                             PRId64 " has other blocks than it says", id);
    if (status == LOCANT_OK)
        memcpy(loss, one.loss, one.blocks * sizeof *loss);
    if (status == LOCANT_OK && position && two.n > 0)
        memcpy(position, two.mean, two.n * sizeof *position);
    lct_curve_free(&one);
    lct_curve_free(&two);
    return status;
}

/* ----------------------------------------------------------------- measure */

static locant_status read_all(struct reading *r, double *speed)
{
    locant_run_info run;
    locant_status status;

    LCT_TRY(locant_store_run(&run, r->p->store, r->cell->run));
    snprintf(run.encoding, sizeof run.encoding, "%s", r->cell->spec);
    status = lct_load_trained(&r->model, &r->encoding, r->p->store, &run, ROOM);
    if (status == LOCANT_OK)
        status = r->cell->crop ? read_cropped(r) : read_windows(r);
    lct_model_free(r->model);
    locant_encoding_free(r->encoding);
    *speed = r->seconds > 0 ? (double)r->fed / r->seconds : NAN;
    return status;
}

static locant_status compute(double *loss, double *position, double *speed,
                             const struct lct_extension_place *p,
                             const struct lct_extension_cell *cell)
{
    struct reading *r = locant_alloc(sizeof *r);
    double buckets[LCT_EXT_BUCKETS] = {0};
    locant_status status;

    if (r == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for an evaluation");
    r->p = p;
    r->cell = cell;
    r->block = loss;
    r->position = buckets;
    status = read_all(r, speed);
    if (status == LOCANT_OK)
        status = record(r, *speed);
    if (status == LOCANT_OK && position && !cell->crop)
        memcpy(position, buckets, (size_t)(cell->length / LCT_EXT_BUCKET) *
                                      sizeof *position);
    locant_release(r);
    return status;
}

locant_status lct_extension_measure(double *loss, double *position,
                                    double *speed,
                                    const struct lct_extension_place *p,
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
    return take_curves(loss, position, p, cell, row.id);
}

locant_status lct_extension_blocks(struct lct_extension_place *p, int64_t want)
{
    p->want = want;
    p->ends = locant_alloc((size_t)p->want * sizeof *p->ends);
    if (p->ends == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_report_run: no memory for"
                           " %" PRId64 " blocks", p->want);
    p->blocks = (int64_t)lct_test_blocks(p->ends, (size_t)p->want, p->corpus,
                                         LCT_EVAL_SEED);
    if (p->blocks == 0)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "locant_report_run: no file of the test split has"
                           " the 2304 bytes a block needs");
    return LOCANT_OK;
}
