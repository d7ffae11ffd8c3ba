/*
 * task_state.c - tasks that keep a state: T7, T8, T9, T13 and T16.
 *
 * Sources: T7, T8 after Huang et al. 2025 (ICLR, "A formal framework for
 * understanding length generalization"); T9 Liu et al. 2023, arXiv:2306.00946;
 * T16 after Zhou et al. 2024, arXiv:2402.09371.
 */
#include "tasks.h"

/* Append [BOS] bits [SEP]; returns the number of ones. BOS is 'bos', SEP the
   token after it. */
static int64_t append_bits(struct lct_row *r, int32_t bos)
{
    int64_t ones = 0;

    lct_row_append(r, bos);
    for (int64_t i = 0; i < r->length; i++) {
        const int32_t bit = lct_row_draw(r, 2);

        ones += bit;
        lct_row_append(r, bit);
    }
    lct_row_append(r, bos + 1);
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
 * [BOS] (instruction, bit) ..: the bit after READ is the bit written last, an
 * answer. The first instruction is WRITE, the last READ; the others are IGNORE
 * with probability value / 100, else WRITE or READ with equal probability.
 */
void lct_make_flip_flop(struct lct_row *r)
{
    enum { WRITE = 2, READ, IGNORE, BOS };
    const int64_t pairs = r->size / 2;
    int64_t written_at = 0; /* pair of the last WRITE */
    int32_t written = 0;

    lct_row_append(r, BOS);
    for (int64_t i = 0; i < pairs; i++) {
        int32_t instruction = lct_row_draw(r, 100) < r->value
                                  ? IGNORE
                                  : WRITE + lct_row_draw(r, 2);
        const int32_t bit = lct_row_draw(r, 2);

        if (i == 0 || i == pairs - 1)
            instruction = i == 0 ? WRITE : READ;
        lct_row_append(r, instruction);
        if (instruction == READ) {
            lct_row_append_answer(r, written, lct_octave(i - written_at));
            continue;
        }
        if (instruction == WRITE) {
            written = bit;
            written_at = i;
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

/* Vocabulary: 10 digits, 40 indices, plus, equals, BOS. */
enum { INDICES = 40, INDEX = 10, PLUS = INDEX + INDICES, EQUALS, ADD_BOS };

/*
 * [BOS] a_s d a_(s-1) d .. + .. = ..: digits d from the units on, each after
 * its index a. Indices count down from a random one. The sum has one digit more
 * than its terms; its indices and digits are answers.
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
