/*
 * task_recall.c - tasks that look something up: T11 and T12.
 *
 * Sources: T11 Arora et al. 2023, arXiv:2312.04927 (multi-query associative
 * recall); T12 after Mohtashami and Jaggi 2023, arXiv:2305.16300 (passkey).
 */
#include "../train/train.h"
#include "tasks.h"
#include <math.h>
#include <string.h>

enum { PAIRS_MAX = 16, KEYS = 127, VALUES = 128, SLOTS_MAX = 1 << 12 };

/*
 * x^(1/100) from square roots and products, which IEEE 754 rounds alike on
 * every machine: the binary digits of .01 choose among x^(1/2), x^(1/4), ..
 */
static double hundredth_root(double x)
{
    double left = .01, step = .5, result = 1, root = x;

    for (int i = 0; i < 30; i++, step /= 2) {
        root = sqrt(root);
        if (left >= step) {
            left -= step;
            result *= root;
        }
    }
    return result;
}

/* Weight of the gap g: g^(a - 1), where a = param / 100 is .01 or 1. */
static uint64_t gap_weight(const struct lct_row *r, int64_t g)
{
    const double one = 1 << 20, x = (double)g;

    return r->param == 100 ? 1 : (uint64_t)(one * hundredth_root(x) / x);
}

/*
 * Choose for each pair the slot that asks for it, each its own, by the weights:
 * asked[slot] = pair + 1; the others stay 0.
 */
static void choose_slots(struct lct_row *r, uint8_t *asked, int64_t slots)
{
    uint64_t weight[SLOTS_MAX], total = 0;

    for (int64_t g = 0; g < slots; g++)
        total += weight[g] = gap_weight(r, g + 1);
    for (int64_t i = 0; i < r->value; i++) {
        uint64_t at = locant_random_below(&r->random, total);
        int64_t g = 0;

        while (at >= weight[g])
            at -= weight[g++];
        asked[g] = (uint8_t)(i + 1);
        total -= weight[g];
        weight[g] = 0;
    }
}

/* Draw any token but BOS and the keys of this row. */
static int32_t draw_filler(struct lct_row *r, const int32_t *keys)
{
    for (;;) {
        const int32_t token = 1 + lct_row_draw(r, KEYS + VALUES);
        bool is_key = false;

        for (int64_t i = 0; i < r->value; i++)
            is_key = is_key || keys[i] == token;
        if (!is_key)
            return token;
    }
}

/* [BOS] key value key value .., then each key once more among fillers, in slots
   of two tokens. */
void lct_make_recall(struct lct_row *r)
{
    const int64_t slots = (r->size - 1 - 2 * r->value) / 2;
    int32_t keys[PAIRS_MAX], values[PAIRS_MAX];
    uint8_t asked[SLOTS_MAX] = { 0 };

    lct_row_draw_distinct(r, keys, r->value, KEYS);
    lct_row_draw_distinct(r, values, r->value, VALUES);
    for (int64_t i = 0; i < r->value; i++) {
        keys[i] += 1; /* BOS is 0 */
        values[i] += 1 + KEYS;
    }
    choose_slots(r, asked, slots);
    lct_row_append(r, 0);
    for (int64_t i = 0; i < r->value; i++) {
        lct_row_append(r, keys[i]);
        lct_row_append(r, values[i]);
    }
    for (int64_t g = 0; g < slots; g++) {
        const int64_t pair = asked[g] - 1;

        if (pair >= 0) {
            lct_row_append(r, keys[pair]);
            lct_row_append_answer(r, values[pair],
                                  lct_octave(r->at - 1 - (1 + 2 * pair)));
        } else {
            lct_row_append(r, draw_filler(r, keys));
            lct_row_append(r, draw_filler(r, keys));
        }
    }
    if (r->at < r->size)
        lct_row_append(r, draw_filler(r, keys));
}

/* ------------------------------------------------------------------ needle */

static void append_text(struct lct_row *r, const char *text)
{
    for (; *text != '\0'; text++)
        lct_row_append(r, (uint8_t)*text);
}

static void append_filler(struct lct_row *r, int64_t from, int64_t to)
{
    static const char sentence[] = "The sea is calm and the boats lie still ";

    for (int64_t i = from; i < to; i++)
        lct_row_append(r, sentence[i % (int64_t)(sizeof sentence - 1)]);
}

/*
 * Zero byte, filler with "#KEY=dddd#" somewhere in it, "KEY=" and the digits.
 * In a test set the needle is after 0, 1/10, .. 1 of the filler, one depth per
 * row; in training anywhere.
 */
void lct_make_needle(struct lct_row *r)
{
    const int64_t fill = r->size - 18; /* the last digit is only a target */
    int64_t tenth = r->index % 11, at = (fill * tenth + 5) / 10;
    char needle[] = "#KEY=0000#";

    if (r->index < 0) {
        at = lct_row_draw(r, fill + 1);
        tenth = at * 10 / (fill > 0 ? fill : 1);
    }
    for (int i = 5; i < 9; i++)
        needle[i] = (char)('0' + lct_row_draw(r, 10));
    lct_row_append(r, 0);
    append_filler(r, 0, at);
    append_text(r, needle);
    append_filler(r, at, fill);
    append_text(r, "KEY=");
    for (int i = 5; i < 9; i++)
        lct_row_append_answer(r, needle[i], 10 * tenth);
}
