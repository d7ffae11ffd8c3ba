/*
 * evaluate.c - the protocols every model is judged by.
 *
 * A block is a place in the test split: e is one past its last target.  A
 * window of C tokens ending at e reads bytes[e-C-1 .. e-2] and predicts
 * bytes[e-C .. e-1].
 *
 *   P1  same targets: the last 64 of windows of 128, 256, .. 2048.  Targets do
 *       not depend on C, so a rise is the model's, not the text's
 *       (Kazemnejad et al. 2023, arXiv:2305.19466v2, appendix F).
 *   P2  by position: the window of 2048, all its losses, 32 positions a bucket.
 *   P4  own window: the 64 targets by windows of 128, 16 at a time, which a
 *       model without extrapolation can always do.
 *
 * Some encodings end somewhere: lengths beyond are NAN, "undefined", and P2 is
 * the longest window they have.
 *
 * A model with memory reads every window from its beginning in segments of its
 * trained length and carries memory from one to the next; the validation text
 * is one row of such segments (P3).
 */
#define _POSIX_C_SOURCE 200809L
#include "run.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LONGEST = 2048,
    SHORTEST = 128,
    TARGETS = LCT_EVAL_TARGETS,
    STRIDE = 16,        /* P4 */
    SHUFFLED = 8,       /* shuffled targets a block */
    KEPT = 8,           /* bytes before a target that stay */
    BUCKET = LONGEST / LOCANT_EVAL_BUCKETS
};
static const int64_t lengths[LOCANT_EVAL_LENGTHS] = {128, 256, 512, 1024, 2048};

