/*
 * fixed.c - seed 002: goals, order blindness, and the sinusoid.
 */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../layers.h"

void s2_goals(struct seed *s)
{
    static const struct layer_entry goals[] = {
        { "why a Transformer needs positions", "S2.2" },
        { "the sinusoid and its formula", "S2.4" },
        { "learned positions", "S2.7" },
        { "fixed against learned", "S2.9" },
        { "sequences longer than trained", "S2.11" },
    };

    seed_say(s, "Five goals, and the row that shows each:");
    layer_index(s, "goal", goals, 5);
}

/* -------------------------------------------------------------------- S2.2 */

enum { TOKENS = 3, NARROW = 8 };

void s2_blindness(struct seed *s)
{
    static const int64_t order[] = { 1, 0, 2 }; /* its own inverse */
    locant_random r = seed_random(s, 1);
    struct seed_mha m = seed_mha_new(s, &r, NARROW, 1, 0);
    locant_tensor x = SEED_F64(s, 1, TOKENS, NARROW), y = x, ox = x, oy = x;
    locant_tensor wx, wy; /* weights [1, 1, 3, 3] */
    double moved[TOKENS * TOKENS], out[TOKENS * NARROW], *w;

    y.data = seed_reals(s, TOKENS * NARROW);
    ox.data = seed_reals(s, TOKENS * NARROW);
    oy.data = seed_reals(s, TOKENS * NARROW);
    seed_fill_normal(x.data, TOKENS * NARROW, 2, &r);
    layer_reorder(y.data, x.data, order, TOKENS, NARROW);
    seed_mha(s, &ox, &wx, &m, &x);
    seed_mha(s, &oy, &wy, &m, &y);
    w = wx.data;
    for (int i = 0; i < TOKENS; i++)
        for (int j = 0; j < TOKENS; j++)
            moved[i * TOKENS + j] = w[order[i] * TOKENS + order[j]];
    layer_reorder(out, ox.data, order, TOKENS, NARROW);
    seed_say(s, "Three random tokens A, B, C of width 8, one head, no "
             "positions.  Who attends to whom, in the order given:");
    seed_matrix(s, "weights of [A, B, C]", "%.4f", w, TOKENS, TOKENS);
    seed_matrix(s, "weights of [B, A, C]", "%.4f", wy.data, TOKENS, TOKENS);
    seed_say(s, "So 我爱你 and 你爱我 give the same three vectors, in another "
             "order: whatever reads them as a set cannot tell the sentences "
             "apart.");
    seed_wrong(s, "E-2.1", "largest change of the weight matrix", 0,
               seed_max_difference(w, wy.data, 9), "The weights are permuted "
               "with the tokens, P A P^T, not unchanged: equivariant, not "
               "invariant.");
    /* sums of at most 8 terms in another order */
    seed_check(s, "weights less P A P^T",
               seed_max_difference(wy.data, moved, 9), 0, LAYER_DOUBLE);
    seed_check(s, "outputs less P out",
               seed_max_difference(oy.data, out, TOKENS * NARROW), 0,
               LAYER_DOUBLE);
    seed_claim(s, "the weight matrix changes",
               seed_max_difference(w, wy.data, 9) > 1e-3);
}

void s2_uses_of_order(struct seed *s)
{
    seed_say(s, "Order carries: (1) syntax, since who does what to whom "
             "follows from it; (2) meaning, since the same words say different "
             "things; (3) context, since words refer back; (4) time, since a "
             "series read backwards is another series.");
    seed_say(s, "How many orders a sentence of n different words has, which "
             "attention without positions cannot tell apart:");
    seed_columns(s, "orders", "words|orders");
    double orders = 1;
    for (int n = 1; n <= 10; n++) {
        orders *= n;
        if (n == 3 || n == 5 || n == 10)
            seed_cells(s, "%d|%.0f", n, orders);
    }
    seed_table_end(s);
    seed_check(s, "orders of ten words", orders, 3628800, 0);
}

/* -------------------------------------------------------------------- S2.4 */

enum { LONG = 1024, WIDE = 512 };

/* The least distance between two rows of the table [LONG, WIDE]. */
static double nearest_pair(const double *P)
{
    double least = INFINITY;

    /* <P_a, P_b> depends on a - b: one row against all is enough */
    for (int64_t b = 1; b < LONG; b++) {
        double sum = 0;

        for (int64_t c = 0; c < WIDE; c++)
            sum += pow(P[c] - P[b * WIDE + c], 2);
        least = fmin(least, sqrt(sum));
    }
    return least;
}

/* Turn each pair of P[a] by k steps; the largest difference from P[a + k]. */
static double shift_error(const double *P, int64_t a, int64_t k)
{
    double worst = 0;

    for (int64_t c = 0; c < WIDE / 2; c++) {
        const double *x = P + a * WIDE + 2 * c, *y = x + k * WIDE;
        double turn = (double)k * pow(10000, -2. * (double)c / WIDE);

        worst = fmax(worst, fabs(cos(turn) * x[0] + sin(turn) * x[1] - y[0]));
        worst = fmax(worst, fabs(cos(turn) * x[1] - sin(turn) * x[0] - y[1]));
    }
    return worst;
}

