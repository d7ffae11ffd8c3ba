/* evaluate_checks.c - the parts of an evaluation besides P1 to P4 and changed
   contexts: causality, validation loss */
#include "../corpus/tokens.h"
#include "eval.h"
#include <math.h>
#include <string.h>

/* Keep the largest difference. NAN counts as the largest, and is kept. */
static void note_difference(struct lct_eval *ev, real a, real b)
{
    double difference = fabs((double)a - (double)b);

    if (!isnan(ev->result.causality) && !(difference <= ev->result.causality))
        ev->result.causality = difference;
}

locant_status lct_eval_check_causality_at(struct lct_eval *ev, int64_t T)
{
    const int64_t half = T / 2, vocab = lct_model_config_of(ev->model)->vocab;

    ev->result.causality = 0;
    for (int64_t b = 0; b < ev->blocks && half > 0; b++) {
        lct_eval_copy_window(ev, 0, T, ev->test, ev->ends[b]);
        LCT_TRY(lct_eval_forward(ev, 1, T));
        memcpy(ev->head, ev->loss, (size_t)half * sizeof *ev->head);
        for (int64_t i = half; i < T; i++)
            ev->tokens[i] = (int32_t)((ev->tokens[i] + 1 + i % 5) % vocab);
        LCT_TRY(lct_eval_forward(ev, 1, T));
        for (int64_t i = 0; i < half; i++)
            note_difference(ev, ev->loss[i], ev->head[i]);
    }
    return LOCANT_OK;
}

/* Compare the first losses of P2 with those of windows that end there. */
locant_status lct_eval_check_causality(struct lct_eval *ev)
{
    int64_t T = ev->span > SHORTEST ? SHORTEST : SHORTEST / 2;
    int64_t group = LONGEST / T;

    if ((locant_encoding_traits(ev->encoding) & LOCANT_TRAIT_LENGTH) ||
        locant_encoding_chooses_positions(ev->encoding))
        return lct_eval_check_causality_at(ev, T);
    ev->result.causality = 0;
    for (int64_t b = 0; b < ev->blocks; b += group) {
        int64_t B = lct_eval_min(group, ev->blocks - b);

        for (int64_t i = 0; i < B; i++)
            lct_eval_copy_window(ev, i, T, ev->test,
                                 ev->ends[b + i] - LONGEST + (size_t)T);
        LCT_TRY(lct_eval_forward(ev, B, T));
        for (int64_t i = 0; i < B * T; i++)
            note_difference(ev, ev->loss[i],
                            ev->head[(b + i / T) * SHORTEST + i % T]);
    }
    return LOCANT_OK;
}

/* With memory: evaluate as many adjacent segments of the validation split as
   there are blocks. */
static locant_status validate_segments(struct lct_eval *ev)
{
    const int64_t T = ev->run.length;
    const int64_t available = (int64_t)(ev->valid->size - 1) / T;
    const int64_t n = lct_eval_min(ev->blocks, available);
    size_t bytes = 0;
    double sum = 0;

    lct_model_clear_memory(ev->model);
    for (int64_t w = 0; w < n; w++) {
        lct_eval_copy_window(ev, 0, T, ev->valid, (size_t)((w + 1) * T + 1));
        LCT_TRY(lct_eval_forward_segment(ev, 0, 1, T, 0, T));
        sum += lct_eval_sum(ev->loss, T);
        bytes += lct_tokens_bytes(ev->valid, (size_t)(w * T + 1), (size_t)T);
    }
    ev->result.valid = sum / (double)bytes;
    return LOCANT_OK;
}

/* Evaluate as many evenly spaced windows of the validation split as there are
   blocks. */
locant_status lct_eval_validate(struct lct_eval *ev)
{
    int64_t T = ev->run.length, group = T < LONGEST ? LONGEST / T : 1;
    size_t room, bytes = 0;
    double sum = 0;

    if (ev->valid->size < (size_t)T + 1)
        return LOCANT_OK;
    if (ev->memory > 0)
        return validate_segments(ev);
    room = ev->valid->size - (size_t)T - 1;
    for (int64_t w = 0; w < ev->blocks; w += group) {
        int64_t B = lct_eval_min(group, ev->blocks - w);

        for (int64_t i = 0; i < B; i++) {
            double share = (double)(w + i) / (double)ev->blocks;
            size_t first = 1 + (size_t)(share * (double)room);

            lct_eval_copy_window(ev, i, T, ev->valid, first + (size_t)T);
            bytes += lct_tokens_bytes(ev->valid, first, (size_t)T);
        }
        LCT_TRY(lct_eval_forward(ev, B, T));
        sum += lct_eval_sum(ev->loss, B * T);
    }
    ev->result.valid = sum / (double)bytes;
    return LOCANT_OK;
}
