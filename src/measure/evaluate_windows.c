/* evaluate_windows.c - evaluates windows of text: protocols P1 to P4 */
#include "../store/clock.h"
#include "eval.h"
#include <inttypes.h>
#include <string.h>

enum { BUCKET = LONGEST / LOCANT_EVAL_BUCKETS };
const int64_t lct_eval_lengths[LOCANT_EVAL_LENGTHS] = { 128, 256, 512, 1024,
                                                        2048 };

void lct_eval_copy_window(struct lct_eval *ev, int64_t b, int64_t T,
                          const struct lct_split *text, size_t end)
{
    const size_t first = end - (size_t)T - 1;

    for (int64_t i = 0; i < T; i++) {
        ev->tokens[b * T + i] = lct_split_id(text, first + (size_t)i);
        ev->targets[b * T + i] = lct_split_id(text, first + (size_t)i + 1);
    }
}

locant_status lct_eval_forward_segment(struct lct_eval *ev, int64_t first,
                                       int64_t rows, int64_t T, int64_t at,
                                       int64_t n)
{
    for (int64_t b = 0; b < rows; b++) {
        const int64_t from = (first + b) * T + at;

        memcpy(ev->segment + b * n, ev->tokens + from,
               (size_t)n * sizeof *ev->segment);
        memcpy(ev->segment_targets + b * n, ev->targets + from,
               (size_t)n * sizeof *ev->segment);
    }
    LCT_TRY(lct_model_forward(ev->model, ev->segment, ev->segment_targets, rows,
                              n, ev->segment_loss, NULL));
    for (int64_t b = 0; b < rows; b++)
        memcpy(ev->loss + (first + b) * T + at, ev->segment_loss + b * n,
               (size_t)n * sizeof *ev->loss);
    return LOCANT_OK;
}

/* Evaluate windows in segments, as many windows at once as there is room for.
   */
static locant_status forward_segments(struct lct_eval *ev, int64_t B, int64_t T)
{
    const int64_t length = ev->run.length;
    const int64_t most = lct_segment_rows(length, ev->room);

    for (int64_t b = 0; b < B; b += most) {
        lct_model_clear_memory(ev->model);
        for (int64_t at = 0; at < T; at += length)
            LCT_TRY(lct_eval_forward_segment(ev, b, lct_eval_min(most, B - b),
                                             T, at,
                                             lct_eval_min(length, T - at)));
    }
    return LOCANT_OK;
}

locant_status lct_eval_extend(struct lct_eval *ev, int64_t T)
{
    if (ev->policy == LOCANT_POLICY_NONE || ev->extended == T)
        return LOCANT_OK;
    ev->extended = T;
    return lct_extend_tables(ev->model, ev->trained, ev->policy, T);
}

locant_status lct_eval_tick(struct lct_eval *ev, int64_t n)
{
    if (ev->tick && ev->tick(n, ev->context) != 0)
        return locant_fail(LOCANT_ERR_INTERRUPTED,
                           "locant_evaluate: the evaluation of run %" PRId64
                           " was stopped",
                           ev->run.id);
    return LOCANT_OK;
}

locant_status lct_eval_forward(struct lct_eval *ev, int64_t B, int64_t T)
{
    LCT_TRY(lct_eval_extend(ev, T));
    if (ev->memory > 0)
        LCT_TRY(forward_segments(ev, B, T));
    else
        LCT_TRY(lct_model_forward(ev->model, ev->tokens, ev->targets, B, T,
                                  ev->loss, NULL));
    return lct_eval_tick(ev, B * T);
}

