/*
 * task_copy.c - tasks that repeat earlier symbols: T1 to T6 and T10.
 *
 * Sources: T1 and T2 are the copying memory task and induction in their
 * simplest forms; T3 to T6 after Huang et al. 2025 (ICLR, "A formal framework
 * for understanding length generalization"); T10 after Gu and Dao 2023,
 * arXiv:2312.00752, section 4.1.1.
 */
#include "tasks.h"
#include <string.h>

enum { DELAYS = 7, UNIQUE = LCT_DISTINCT };

/* [BOS] [D_k] x x x ..: D_k tells the distance k = 1, 2, 4, ..; the answer at
   x[t] is x[t - k]. Vocabulary: 16 symbols, 7 D_k, BOS. */
void lct_make_delay(struct lct_row *r)
{
    const int32_t which = lct_row_draw(r, DELAYS);
    const int64_t k = INT64_C(1) << which;

    lct_row_append(r, 16 + DELAYS);
    lct_row_append(r, 16 + which);
    for (int64_t t = 0; r->at < r->size; t++) {
        lct_row_append(r, lct_row_draw(r, 16));
        if (t >= k)
            lct_row_set_target(r, r->tokens[r->at - 1 - k], k);
    }
}

/* [BOS] s s: answers are the second s from its third symbol on. */
void lct_make_repeat(struct lct_row *r)
{
    const int64_t m = r->length / 2;

    lct_row_append(r, (int32_t)r->param);
    for (int64_t i = 0; i < m; i++)
        lct_row_append(r, lct_row_draw(r, r->param));
    for (int64_t i = 0; i < m; i++) {
        if (i < 2)
            lct_row_append(r, r->tokens[1 + i]);
        else
            lct_row_append_answer(r, r->tokens[1 + i], lct_octave(i - 1));
    }
}

/* --------------------------------------------------------- [BOS] s [SEP] .. */

/* Append [BOS] s [SEP] with symbols drawn independently. */
static void append_random(struct lct_row *r, int64_t symbols)
{
    lct_row_append(r, (int32_t)symbols);
    for (int64_t i = 0; i < r->length; i++)
        lct_row_append(r, lct_row_draw(r, symbols));
    lct_row_append(r, (int32_t)symbols + 1);
}

/* Append [BOS] s [SEP] with symbols drawn without replacement. */
static void append_unique(struct lct_row *r)
{
    int32_t symbols[UNIQUE];

    lct_row_draw_distinct(r, symbols, r->length, UNIQUE);
    lct_row_append(r, UNIQUE);
    for (int64_t i = 0; i < r->length; i++)
        lct_row_append(r, symbols[i]);
    lct_row_append(r, UNIQUE + 1);
}

static void answer_same(struct lct_row *r)
{
    for (int64_t i = 0; i < r->length; i++)
        lct_row_append_answer(r, r->tokens[1 + i], lct_octave(i + 1));
}

void lct_make_copy_unique(struct lct_row *r)
{
    append_unique(r);
    answer_same(r);
}

void lct_make_copy(struct lct_row *r)
{
    append_random(r, r->param);
    answer_same(r);
}

void lct_make_reverse(struct lct_row *r)
{
    append_random(r, r->param);
    for (int64_t i = r->length; i >= 1; i--)
        lct_row_append_answer(r, r->tokens[i], lct_octave(r->length - i + 1));
}

void lct_make_sort(struct lct_row *r)
{
    bool drawn[UNIQUE] = { false };
    int64_t n = 0;

    append_unique(r);
    for (int64_t i = 0; i < r->length; i++)
        drawn[r->tokens[1 + i]] = true;
    for (int32_t symbol = 0; symbol < UNIQUE; symbol++)
        if (drawn[symbol])
            lct_row_append_answer(r, symbol, lct_octave(++n));
}

/* [BOS] 16 symbols in noise [SEP] the symbols. Vocabulary: 16 symbols, noise,
   BOS, SEP. */
void lct_make_selective(struct lct_row *r)
{
    int32_t symbols[LCT_SELECTED];
    int64_t n = 0;

    lct_row_append(r, 17);
    for (int64_t i = 0; i < r->length; i++) {
        /* so every choice of places is equally likely */
        if (lct_row_draw(r, r->length - i) < LCT_SELECTED - n) {
            symbols[n] = lct_row_draw(r, 16);
            lct_row_append(r, symbols[n++]);
        } else {
            lct_row_append(r, 16);
        }
    }
    lct_row_append(r, 18);
    for (n = 0; n < LCT_SELECTED; n++)
        lct_row_append_answer(r, symbols[n], lct_octave(n + 1));
}
