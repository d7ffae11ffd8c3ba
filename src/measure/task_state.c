/*
 * task_state.c - tasks that keep a state: T7, T8, T9, T13 and T16.
 *
 * Sources: T7, T8 after Huang et al. 2025 (ICLR, "A formal framework for
 * understanding length generalization"); T9 Liu et al. 2023, arXiv:2306.00946;
 * T16 after Zhou et al. 2024, arXiv:2402.09371.
 */
#include "tasks.h"

/* [BOS] bits [SEP]; returns how many are 1. Tokens below 'first' are left for
   other uses. */
static int64_t append_bits(struct lct_row *r, int32_t first)
{
    int64_t ones = 0;

    lct_row_append(r, first);
    for (int64_t i = 0; i < r->length; i++) {
        const int32_t bit = lct_row_draw(r, 2);

        ones += bit;
        lct_row_append(r, bit);
    }
    lct_row_append(r, first + 1);
    return ones;
}

/* Are there more ones than zeros? */
void lct_make_majority(struct lct_row *r)
{
    const int64_t ones = append_bits(r, 2);

    lct_row_append_answer(r, 2 * ones > r->length, -1);
}

/* Count the ones modulo 'param'. */
void lct_make_count(struct lct_row *r)
{
    const int64_t ones = append_bits(r, (int32_t)r->param);

    lct_row_append_answer(r, (int32_t)(ones % r->param), -1);
}

/*
 * [BOS] (instruction, bit) ..: the bit after 'r' is the bit written last. The
 * first instruction writes, the last reads. Others are "ignore" with
 * probability value / 100, else "write" or "read" with equal probability.
 */
void lct_make_flip_flop(struct lct_row *r)
{
    enum { WRITE = 2, READ, IGNORE, BOS };
    const int64_t pairs = r->size / 2;
    int64_t written = 0;
    int32_t kept = 0;

    lct_row_append(r, BOS);
    for (int64_t i = 0; i < pairs; i++) {
        int32_t what = lct_row_draw(r, 100) < r->value
                           ? IGNORE
                           : WRITE + lct_row_draw(r, 2);
        const int32_t bit = lct_row_draw(r, 2);

        if (i == 0 || i == pairs - 1)
            what = i == 0 ? WRITE : READ;
        lct_row_append(r, what);
        if (what == READ) {
            lct_row_append_answer(r, kept, lct_octave(i - written));
            continue;
        }
        if (what == WRITE) {
            kept = bit;
            written = i;
        }
        lct_row_append(r, bit);
    }
}

/* [BOS] x x x ..: at position t say t modulo 'param'. */
void lct_make_modular(struct lct_row *r)
{
    const int32_t m = (int32_t)r->param;

    lct_row_append(r, m + 1);
    while (r->at < r->size) {
        lct_row_append(r, m);
        lct_row_set_target(r, (int32_t)((r->at - 1) % m),
                           (r->at - 1) / 16 * 16);
    }
}

/* ---------------------------------------------------------------- addition */

/* Words: 10 digits, 40 indices, plus, equals, BOS. */
enum { INDICES = 40, INDEX = 10, PLUS = INDEX + INDICES, EQUALS, ADD_BOS };

/*
 * [BOS] a_s d a_(s-1) d .. + .. = ..: digits from the units on, each after its
 * index. Indices count down from a random one. The sum has one digit more than
 * its terms, and its indices are answers too.
 */
void lct_make_addition(struct lct_row *r)
{
    const int64_t n = r->length;
    const int32_t spare = (int32_t)(INDICES - (n + 1));
    const int32_t s = INDEX + INDICES - 1 - lct_row_draw(r, spare + 1);
    int32_t sum[INDICES] = { 0 }, carry = 0;

    lct_row_append(r, ADD_BOS);
    for (int term = 0; term < 2; term++) {
        for (int32_t i = 0; i < n; i++) {
            const int32_t digit = lct_row_draw(r, 10);

            lct_row_append(r, s - i);
            lct_row_append(r, digit);
            sum[i] += digit;
        }
        lct_row_append(r, term == 0 ? PLUS : EQUALS);
    }
    for (int32_t i = 0; i <= n; i++) {
        lct_row_append_answer(r, s - i, lct_octave(i + 1));
        lct_row_append_answer(r, (sum[i] + carry) % 10, lct_octave(i + 1));
        carry = (sum[i] + carry) / 10;
    }
}
