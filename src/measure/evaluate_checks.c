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

/* Keep the losses of the first half of a window, */
static void use_first_half(struct lct_eval *ev, const struct lct_eval_batch *x,
                           const real *loss)
{
    memcpy(ev->head + x->first * SHORTEST, loss,
           (size_t)(x->T / 2) * sizeof *loss);
}

/* and compare them with those before another second half. */
static void use_changed_half(struct lct_eval *ev,
                             const struct lct_eval_batch *x, const real *loss)
{
    for (int64_t i = 0; i < x->T / 2; i++)
        note_difference(ev, loss[i], ev->head[x->first * SHORTEST + i]);
}

locant_status lct_eval_check_causality_at(struct lct_eval *ev, int64_t T)
{
    const int64_t half = T / 2, vocab = lct_model_config_of(ev->model)->vocab;
    struct lct_eval_batch x = { .B = 1, .T = T };

    ev->result.causality = 0;
    for (int64_t b = 0; b < ev->blocks && half > 0; b++) {
        x.first = b;
        x.use = use_first_half;
        lct_eval_copy_window(ev, 0, T, ev->test, ev->ends[b]);
        LCT_TRY(lct_eval_batch(ev, &x));
        for (int64_t i = half; i < T; i++)
            ev->tokens[i] = (int32_t)((ev->tokens[i] + 1 + i % 5) % vocab);
        x.use = use_changed_half;
        LCT_TRY(lct_eval_batch(ev, &x));
    }
    return lct_eval_settle(ev);
}

static void use_first_losses(struct lct_eval *ev,
                             const struct lct_eval_batch *x, const real *loss)
{
    for (int64_t i = 0; i < x->B * x->T; i++)
        note_difference(ev, loss[i],
                        ev->head[(x->first + i / x->T) * SHORTEST + i % x->T]);
}

/* Compare the first losses of P2 with those of windows that end there. */
locant_status lct_eval_check_causality(struct lct_eval *ev)
{
    int64_t T = ev->span > SHORTEST ? SHORTEST : SHORTEST / 2;
    int64_t group = LONGEST / T;
    struct lct_eval_batch x = { use_first_losses, .T = T };

    if ((locant_encoding_traits(ev->encoding) & LOCANT_TRAIT_LENGTH) ||
        locant_encoding_chooses_positions(ev->encoding))
        return lct_eval_check_causality_at(ev, T);
    ev->result.causality = 0;
    for (int64_t b = 0; b < ev->blocks; b += group) {
        x.first = b;
        x.B = lct_eval_min(group, ev->blocks - b);
        for (int64_t i = 0; i < x.B; i++)
            lct_eval_copy_window(ev, i, T, ev->test,
                                 ev->ends[b + i] - LONGEST + (size_t)T);
        LCT_TRY(lct_eval_batch(ev, &x));
    }
    return lct_eval_settle(ev);
}

/* With memory: evaluate as many adjacent segments of the validation split as
   there are blocks. Each needs the memory of the one before it, so every rank
   evaluates all. */
static locant_status evaluate_segments(struct lct_eval *ev)
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

static void use_validation(struct lct_eval *ev, const struct lct_eval_batch *x,
                           const real *loss)
{
    double *sum = x->context;

    (void)ev;
    *sum += lct_eval_sum(loss, x->B * x->T);
}

/* Evaluate as many evenly spaced windows of the validation split as there are
   blocks. */
locant_status lct_eval_validate(struct lct_eval *ev)
{
    int64_t T = ev->run.length, group = T < LONGEST ? LONGEST / T : 1;
    size_t room, bytes = 0;
    double sum = 0;
    struct lct_eval_batch x = { use_validation, .T = T, .context = &sum };

    if (ev->valid->size < (size_t)T + 1)
        return LOCANT_OK;
    if (ev->memory > 0)
        return lct_group_agree(evaluate_segments(ev), ev->group);
    room = ev->valid->size - (size_t)T - 1;
    for (int64_t w = 0; w < ev->blocks; w += group) {
        x.B = lct_eval_min(group, ev->blocks - w);
        for (int64_t i = 0; i < x.B; i++) {
            double share = (double)(w + i) / (double)ev->blocks;
            size_t first = 1 + (size_t)(share * (double)room);

            lct_eval_copy_window(ev, i, T, ev->valid, first + (size_t)T);
            bytes += lct_tokens_bytes(ev->valid, first, (size_t)T);
        }
        LCT_TRY(lct_eval_batch(ev, &x));
    }
    LCT_TRY(lct_eval_settle(ev));
    ev->result.valid = sum / (double)bytes;
    return LOCANT_OK;
}