struct evaluation {
    locant_run_info run;
    locant_encoding *encoding;
    struct lct_model *model;
    int64_t memory;            /* of the model */
    const struct lct_split *test, *valid;
    size_t *ends;
    int64_t blocks;
    int32_t *tokens, *targets; /* [room] */
    real *loss;                /* [room] */
    int64_t room;
    int32_t *part, *part_targets; /* [room]: one segment of all rows */
    real *part_loss;           /* [room] */
    int64_t span;              /* longest window the encoding is defined for */
    double *block_loss;        /* [lengths, blocks] */
    real *head;                /* [blocks, SHORTEST]: first losses of P2 */
    real *shortest;            /* [blocks, SHORTEST]: losses of P1 at 128 */
    locant_evaluation e;
    lct_tick tick;
    void *context;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* One window of T tokens that ends at 'end' into row b of the batch. */
static void put_window(struct evaluation *ev, int64_t b, int64_t T,
                       const uint8_t *bytes, size_t end)
{
    const uint8_t *first = bytes + end - (size_t)T - 1;

    for (int64_t i = 0; i < T; i++) {
        ev->tokens[b * T + i] = first[i];
        ev->targets[b * T + i] = first[i + 1];
    }
}

/* Tokens at .. at + n - 1 of rows first .. first + rows - 1 of [B, T]. */
static locant_status segment(struct evaluation *ev, int64_t first,
                             int64_t rows, int64_t T, int64_t at, int64_t n)
{
    for (int64_t b = 0; b < rows; b++) {
        const int64_t from = (first + b) * T + at;

        memcpy(ev->part + b * n, ev->tokens + from,
               (size_t)n * sizeof *ev->part);
        memcpy(ev->part_targets + b * n, ev->targets + from,
               (size_t)n * sizeof *ev->part);
    }
    LCT_TRY(lct_model_forward(ev->model, ev->part, ev->part_targets, rows, n,
                              ev->part_loss, NULL));
    for (int64_t b = 0; b < rows; b++)
        memcpy(ev->loss + (first + b) * T + at, ev->part_loss + b * n,
               (size_t)n * sizeof *ev->loss);
    return LOCANT_OK;
}

/* Windows in segments, as many rows at once as there is memory for. */
static locant_status forward_segments(struct evaluation *ev, int64_t B,
                                      int64_t T)
{
    const int64_t length = ev->run.length;
    const int64_t most = lct_memory_rows(length, ev->room);

    for (int64_t b = 0; b < B; b += most) {
        lct_model_forget(ev->model);
        for (int64_t at = 0; at < T; at += length)
            LCT_TRY(segment(ev, b, least(most, B - b), T, at,
                            least(length, T - at)));
    }
    return LOCANT_OK;
}

static locant_status forward(struct evaluation *ev, int64_t B, int64_t T)
{
    if (ev->memory > 0)
        LCT_TRY(forward_segments(ev, B, T));
    else
        LCT_TRY(lct_model_forward(ev->model, ev->tokens, ev->targets, B, T,
                                  ev->loss, NULL));
    if (ev->tick && ev->tick(B * T, ev->context) != 0)
        return locant_fail(LOCANT_ERR_INTERRUPTED,
                           "locant_evaluate: the evaluation of run %" PRId64
                           " was stopped", ev->run.id);
    return LOCANT_OK;
}

static double sum_of(const real *x, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* ------------------------------------------------------------------ set up */

/*
 * Longest of the lengths that the encoding takes; 0 if not even the first.
 * With memory no position lies beyond those of training.
 */
static int64_t find_span(const struct evaluation *ev)
{
    const int64_t reach = locant_encoding_reach(ev->encoding);
    int64_t span = LONGEST;

    while (ev->memory == 0 && span >= SHORTEST && span > reach)
        span /= 2;
    return span < SHORTEST ? 0 : span;
}

int64_t lct_memory_rows(int64_t length, int64_t room)
{
    return length < room ? room / length : 1;
}

locant_status lct_load_trained(struct lct_model **model,
                               locant_encoding **encoding, locant_store *store,
                               const locant_run_info *run, int64_t room)
{
    struct lct_run_extra extra;
    struct lct_checkpoint c = {.key = extra.key};
    struct lct_model_config config;
    locant_status status;
    char *path;

    LCT_TRY(lct_store_run_extra(&extra, store, run->id));
    LCT_TRY(lct_model_parse(&config, run->model));
    LCT_TRY(locant_encoding_create(encoding, run->encoding));
    config.encoding = *encoding;
    if (config.memory > 0)
        LCT_TRY(lct_model_create(model, &config,
                                 lct_memory_rows(run->length, room),
                                 run->length, false));
    else
        LCT_TRY(lct_model_create(model, &config, 1, room, false));
    LCT_TRY(lct_store_run_path(&path, store, run->id, "safetensors"));
    status = lct_checkpoint_read(&c, *model, path);
    locant_release(path);
    return status;
}

static locant_status allocate(struct evaluation *ev, int64_t want)
{
    size_t n = (size_t)want;

    ev->ends = locant_alloc(n * sizeof *ev->ends);
    ev->block_loss =
        locant_alloc(n * LOCANT_EVAL_LENGTHS * sizeof *ev->block_loss);
    ev->head = locant_alloc(n * SHORTEST * sizeof *ev->head);
    ev->shortest = locant_alloc(n * SHORTEST * sizeof *ev->shortest);
    ev->tokens = locant_alloc((size_t)ev->room * sizeof *ev->tokens);
    ev->targets = locant_alloc((size_t)ev->room * sizeof *ev->targets);
    ev->loss = locant_alloc((size_t)ev->room * sizeof *ev->loss);
    ev->part = locant_alloc((size_t)ev->room * sizeof *ev->part);
    ev->part_targets =
        locant_alloc((size_t)ev->room * sizeof *ev->part_targets);
    ev->part_loss = locant_alloc((size_t)ev->room * sizeof *ev->part_loss);
    if (!ev->part || !ev->part_targets || !ev->part_loss ||
        !ev->ends || !ev->block_loss || !ev->head || !ev->shortest ||
        !ev->tokens || !ev->targets || !ev->loss)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_evaluate: no memory for %" PRId64 " blocks",
                           want);
    return LOCANT_OK;
}

static void release(struct evaluation *ev)
{
    lct_model_free(ev->model);
    locant_encoding_free(ev->encoding);
    locant_release(ev->ends);
    locant_release(ev->block_loss);
    locant_release(ev->head);
    locant_release(ev->shortest);
    locant_release(ev->tokens);
    locant_release(ev->targets);
    locant_release(ev->loss);
    locant_release(ev->part);
    locant_release(ev->part_targets);
    locant_release(ev->part_loss);
}

/* Everything undefined until it is measured. */
static void set_undefined(struct evaluation *ev)
{
    locant_evaluation *e = &ev->e;

    for (int i = 0; i < LOCANT_EVAL_LENGTHS; i++) {
        e->length[i] = lengths[i];
        e->same_targets[i] = NAN;
    }
    for (int i = 0; i < LOCANT_EVAL_BUCKETS; i++)
        e->by_position[i] = NAN;
    for (int64_t i = 0; i < LOCANT_EVAL_LENGTHS * ev->blocks; i++)
        ev->block_loss[i] = NAN;
    e->own_window = e->valid = e->shuffled = NAN;
    e->causality = e->tokens_per_second = NAN;
    e->blocks = ev->blocks;
}

/* --------------------------------------------------------------- protocols */

/* P1 at lengths[k], below LONGEST: as many windows at once as there is room. */
static locant_status same_targets(struct evaluation *ev, int k)
{
    int64_t T = lengths[k], group = LONGEST / T;

    for (int64_t b = 0; b < ev->blocks; b += group) {
        int64_t B = least(group, ev->blocks - b);

        for (int64_t i = 0; i < B; i++)
            put_window(ev, i, T, ev->test->bytes, ev->ends[b + i]);
        LCT_TRY(forward(ev, B, T));
        for (int64_t i = 0; i < B; i++) {
            const real *row = ev->loss + i * T;

            ev->block_loss[k * ev->blocks + b + i] =
                sum_of(row + T - TARGETS, TARGETS) / TARGETS;
            if (T == SHORTEST)
                memcpy(ev->shortest + (b + i) * T, row,
                       (size_t)T * sizeof *row);
        }
    }
    return LOCANT_OK;
}

/* P2, and P1 at LONGEST where the window is that long. */
static locant_status by_position(struct evaluation *ev)
{
    double sum[LONGEST] = {0}, begun = lct_clock();
    int64_t T = ev->span, last = LOCANT_EVAL_LENGTHS - 1;

    for (int64_t b = 0; b < ev->blocks; b++) {
        size_t first = ev->ends[b] - LONGEST;

        put_window(ev, 0, T, ev->test->bytes, first + (size_t)T);
        LCT_TRY(forward(ev, 1, T));
        for (int64_t i = 0; i < T; i++)
            sum[i] += ev->loss[i];
        memcpy(ev->head + b * SHORTEST, ev->loss, SHORTEST * sizeof *ev->loss);
        if (T == LONGEST)
            ev->block_loss[last * ev->blocks + b] =
                sum_of(ev->loss + T - TARGETS, TARGETS) / TARGETS;
    }
    if (T == LONGEST)
        ev->e.tokens_per_second =
            (double)(ev->blocks * T) / (lct_clock() - begun);
    for (int64_t i = 0; i < T / BUCKET; i++) {
        double total = 0;

        for (int j = 0; j < BUCKET; j++)
            total += sum[i * BUCKET + j];
        ev->e.by_position[i] = total / (double)(BUCKET * ev->blocks);
    }
    return LOCANT_OK;
}

/* Written so that a NAN is the worst of all. */
static void note_difference(struct evaluation *ev, real a, real b)
{
    double difference = fabs((double)a - (double)b);

    if (!(difference <= ev->e.causality))
        ev->e.causality = difference;
}

/*
 * Where positions depend on the length, or end before the shortest window: a
 * window and the same with another second half.
 */
static locant_status causality_at(struct evaluation *ev, int64_t T)
{
    const int64_t half = T / 2;

    ev->e.causality = 0;
    for (int64_t b = 0; b < ev->blocks && half > 0; b++) {
        put_window(ev, 0, T, ev->test->bytes, ev->ends[b]);
        LCT_TRY(forward(ev, 1, T));
        memcpy(ev->head, ev->loss, (size_t)half * sizeof *ev->head);
        for (int64_t i = half; i < T; i++)
            ev->tokens[i] = (ev->tokens[i] + 1 + i % 5) % LCT_VOCAB;
        LCT_TRY(forward(ev, 1, T));
        for (int64_t i = 0; i < half; i++)
            note_difference(ev, ev->loss[i], ev->head[i]);
    }
    return LOCANT_OK;
}

/* What comes later must not change what came before. */
static locant_status causality(struct evaluation *ev)
{
    int64_t T = ev->span > SHORTEST ? SHORTEST : SHORTEST / 2;
    int64_t group = LONGEST / T;

    if ((locant_encoding_traits(ev->encoding) & LOCANT_TRAIT_LENGTH) ||
        locant_encoding_places(ev->encoding))
        return causality_at(ev, T);
    ev->e.causality = 0;
    for (int64_t b = 0; b < ev->blocks; b += group) {
        int64_t B = least(group, ev->blocks - b);

        for (int64_t i = 0; i < B; i++)
            put_window(ev, i, T, ev->test->bytes,
                       ev->ends[b + i] - LONGEST + (size_t)T);
        LCT_TRY(forward(ev, B, T));
        for (int64_t i = 0; i < B * T; i++)
            note_difference(ev, ev->loss[i],
                            ev->head[(b + i / T) * SHORTEST + i % T]);
    }
    return LOCANT_OK;
}

/* P4: windows of 128 whose last 16 targets tile the 64 of P1. */
static locant_status own_window(struct evaluation *ev)
{
    enum { EACH = TARGETS / STRIDE };
    int64_t T = SHORTEST, group = LONGEST / T, n = ev->blocks * EACH;
    double sum = 0;

    for (int64_t w = 0; w < n; w += group) {
        int64_t B = least(group, n - w);

        for (int64_t i = 0; i < B; i++) {
            size_t end = ev->ends[(w + i) / EACH];
            size_t before = (EACH - 1 - (size_t)((w + i) % EACH)) * STRIDE;

            put_window(ev, i, T, ev->test->bytes, end - before);
        }
        LCT_TRY(forward(ev, B, T));
        for (int64_t i = 0; i < B; i++)
            sum += sum_of(ev->loss + (i + 1) * T - STRIDE, STRIDE);
    }
    ev->e.own_window = sum / (double)(n * STRIDE);
    return LOCANT_OK;
}

/* Fisher and Yates on n tokens. */
static void shuffle(int32_t *tokens, int64_t n, uint64_t stream)
{
    locant_random r = {LCT_EVAL_SEED, stream, 0};

    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)locant_random_below(&r, (uint64_t)i + 1);
        int32_t t = tokens[i];

