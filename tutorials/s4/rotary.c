/*
 * rotary.c - seed 004: the learnable table, and RoPE.
 */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../layers.h"

/* ------------------------------------------------------------------ S4.8 */

void s4_learned(struct seed *s)
{
    enum { ROWS = 512, W = 768, BATCH = 2, LENGTH = 100 };
    const locant_encoding *e = seed_encoding(s, "learned(length=512)");
    locant_random r = seed_random(s, 1);
    locant_tensor table = SEED_F64(s, ROWS, W), rows;
    locant_tensor x = SEED_F64(s, BATCH, LENGTH, W), y = x;
    locant_tensor wide = SEED_F64(s, 1, W), pos = seed_positions(s, ROWS, 1);
    int64_t n = BATCH * LENGTH * W, each = LENGTH * W;
    double *out = y.data = seed_reals(s, BATCH * LENGTH * W), *in = x.data;

    seed_fill_normal(table.data, ROWS * W, 1, &r);
    seed_fill_normal(in, n, 1, &r);
    rows = seed_table_rows(s, e, 0, LENGTH, W, &table);
    for (int64_t i = 0; i < n; i++)
        out[i] = in[i] + ((double *)rows.data)[i % each];
    seed_shape(s, "X", &x);
    seed_shape(s, "output", &y);
    seed_integer(s, "learned numbers", seed_parameters(e, W, 12));
    seed_real(s, "deviation of X", seed_deviation(in, n));
    seed_real(s, "deviation of the output", seed_deviation(out, n));
    seed_text(s, "position 512", layer_refusal(s,
              locant_encoding_table(&wide, e, &pos, &table)));
    seed_say(s, "Beyond the table the seed fails too, with an index out of "
             "range that names no position.");
    seed_wrong(s, "E-4.5", "deviation of the table at the beginning",
               seed_deviation(table.data, ROWS * W), 0.02, "nn.Embedding draws "
               "N(0, 1) unless told; BERT and GPT-2 take 0.02 or 0.01.");
    seed_check(s, "learned numbers", (double)seed_parameters(e, W, 12),
               512 * 768, 0);
    /* two sums and two differences of numbers below 8 */
    seed_check(s, "the same row for both sequences",
               (out[each] - in[each]) - (out[0] - in[0]), 0, 16 * 0x1p-53);
}

/* ----------------------------------------------------------- S4.9, S4.10 */

