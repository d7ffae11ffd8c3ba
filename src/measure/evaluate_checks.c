/* evaluate_checks.c - checks that a model has to pass before its losses
   count */
#include "../store/run_sizes.h"
#include "eval.h"
#include <math.h>
#include <string.h>

enum { KEPT = 8 }; /* bytes before a shuffled target that stay in place */

/* The condition is true for NAN, so a NAN counts as the largest difference. */
static void note_difference(struct lct_eval *ev, real a, real b)
{
    double difference = fabs((double)a - (double)b);

    if (!(difference <= ev->e.causality))
        ev->e.causality = difference;
}

/* If positions depend on the length, or end before the shortest window: compare
   a window with one whose second half differs. */
locant_status lct_eval_causality_at(struct lct_eval *ev, int64_t T)
{
    const int64_t half = T / 2;

    ev->e.causality = 0;
    for (int64_t b = 0; b < ev->blocks && half > 0; b++) {
        lct_eval_window(ev, 0, T, ev->test->bytes, ev->ends[b]);
        LCT_TRY(lct_eval_forward(ev, 1, T));
        memcpy(ev->head, ev->loss, (size_t)half * sizeof *ev->head);
        for (int64_t i = half; i < T; i++)
            ev->tokens[i] = (ev->tokens[i] + 1 + i % 5) % LCT_VOCAB;
        LCT_TRY(lct_eval_forward(ev, 1, T));
        for (int64_t i = 0; i < half; i++)
            note_difference(ev, ev->loss[i], ev->head[i]);
    }
    return LOCANT_OK;
}

/* Later bytes must not change earlier losses. */
locant_status lct_eval_causality(struct lct_eval *ev)
{
    int64_t T = ev->span > SHORTEST ? SHORTEST : SHORTEST / 2;
    int64_t group = LONGEST / T;

    if ((locant_encoding_traits(ev->encoding) & LOCANT_TRAIT_LENGTH) ||
        locant_encoding_chooses_positions(ev->encoding))
        return lct_eval_causality_at(ev, T);
    ev->e.causality = 0;
    for (int64_t b = 0; b < ev->blocks; b += group) {
        int64_t B = lct_least(group, ev->blocks - b);

        for (int64_t i = 0; i < B; i++)
            lct_eval_window(ev, i, T, ev->test->bytes,
                            ev->ends[b + i] - LONGEST + (size_t)T);
        LCT_TRY(lct_eval_forward(ev, B, T));
        for (int64_t i = 0; i < B * T; i++)
            note_difference(ev, ev->loss[i],
                            ev->head[(b + i / T) * SHORTEST + i % T]);
    }
    return LOCANT_OK;
}

/* Fisher and Yates on n tokens. */
static void shuffle(int32_t *tokens, int64_t n, uint64_t stream)
{
    locant_random r = { LCT_EVAL_SEED, stream, 0 };

    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)locant_random_below(&r, (uint64_t)i + 1);
        int32_t t = tokens[i];

        tokens[i] = tokens[j];
        tokens[j] = t;
    }
}

/*
 * The windows of P1 at 128, once for each of 8 targets, with all context of the
 * target but its last 8 bytes in random order. The rise over the same target
 * with its context in order is added to P1, so that the two can be compared.
 */
locant_status lct_eval_shuffled(struct lct_eval *ev)
{
    int64_t T = SHORTEST, group = LONGEST / T, n = ev->blocks * SHUFFLED;
    double rise = 0;

    for (int64_t w = 0; w < n; w += group) {
        int64_t B = lct_least(group, n - w);

        for (int64_t i = 0; i < B; i++) {
            int64_t at = T - 1 - (w + i) % SHUFFLED * (TARGETS / SHUFFLED);

            lct_eval_window(ev, i, T, ev->test->bytes,
                            ev->ends[(w + i) / SHUFFLED]);
            shuffle(ev->tokens + i * T, at + 1 - KEPT, (uint64_t)(w + i));
        }
        LCT_TRY(lct_eval_forward(ev, B, T));
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
static locant_status contiguous(struct lct_eval *ev)
{
    const int64_t T = ev->run.length;
    const int64_t there = (int64_t)(ev->valid->size - 1) / T;
    const int64_t n = lct_least(ev->blocks, there);
    double sum = 0;

    lct_model_clear_memory(ev->model);
    for (int64_t w = 0; w < n; w++) {
        lct_eval_window(ev, 0, T, ev->valid->bytes, (size_t)((w + 1) * T + 1));
        LCT_TRY(lct_eval_segment(ev, 0, 1, T, 0, T));
        sum += lct_eval_sum(ev->loss, T);
    }
    ev->e.valid = sum / (double)(n * T);
    return LOCANT_OK;
}

/* As many windows of the validation split as blocks, evenly spaced. */
locant_status lct_eval_validation(struct lct_eval *ev)
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
        int64_t B = lct_least(group, ev->blocks - w);

        for (int64_t i = 0; i < B; i++) {
            double share = (double)(w + i) / (double)ev->blocks;

            lct_eval_window(ev, i, T, ev->valid->bytes,
                            (size_t)T + 1 + (size_t)(share * (double)room));
        }
        LCT_TRY(lct_eval_forward(ev, B, T));
        sum += lct_eval_sum(ev->loss, B * T);
    }
    ev->e.valid = sum / (double)(ev->blocks * T);
    return LOCANT_OK;
}