        tokens[i] = tokens[j];
        tokens[j] = t;
    }
}

/*
 * The windows of P1 at 128, once for each of 8 targets: all that the target can
 * see but the last 8 bytes in random order.  The rise against the same target
 * with its context in order is added to P1, so that the two can be compared.
 */
static locant_status shuffled(struct evaluation *ev)
{
    int64_t T = SHORTEST, group = LONGEST / T, n = ev->blocks * SHUFFLED;
    double rise = 0;

    for (int64_t w = 0; w < n; w += group) {
        int64_t B = least(group, n - w);

        for (int64_t i = 0; i < B; i++) {
            int64_t at = T - 1 - (w + i) % SHUFFLED * (TARGETS / SHUFFLED);

            put_window(ev, i, T, ev->test->bytes, ev->ends[(w + i) / SHUFFLED]);
            shuffle(ev->tokens + i * T, at + 1 - KEPT, (uint64_t)(w + i));
        }
        LCT_TRY(forward(ev, B, T));
        for (int64_t i = 0; i < B; i++) {
            int64_t at = T - 1 - (w + i) % SHUFFLED * (TARGETS / SHUFFLED);
            int64_t b = (w + i) / SHUFFLED;

            rise += (double)ev->loss[i * T + at] - ev->shortest[b * T + at];
        }
    }
    ev->e.shuffled = ev->e.same_targets[0] + rise / (double)n;
    return LOCANT_OK;
}