static double norm(const double *x, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/*
 * The seed's comment, a row times [[cos, -sin], [sin, cos]], at p = 3 for
 * (1, 2, 3, 4).
 */
static void as_commented(double *out)
{
    for (int c = 0; c < 2; c++) {
        double t = 3 * pow(10000, -c / 2.), a = 2 * c + 1, b = 2 * c + 2;

        out[2 * c] = a * cos(t) + b * sin(t);
        out[2 * c + 1] = -a * sin(t) + b * cos(t);
    }
}

void s4_rope(struct seed *s)
{
    static const double known[] = { /* encodings.md 8.2, interleaved, p = 3 */
        -1.2722325127, -1.8388649851, 2.8786681004, 4.0881866356
    };
    const locant_encoding *e = seed_encoding(s, "rope(pairing=interleaved)");
    locant_tensor x = SEED_F64(s, 1, 4), far = SEED_F64(s, 1, 4);
    double comment[4], from[4] = { 1, 2, 3, 4 }, *v = x.data;
    locant_tensor back = locant_dense(from, LOCANT_F64, 2, x.shape);

    seed_rotate(s, &x, &back, e, 3);
    seed_rotate(s, &far, &back, e, 1000003);
    as_commented(comment);
    seed_say(s, "Even channels x1, odd channels x2: x1 cos - x2 sin, x1 sin + "
             "x2 cos.  (1, 2, 3, 4) at position 3:");
    seed_numbers(s, "rotated", "%.10f", v, 4);
    seed_wrong(s, "E-4.4", "first channel by the comment's row form",
               comment[0], v[0], "A row times [[cos, -sin], [sin, cos]] turns "
               "backwards; the code below the comment is right.");
    seed_say(s, "The seed's buffers end at 2048 and always begin at 0, so that "
             "cached decoding cannot use them.  Here position 1000003:");
    seed_numbers(s, "rotated", "%.10f", far.data, 4);
    /* two products with a table to 2^-25, entries up to 4 */
    seed_check(s, "less the known numbers", seed_max_difference(v, known, 4), 0,
               8 * 0x1p-25);
    seed_check(s, "length kept at 1000003", norm(far.data, 4), sqrt(30),
               8 * 0x1p-24);
    seed_rotate(s, &far, &back, e, -3);
    seed_check(s, "the comment's form is the turn by -3",
               seed_max_difference(far.data, comment, 4), 0, 8 * 0x1p-25);
}

enum { BATCH = 2, HEADS = 8, LENGTH = 128, HEAD = 64,
       COUNT = BATCH * HEADS * LENGTH * HEAD };

void s4_apply(struct seed *s)
{
    const locant_encoding *e = seed_encoding(s, "rope(pairing=interleaved)");
    locant_random r = seed_random(s, 2);
    locant_tensor t[2], turned[2][2];
    static const int64_t starts[] = { 0, 500 };
    double scores[2], *x[2];

    for (int i = 0; i < 2; i++) {
        t[i] = SEED_F64(s, BATCH, HEADS, LENGTH, HEAD);
        seed_fill_normal(t[i].data, COUNT, 1, &r);
        for (int k = 0; k < 2; k++) {
            turned[k][i] = SEED_F64(s, BATCH, HEADS, LENGTH, HEAD);
            seed_rotate(s, &turned[k][i], &t[i], e, starts[k]);
        }
    }
    for (int k = 0; k < 2; k++) { /* query 100 with key 90 */
        scores[k] = 0;
        x[0] = (double *)turned[k][0].data + 100 * HEAD;
        x[1] = (double *)turned[k][1].data + 90 * HEAD;
        for (int c = 0; c < HEAD; c++)
            scores[k] += x[0][c] * x[1][c];
    }
    seed_shape(s, "Q", &t[0]);
    seed_shape(s, "Q_rot", &turned[0][0]);
    seed_shape(s, "K_rot", &turned[0][1]);
    seed_real(s, "score of query 100, key 90", scores[0]);
    seed_real(s, "the same 500 positions later", scores[1]);
    seed_check(s, "position 0 is not turned", seed_max_difference(
               t[0].data, turned[0][0].data, HEAD), 0, 0);
    /* 64 products of numbers near 1, each to 2^-24 or so */
    seed_check(s, "only distances count", scores[1], scores[0], 1e-5);
}

/* ----------------------------------------------------------------- S4.16 */

/* Largest relative change of the length of a row, F64 or F32 arithmetic. */
static double worst_change(struct seed *s, int in_float, const double *x,
                           int64_t first)
{
    const locant_encoding *e = seed_encoding(s, "rope(pairing=interleaved)");
    locant_tensor t = in_float ? SEED_F32(s, BATCH, HEADS, LENGTH, HEAD)
                               : SEED_F64(s, BATCH, HEADS, LENGTH, HEAD);
    double worst = 0, before[HEAD], after[HEAD];

    for (int64_t i = 0; i < COUNT; i++)
        in_float ? (((float *)t.data)[i] = (float)x[i])
                 : (((double *)t.data)[i] = x[i]);
    seed_rotate(s, &t, &t, e, first);
    for (int64_t row = 0; row < COUNT / HEAD; row++) {
        for (int64_t c = 0; c < HEAD; c++) {
            int64_t at = row * HEAD + c;

            before[c] = in_float ? (float)x[at] : x[at];
            after[c] = in_float ? ((float *)t.data)[at]
                                : ((double *)t.data)[at];
        }
        worst = fmax(worst, fabs(norm(after, HEAD) / norm(before, HEAD) - 1));
    }
    return worst;
}

void s4_homework_2(struct seed *s)
{
    locant_random r = seed_random(s, 3);
    double *x = seed_reals(s, COUNT), change[2][2];

    seed_fill_normal(x, COUNT, 1, &r);
    seed_say(s, "2048 random vectors of 64, positions from 0 and from a "
             "million; largest relative change of a length:");
    seed_columns(s, "lengths", "arithmetic|positions 0 .. 127|from 1000000");
    for (int f = 0; f < 2; f++) {
        change[f][0] = worst_change(s, f, x, 0);
        change[f][1] = worst_change(s, f, x, 1000000);
        seed_cells(s, "%s|%.2e|%.2e", f ? "float32" : "double", change[f][0],
                   change[f][1]);
    }
    seed_table_end(s);
    seed_say(s, "A turn keeps lengths; what is left is the rounding of the "
             "table to float32, which does not grow with the position.");
    /* cosine and sine each to 2^-25: the length to 2^-24, float sums as well */
    for (int i = 0; i < 2; i++) {
        seed_check(s, i ? "double, far" : "double, near", change[0][i], 0,
                   LAYER_TABLE);
        seed_check(s, i ? "float32, far" : "float32, near", change[1][i], 0,
                   3 * 0x1p-24);
    }
}
