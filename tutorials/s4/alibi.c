/*
 * alibi.c - seed 004: ALiBi's slopes, its use, and how they spread.
 */
#include "rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../layers.h"

/* ----------------------------------------------------------------- S4.11 */

/* get_alibi_slopes() as the seed has it: i * base where base^i is meant. */
static void seed_slopes(double *slopes, int heads)
{
    int closest = 1;

    while (2 * closest <= heads)
        closest *= 2;
    double base = pow(2, -pow(2, -(log2(closest) - 3)));
    for (int i = 1; i <= heads; i++)
        slopes[i - 1] = i <= closest ? i * base
                                     : slopes[i - closest - 1] / 2;
}

/* The library's: what a key at distance 1 loses. */
static void true_slopes(struct seed *s, double *slopes, int heads)
{
    const double one = 1;

    layer_bias_at(s, slopes, seed_encoding(s, "alibi"), heads, &one, 1, NULL);
    for (int h = 0; h < heads; h++)
        slopes[h] = -slopes[h];
}

void s4_slopes(struct seed *s)
{
    static const double extra[] = { /* encodings.md 7.1, n = 12 */
        0.7071067812, 0.3535533906, 0.1767766953, 0.0883883476
    };
    double wrong[12], right[12], eight[8];

    true_slopes(s, eight, 8);
    seed_slopes(wrong, 8);
    seed_numbers(s, "8 heads, as the seed", "%.6g", wrong, 8);
    seed_numbers(s, "8 heads, right", "%.6g", eight, 8);
    seed_wrong(s, "E-4.1", "slope of head 8 of 8", wrong[7], eight[7],
               "i * base where base ** i is meant: slopes rise along a line in "
               "place of falling as powers of 1/2.");
    true_slopes(s, right, 12);
    seed_slopes(wrong, 12);
    seed_numbers(s, "12 heads, as the seed", "%.6g", wrong, 12);
    seed_numbers(s, "12 heads, right", "%.6g", right, 12);
    seed_wrong(s, "E-4.2", "slope of head 9 of 12", wrong[8], right[8],
               "The heads beyond a power of two take every other slope of the "
               "next one (16), not halves of the first.");
    for (int h = 0; h < 8; h++)
        seed_check(s, "slope is 2^-h", eight[h], ldexp(1, -h - 1), 0);
    seed_check(s, "the last four of 12",
               seed_max_difference(right + 8, extra, 4), 0, LAYER_KNOWN);
    seed_check(s, "the seed's head 8", wrong[7], 4, 0);
}

/* ----------------------------------------------------------------- S4.12 */

enum { BATCH = 2, HEADS = 8, LENGTH = 10, PAIRS = LENGTH * LENGTH,
       COUNT = BATCH * HEADS * PAIRS };

static void range(struct seed *s, const char *name, const double *x)
{
    char text[64];

    snprintf(text, sizeof text, "[%.2f, %.2f]", seed_min(x, COUNT),
             seed_max(x, COUNT));
    seed_text(s, name, text);
}

static void add_bias(double *out, const double *scores, const double *bias)
{
    for (int i = 0; i < COUNT; i++)
        out[i] = scores[i] + bias[i % (HEADS * PAIRS)];
}