void s2_formula(struct seed *s)
{
    const locant_encoding *e = seed_encoding(s, "sinusoidal");
    locant_tensor table = seed_table_rows(s, e, 0, LONG, WIDE, NULL);
    locant_tensor narrow = seed_table_rows(s, e, 0, 16, 64, NULL);
    locant_tensor far = seed_table_rows(s, e, 1000000, 1, WIDE, NULL);
    const double *P = table.data, *N = narrow.data;
    double near[16];

    for (int i = 0; i < 16; i++)
        near[i] = seed_cosine(N, N + i * 64, 64);
    seed_text(s, "formula", locant_encoding_info_of(e)->formula);
    seed_say(s, "Four reasons, tried on 1024 positions of width 512:");
    seed_real(s, "unique: least distance of two positions", nearest_pair(P));
    seed_real(s, "linear: |M_k P[p] - P[p+k]| for p = 100, k = 7",
              shift_error(P, 100, 7));
    seed_real(s, "defined everywhere: P[1000000] ends in",
              ((double *)far.data)[WIDE - 1]);
    seed_numbers(s, "smooth: cosine of 0 with 1, 2, 3, 4, 5, 6 (width 64)",
                 "%.4f", near + 1, 6);
    seed_wrong_text(s, "E-0.9", "positions beyond training",
                    "handled", "defined, but models get worse there",
                    "A formula gives a vector for any position; the layers "
                    "above have only seen the trained ones.");
    seed_say(s, "Nearness is not monotone in distance: position 6 is a little "
             "nearer to 0 than position 5 is.");
    /* encodings.md 15; a mean of 64 products of entries, each to 2^-24 */
    seed_check(s, "cosine of 0 and 5, width 64", near[5], 0.7344990878, 1e-6);
    seed_check(s, "cosine of 0 and 6, width 64", near[6], 0.7362311553, 1e-6);
    seed_check(s, "cosine of 0 and 15, width 64", near[15], 0.6084394693,
               1e-6);
    /* three numbers within 2^-25 of float32 */
    seed_check(s, "linear shift", shift_error(P, 100, 7), 0, 3 * 0x1p-25);
    seed_claim(s, "no two of 1024 positions are alike", nearest_pair(P) > 0.1);
}

/* -------------------------------------------------------------------- S2.5 */

/* The loop of generatePositionalEncoding(). */
static void generate(float *pe, int length, int dim)
{
    for (int pos = 0; pos < length; pos++)
        for (int i = 0; i < dim; i++) {
            double pair = i / 2, angle = pos / pow(10000, 2 * pair / dim);

            pe[pos * dim + i] = (float)(i % 2 == 0 ? sin(angle) : cos(angle));
        }
}

void s2_fixed(struct seed *s)
{
    enum { BATCH = 2, LENGTH = 100 };
    const locant_encoding *e = seed_encoding(s, "sinusoidal");
    float  *loop = seed_new(s, LONG * WIDE, sizeof *loop);
    locant_tensor P = SEED_F32(s, LONG, WIDE), pos = seed_positions(s, 0, LONG);
    locant_tensor input = SEED_F64(s, BATCH, LENGTH, WIDE), output = input;
    locant_random r = seed_random(s, 2);
    const float *pe = P.data;
    double worst = 0, *x = input.data, *y;

    output.data = y = seed_reals(s, BATCH * LENGTH * WIDE);
    generate(loop, LONG, WIDE);
    seed_try(s, locant_encoding_table(&P, e, &pos, NULL));
    for (int i = 0; i < LONG * WIDE; i++)
        worst = fmax(worst, fabs((double)loop[i] - pe[i]));
    seed_fill_normal(x, BATCH * LENGTH * WIDE, 1, &r);
    for (int i = 0; i < BATCH * LENGTH * WIDE; i++)
        y[i] = x[i] + pe[i % (LENGTH * WIDE)];
    seed_say(s, "generatePositionalEncoding() fills [maxLength, dModel], here "
             "1024 x 512; forward(x) adds its first rows to every sequence.");
    seed_shape(s, "table", &P);
    seed_shape(s, "input", &input);
    seed_shape(s, "output", &output);
    seed_integer(s, "learned numbers", seed_parameters(e, WIDE, 8));
    seed_real(s, "the seed's loop less locant's table", worst);
    /* both round a double to float: at most one unit in the last place apart */
    seed_check(s, "loop less library", worst, 0, LAYER_TABLE);
    seed_check(s, "output less input at [1, 1, 0]",
               y[(LENGTH + 1) * WIDE] - x[(LENGTH + 1) * WIDE], 0.8414709848,
               LAYER_TABLE);
}

/* -------------------------------------------------------------------- S2.6 */

void s2_waves(struct seed *s)
{
    enum { SHOWN = 100 };
    const locant_encoding *e = seed_encoding(s, "sinusoidal");
    locant_tensor table = seed_table_rows(s, e, 0, SHOWN, WIDE, NULL);
    const double *P = table.data;
    double x[SHOWN], y[SHOWN];

    seed_say(s, "One chart for each of the first four channels of width 512, "
             "positions 0 to 99.");
    seed_columns(s, "channels", "channel|curve|positions per turn|mean");
    for (int c = 0; c < 4; c++) {
        char title[32] = "Dimension 0";
        locant_series curve = { .n = SHOWN, .x = x, .y = y, .color = c };
        locant_figure figure = LOCANT_FIGURE_INIT;

        title[10] = (char)('0' + c);
        for (int p = 0; p < SHOWN; p++) {
            x[p] = p;
            y[p] = P[p * WIDE + c];
        }
        seed_cells(s, "%d|%s|%.4f|%.4f", c, c % 2 ? "cosine" : "sine",
                   layer_wavelength(10000, c / 2, WIDE), seed_mean(y, SHOWN));
        figure.title = title;
        figure.x_label = "position";
        figure.y_label = "value";
        figure.series = &curve;
        figure.n_series = 1;
        seed_figure(s, (char)('a' + c), &figure);
    }
    seed_table_end(s);
    seed_check(s, "channel 0 at 1", P[WIDE], 0.8414709848, LAYER_TABLE);
    seed_check(s, "channel 3 at 0", P[3], 1, 0);
}