double lct_eval_sum(const real *x, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

double lct_eval_bytes(const struct lct_eval *ev, int64_t first, int64_t n)
{
    double sum = 0;

    for (int64_t i = first; i < first + n; i++)
        sum += ev->target_bytes[i];
    return sum / (double)n;
}

/* Bytes of a target of P1 and P4. */
static double scored_bytes(const struct lct_eval *ev)
{
    return lct_eval_bytes(ev, LONGEST - TARGETS, TARGETS);
}

double lct_eval_target_mean(const struct lct_eval *ev, const real *loss,
                            int64_t T)
{
    return lct_eval_sum(loss + T - TARGETS, TARGETS) / TARGETS /
           scored_bytes(ev);
}

/* --------------------------------------------------------------- protocols */

static void use_same_targets(struct lct_eval *ev,
                             const struct lct_eval_batch *x, const real *loss)
{
    const int k = *(const int *)x->context;

    for (int64_t i = 0; i < x->B; i++) {
        const int64_t b = x->first + i;
        const real *row = loss + i * x->T;

        ev->block_loss[k * ev->blocks + b] =
            lct_eval_target_mean(ev, row, x->T);
        if (x->T == SHORTEST)
            memcpy(ev->shortest + b * x->T, row, (size_t)x->T * sizeof *row);
    }
}

/* Evaluate as many windows at once as have the tokens of the longest. */
locant_status lct_eval_same_targets(struct lct_eval *ev, int k)
{
    int64_t T = ev->result.length[k], group = LONGEST / T;
    struct lct_eval_batch x = { use_same_targets, .T = T, .context = &k };

    for (int64_t b = 0; b < ev->blocks; b += group) {
        x.first = b;
        x.B = lct_eval_min(group, ev->blocks - b);
        for (int64_t i = 0; i < x.B; i++)
            lct_eval_copy_window(ev, i, T, ev->test, ev->ends[b + i]);
        LCT_TRY(lct_eval_batch(ev, &x));
    }
    return lct_eval_settle(ev);
}

static int64_t index_of(const struct lct_eval *ev, int64_t length)
{
    int64_t k = 0;

    while (k < LOCANT_EVAL_LENGTHS - 1 && ev->result.length[k] != length)
        k++;
    return k;
}

/* Add the losses of a block at each position to 'context'. */
static void use_by_position(struct lct_eval *ev, const struct lct_eval_batch *x,
                            const real *loss)
{
    const int64_t T = x->T, b = x->first, last = index_of(ev, LONGEST);
    double *sum = x->context;

    for (int64_t i = 0; i < T; i++)
        sum[i] += loss[i];
    memcpy(ev->head + b * SHORTEST, loss, SHORTEST * sizeof *loss);
    if (T == LONGEST) {
        ev->block_loss[last * ev->blocks + b] =
            lct_eval_target_mean(ev, loss, T);
        ev->mean_loss[last * ev->blocks + b] =
            lct_eval_sum(loss, T) / (double)T / lct_eval_bytes(ev, 0, LONGEST);
    }
}

locant_status lct_eval_by_position(struct lct_eval *ev)
{
    double sum[LONGEST] = { 0 }, begun = lct_clock();
    const int64_t T = ev->span;
    struct lct_eval_batch x = { use_by_position, 1, T, .context = sum };

    for (int64_t b = 0; b < ev->blocks; b++) {
        size_t first = ev->ends[b] - LONGEST;

        x.first = b;
        lct_eval_copy_window(ev, 0, T, ev->test, first + (size_t)T);
        LCT_TRY(lct_eval_batch(ev, &x));
    }
    LCT_TRY(lct_eval_settle(ev));
    if (T == LONGEST)
        ev->result.tokens_per_second =
            (double)(ev->blocks * T) / (lct_clock() - begun);
    for (int64_t i = 0; i < T / BUCKET; i++) {
        double total = 0;

        for (int j = 0; j < BUCKET; j++)
            total += sum[i * BUCKET + j];
        ev->result.by_position[i] = total / (double)(BUCKET * ev->blocks) /
                                    lct_eval_bytes(ev, i * BUCKET, BUCKET);
    }
    return LOCANT_OK;
}

static void use_non_overlapping(struct lct_eval *ev,
                                const struct lct_eval_batch *x,
                                const real *loss)
{
    const int k = *(const int *)x->context;
    const int64_t n = x->B * x->T;

    ev->mean_loss[k * ev->blocks + x->first] =
        lct_eval_sum(loss, n) / (double)n / lct_eval_bytes(ev, 0, LONGEST);
}

/* Evaluate one block at a time. Its windows together have as many tokens as the
   longest window. */
locant_status lct_eval_non_overlapping(struct lct_eval *ev, int k)
{
    const int64_t T = ev->result.length[k], B = LONGEST / T;
    struct lct_eval_batch x = { use_non_overlapping, B, T, .context = &k };

    for (int64_t b = 0; b < ev->blocks; b++) {
        x.first = b;
        for (int64_t i = 0; i < B; i++)
            lct_eval_copy_window(ev, i, T, ev->test,
                                 ev->ends[b] - (size_t)((B - 1 - i) * T));
        LCT_TRY(lct_eval_batch(ev, &x));
    }
    return lct_eval_settle(ev);
}

enum { EACH = TARGETS / STRIDE }; /* windows of a block in P4 */

/* Add the losses of all targets to 'context'. */
static void use_own_window(struct lct_eval *ev, const struct lct_eval_batch *x,
                           const real *loss)
{
    const double bytes = scored_bytes(ev);
    double *sum = x->context;

    for (int64_t i = 0; i < x->B; i++) {
        double own = lct_eval_sum(loss + (i + 1) * x->T - STRIDE, STRIDE);

        *sum += own;
        ev->own_loss[(x->first + i) / EACH] += own / TARGETS / bytes;
    }
}

locant_status lct_eval_own_window(double *mean, struct lct_eval *ev, int64_t T)
{
    int64_t group = LONGEST / T, n = ev->blocks * EACH;
    double sum = 0;
    struct lct_eval_batch x = { use_own_window, .T = T, .context = &sum };

    for (int64_t b = 0; b < ev->blocks; b++)
        ev->own_loss[b] = 0;
    for (int64_t w = 0; w < n; w += group) {
        x.first = w;
        x.B = lct_eval_min(group, n - w);
        for (int64_t i = 0; i < x.B; i++) {
            size_t end = ev->ends[(w + i) / EACH];
            size_t before = (EACH - 1 - (size_t)((w + i) % EACH)) * STRIDE;

            lct_eval_copy_window(ev, i, T, ev->test, end - before);
        }
        LCT_TRY(lct_eval_batch(ev, &x));
    }
    LCT_TRY(lct_eval_settle(ev));
    *mean = sum / (double)(ev->blocks * TARGETS) / scored_bytes(ev);
    return LOCANT_OK;
}