/* P3: as many segments of the validation split as blocks, one after another. */
static locant_status contiguous(struct evaluation *ev)
{
    const int64_t T = ev->run.length;
    const int64_t there = (int64_t)(ev->valid->size - 1) / T;
    const int64_t n = least(ev->blocks, there);
    double sum = 0;

    lct_model_forget(ev->model);
    for (int64_t w = 0; w < n; w++) {
        put_window(ev, 0, T, ev->valid->bytes, (size_t)((w + 1) * T + 1));
        LCT_TRY(segment(ev, 0, 1, T, 0, T));
        sum += sum_of(ev->loss, T);
    }
    ev->e.valid = sum / (double)(n * T);
    return LOCANT_OK;
}

/* As many windows of the validation split as blocks, evenly spaced. */
static locant_status validation(struct evaluation *ev)
{
    int64_t T = ev->run.length, group = T < LONGEST ? LONGEST / T : 1;
    double sum = 0;
    size_t room;

    if (ev->valid->size < (size_t)T + 1)
        return LOCANT_OK;
    if (ev->memory > 0)
        return contiguous(ev);
    room = ev->valid->size - (size_t)T - 1;
    for (int64_t w = 0; w < ev->blocks; w += group) {
        int64_t B = least(group, ev->blocks - w);

        for (int64_t i = 0; i < B; i++) {
            double share = (double)(w + i) / (double)ev->blocks;

            put_window(ev, i, T, ev->valid->bytes,
                       (size_t)T + 1 + (size_t)(share * (double)room));
        }
        LCT_TRY(forward(ev, B, T));
        sum += sum_of(ev->loss, B * T);
    }
    ev->e.valid = sum / (double)(ev->blocks * T);
    return LOCANT_OK;
}

