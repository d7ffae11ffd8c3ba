/*
 * evaluate_context.c - what the context of a target but its last 8 bytes is
 * worth: the rise of the loss when it is changed.  With a vocabulary the fewest
 * last tokens stay that span at least 8 bytes.
 *
 *   shuffled   its tokens in another order
 *   replaced   the tokens at the same places of a window of another file
 *   truncated  left out: a window of the last 8 bytes alone
 *
 * Shuffled text still tells what the file is about.  Replaced text tells
 * nothing, but has the length and the local order that the model was trained
 * on, which a truncated window has not.
 *
 * Each window of P1 at 128 is evaluated for 8 of its targets.  A result is P1
 * plus the mean rise of the loss of these targets, to be compared with P1.
 */
#include "../corpus/tokens.h"
#include "eval.h"
#include <math.h>

/* Window w: target number w % 8 of block w / 8. 'at' is its place in a window
   of P1, 'end' is one past it in the test split. */
struct changed_window {
    int64_t block, at;
    size_t end;
};

static struct changed_window window_of(const struct lct_eval *ev, int64_t w)
{
    const int64_t before =
        w % CHANGED_TARGETS * (TARGETS / CHANGED_TARGETS); /* the last */
    const int64_t block = w / CHANGED_TARGETS;

    return (struct changed_window){ block, SHORTEST - 1 - before,
                                    ev->ends[block] - (size_t)before };
}

/* The fewest tokens before a target, which is token 'end' - 1, that span at
   least 8 bytes. */
static int64_t kept(const struct lct_split *text, size_t end)
{
    size_t n = 1;

    while (lct_tokens_bytes(text, end - 1 - n, n) < LCT_KEPT_BYTES)
        n++;
    return (int64_t)n;
}

/* Shuffle n tokens (Fisher and Yates). */
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

/* ------------------------------------------------------------ another file */

/*
 * The window that replaces the text of a block: that of a block of another
 * file, the first one found half of the blocks further on, so that the blocks
 * of a file get several. If the test split has blocks of one file only, a
 * window of the training split. *end is one past its last target.
 */
static const struct lct_split *
other_text(size_t *end, const struct lct_eval *ev, int64_t block)
{
    const int64_t n = ev->blocks;
    const size_t own = lct_tokens_file(ev->test, ev->ends[block] - 1);
    size_t room;

    for (int64_t i = 0; i < n; i++) {
        *end = ev->ends[(block + n / 2 + i) % n];
        if (lct_tokens_file(ev->test, *end - 1) != own)
            return ev->test;
    }
    if (ev->train->size <= SHORTEST)
        return NULL;
    room = ev->train->size - SHORTEST - 1;
    *end = SHORTEST + 1 + room * (size_t)block / (size_t)n;
    return ev->train;
}

/* ----------------------------------------------------------------- windows */

/* Copy the changed window w of T tokens to row b of the batch; false if there
   is no other text. */
static bool change(struct lct_eval *ev, int64_t b, int64_t T, int64_t w,
                   enum lct_change_of_context how)
{
    const struct changed_window x = window_of(ev, w);
    int32_t *tokens = ev->tokens + b * T;
    const int64_t n = x.at + 1 - kept(ev->test, x.end);
    const struct lct_split *other;
    size_t end;

    lct_eval_copy_window(ev, b, T, ev->test,
                         how == LCT_CONTEXT_TRUNCATED ? x.end
                                                      : ev->ends[x.block]);
    if (how == LCT_CONTEXT_SHUFFLED)
        shuffle(tokens, n, (uint64_t)w);
    if (how != LCT_CONTEXT_REPLACED)
        return true;
    other = other_text(&end, ev, x.block);
    for (int64_t i = 0; i < n && other; i++)
        tokens[i] = lct_split_id(other, end - (size_t)T - 1 + (size_t)i);
    return other != NULL;
}

/* Add the rises of the losses of the changed windows' targets to 'context'. */
static void use_rises(struct lct_eval *ev, const struct lct_eval_batch *batch,
                      const real *loss)
{
    const int64_t T = batch->T;
    double *rise = batch->context;

    for (int64_t i = 0; i < batch->B; i++) {
        const struct changed_window x = window_of(ev, batch->window[i]);
        const int64_t at = T < SHORTEST ? T - 1 : x.at;

        rise[x.block] +=
            (double)loss[i * T + at] - ev->shortest[x.block * SHORTEST + x.at];
    }
}

/* Add the rises of all targets. Those of a truncated context have windows of
   the tokens kept: this adds the rises of the targets that keep T. */
static locant_status measure(double *rise, struct lct_eval *ev, int64_t T,
                             enum lct_change_of_context how)
{
    const int64_t most = LONGEST / SHORTEST;
    const int64_t n = ev->blocks * CHANGED_TARGETS;
    struct lct_eval_batch x = { use_rises, .T = T, .context = rise };

    for (int64_t w = 0; w < n; w++) {
        if (how == LCT_CONTEXT_TRUNCATED &&
            kept(ev->test, window_of(ev, w).end) != T)
            continue;
        if (!change(ev, x.B, T, w, how)) {
            rise[w / CHANGED_TARGETS] = NAN;
            continue;
        }
        x.window[x.B++] = w;
        if (x.B < most)
            continue;
        LCT_TRY(lct_eval_batch(ev, &x));
        x.B = 0;
    }
    if (x.B > 0)
        LCT_TRY(lct_eval_batch(ev, &x));
    return lct_eval_settle(ev);
}

/* P1 plus the rise of each block, per byte; *mean is that of all. */
static void set_losses(double *mean, double *loss, const struct lct_eval *ev)
{
    double bytes = 0; /* of the targets */

    for (int64_t w = 0; w < CHANGED_TARGETS; w++)
        bytes +=
            lct_eval_bytes(ev, LONGEST - SHORTEST + window_of(ev, w).at, 1);
    *mean = 0;
    for (int64_t b = 0; b < ev->blocks; b++) {
        loss[b] = ev->block_loss[b] + loss[b] / bytes;
        *mean += loss[b] / (double)ev->blocks;
    }
}

locant_status lct_eval_change_context(struct lct_eval *ev)
{
    double *const means[LCT_CHANGED] = { &ev->result.shuffled,
                                         &ev->result.replaced,
                                         &ev->result.truncated };

    for (int how = 0; how < LCT_CHANGED; how++) {
        const bool short_ones = how == LCT_CONTEXT_TRUNCATED;
        double *loss = ev->changed + how * ev->blocks;

        for (int64_t b = 0; b < ev->blocks; b++)
            loss[b] = 0;
        for (int64_t T = short_ones ? 1 : SHORTEST;
             T <= (short_ones ? LCT_KEPT_BYTES : SHORTEST); T++)
            LCT_TRY(measure(loss, ev, T, (enum lct_change_of_context)how));
        set_losses(means[how], loss, ev);
    }
    return LOCANT_OK;
}