void s4_alibi(struct seed *s)
{
    static const double known[] = { /* encodings.md 7.2, zeros, m = .5 */
        0.2350037122, 0.3874556190, 0.2350037122, 0.1425369566
    };
    const locant_encoding *e = seed_encoding(s, "alibi(symmetric=yes)");
    locant_tensor b = seed_bias(s, e, HEADS, LENGTH, LENGTH, NULL);
    locant_tensor zero = SEED_F64(s, 1, HEADS, 4, 4), w;
    locant_random r = seed_random(s, 1);
    locant_attention a = LOCANT_ATTENTION_INIT;
    double *x = seed_reals(s, COUNT), *y = seed_reals(s, COUNT), slopes[HEADS];
    double wrong[HEADS * PAIRS], *bias = b.data;

    seed_slopes(slopes, HEADS);
    for (int i = 0; i < HEADS * PAIRS; i++)
        wrong[i] = -slopes[i / PAIRS] *
                   abs(i / LENGTH % LENGTH - i % LENGTH);
    seed_fill_normal(x, COUNT, 1, &r);
    seed_say(s, "Scores [2, 8, 10, 10] of N(0, 1), less slope x |i - j|:");
    range(s, "scores", x);
    add_bias(y, x, wrong);
    range(s, "with the seed's slopes", y);
    add_bias(y, x, bias);
    range(s, "right", y);
    seed_matrix(s, "bias of head 1, first four tokens", "%.2f", (double[]){
                bias[0], bias[1], bias[2], bias[3], bias[10], bias[11],
                bias[12], bias[13], bias[20], bias[21], bias[22], bias[23],
                bias[30], bias[31], bias[32], bias[33] }, 4, 4);
    seed_wrong_text(s, "E-4.3", "a farther key's bias", "\"negative, larger\"",
                    "more negative: its size grows", "The seed's |i - j| is "
                    "the two-sided form for encoders; a decoder masks j > i, "
                    "where both forms agree.  Its block also uses math "
                    "without importing it.");
    a.q = a.k = a.v = &zero;
    a.encoding = e;
    w = seed_weights(s, &a);
    seed_numbers(s, "weights of token 1 of 4, equal scores, head 1", "%.6f",
                 (double *)w.data + 4, 4);
    seed_check(s, "those weights less the known ones", seed_max_difference(
               (double *)w.data + 4, known, 4), 0, LAYER_KNOWN);
    seed_check(s, "bias of head 1 at (0, 9)", bias[9], -4.5, 0);
    seed_check(s, "symmetric: (9, 0)", bias[90], bias[9], 0);
    seed_check(s, "head 8 at (0, 9)", bias[7 * PAIRS + 9], -9. / 256, 0);
}

/* ----------------------------------------------------------------- S4.17 */

void s4_homework_3(struct seed *s)
{
    static const int counts[] = { 8, 12, 16 };
    static const char *const labels[] = { "8 heads", "12 heads", "16 heads" };
    double x[16], y[3][16], slope[3][16];
    locant_series lines[3];
    locant_figure figure = LOCANT_FIGURE_INIT;

    seed_columns(s, "slopes", "heads|largest|smallest|ratio of neighbours|half "
                 "of a key's weight is lost after (first, last head)");
    for (int k = 0; k < 3; k++) {
        int n = counts[k];

        true_slopes(s, slope[k], n);
        for (int h = 0; h < n; h++) {
            x[h] = h + 1;
            y[k][h] = log2(slope[k][h]);
        }
        lines[k] = (locant_series){ .label = labels[k], .n = (size_t)n, .x = x,
                                    .y = y[k], .marks = 1, .color = k,
                                    .dashed = k == 1 }; /* over the first */
        seed_cells(s, "%d|%.6f|%.6f|%.4f|%.1f, %.1f", n,
                   seed_max(slope[k], n), seed_min(slope[k], n),
                   slope[k][1] / slope[k][0], log(2) / slope[k][0],
                   log(2) / slope[k][n - 1]);
    }
    seed_table_end(s);
    seed_say(s, "Slopes fall geometrically: the first heads look at "
             "neighbours, the last nearly everywhere.  The four beyond 8 of 12 "
             "begin the fall anew, between the others.");
    for (int i = 0; i < 16; i++)
        x[i] = i + 1;
    figure.title = "ALiBi slopes";
    figure.x_label = "head";
    figure.y_label = "log2 of the slope";
    figure.series = lines;
    figure.n_series = 3;
    seed_figure(s, 0, &figure);
    seed_check(s, "ratio, 8 heads", slope[0][1] / slope[0][0], 0.5, 0);
    seed_check(s, "ratio, 16 heads", slope[2][1] / slope[2][0], sqrt(.5),
               4 * 0x1p-53); /* two powers, a quotient, a root */
    seed_check(s, "smallest, 16 heads", slope[2][15], 1. / 256, 0);
    seed_check(s, "head 9 of 12", slope[1][8], 0.7071067812, LAYER_KNOWN);
}