static locant_status all_protocols(struct evaluation *ev)
{
    LCT_TRY(validation(ev));
    if (ev->span == 0)
        return causality_at(ev, locant_encoding_reach(ev->encoding));
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        if (lengths[k] <= ev->span && lengths[k] < LONGEST)
            LCT_TRY(same_targets(ev, k));
    LCT_TRY(by_position(ev));
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++) {
        double sum = 0;

        for (int64_t b = 0; b < ev->blocks; b++)
            sum += ev->block_loss[k * ev->blocks + b];
        ev->e.same_targets[k] = sum / (double)ev->blocks;
    }
    LCT_TRY(causality(ev));
    LCT_TRY(own_window(ev));
    return shuffled(ev);
}

int64_t lct_evaluation_tokens(int64_t blocks, int64_t length)
{
    int64_t each = length + SHORTEST * (TARGETS / STRIDE) +
                   SHORTEST * SHUFFLED + SHORTEST;

    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        each += lengths[k];
    return blocks * each;
}

/* ------------------------------------------------------------------ public */

static locant_status evaluate(struct evaluation *ev, locant_store *store,
                              const locant_corpus *corpus, int64_t want)
{
    const char *sha = locant_corpus_info_of(corpus)->sha256;

    ev->test = lct_corpus_split(corpus, LCT_TEST);
    ev->valid = lct_corpus_split(corpus, LCT_VALID);
    ev->room = ev->run.length > LONGEST ? ev->run.length : LONGEST;
    LCT_TRY(allocate(ev, want));
    ev->blocks = (int64_t)lct_test_blocks(ev->ends, (size_t)want, corpus,
                                          LCT_EVAL_SEED);
    if (ev->blocks == 0)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "locant_evaluate: no file of the test split has the"
                           " 2304 bytes a block needs");
    set_undefined(ev);
    LCT_TRY(lct_load_trained(&ev->model, &ev->encoding, store, &ev->run,
                             ev->room));
    ev->memory = lct_model_config_of(ev->model)->memory;
    ev->span = find_span(ev);
    LCT_TRY(all_protocols(ev));
    return lct_store_save_evaluation(store, ev->run.id, sha, want, &ev->e,
                                     ev->block_loss);
}

static locant_status check_run(const locant_run_info *run)
{
    if (strcmp(run->status, "done") != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_evaluate: run %" PRId64 " is %s at step"
                           " %" PRId64 " of %" PRId64 ", expected it done",
                           run->id, run->status, run->step, run->steps);
    return LOCANT_OK;
}

locant_status lct_evaluate(locant_evaluation *out, locant_store *store,
                           int64_t run, const locant_corpus *corpus,
                           int64_t blocks, lct_tick tick, void *context)
{
    int64_t want = blocks ? blocks : LCT_EVAL_BLOCKS;
    struct evaluation ev = {.tick = tick, .context = context};
    locant_status status;
    bool found;

    if (want < 1 || want > 1 << 20)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_evaluate: blocks is %" PRId64
                           ", expected 0 .. %d", blocks, 1 << 20);
    LCT_TRY(locant_store_run(&ev.run, store, run));
    LCT_TRY(check_run(&ev.run));
    if (strcmp(ev.run.corpus_sha256,
               locant_corpus_info_of(corpus)->sha256) != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_evaluate: run %" PRId64 " was trained on"
                           " another corpus (SHA-256 %.12s.., not %.12s..)",
                           run, ev.run.corpus_sha256,
                           locant_corpus_info_of(corpus)->sha256);
    LCT_TRY(lct_store_load_evaluation(
        out, NULL, &found, store, run, locant_corpus_info_of(corpus)->sha256,
        want));
    if (found)
        return LOCANT_OK;
    status = evaluate(&ev, store, corpus, want);
    if (status == LOCANT_OK)
        *out = ev.e;
    release(&ev);
    return status;
}

locant_status locant_evaluate(locant_evaluation *out, locant_store *store,
                              int64_t run, const locant_corpus *corpus,
                              int64_t blocks)
{
    if (!out || !store || !corpus)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", __func__,
                           !out     ? "out"
                           : !store ? "store"
                                    : "corpus");
    return lct_evaluate(out, store, run, corpus, blocks, NULL, NULL);
}
