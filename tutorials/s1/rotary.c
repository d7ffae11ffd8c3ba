/*
 * rotary.c - seed 001, section 3: rotate_half, its use on q and k, and the
 * module that holds the frequencies.
 */
#include "rows.h"

#include <math.h>

#include "../layers.h"
#include "locant/angles.h"

/* (x1, x2) -> (-x2, x1), halves of the last axis. */
static void rotate_half(double *out, const double *x, int64_t dim)
{
    for (int64_t c = 0; c < dim / 2; c++) {
        out[c] = -x[c + dim / 2];
        out[c + dim / 2] = x[c];
    }
}

/* The seed's form for one vector: x cos + rotate_half(x) sin. */
static void apply_rotary(double *out, const double *x, int64_t position,
                         int64_t dim)
{
    rotate_half(out, x, dim);
    for (int64_t c = 0; c < dim; c++) {
        int64_t pair = c % (dim / 2);
        double  angle = (double)position *
                        pow(10000, -2 * (double)pair / (double)dim);

        out[c] = x[c] * cos(angle) + out[c] * sin(angle);
    }
}

void s1_rotate_half(struct seed *s)
{
    locant_tensor x = SEED_F64(s, 1, 8), turned = SEED_F64(s, 1, 8);
    locant_tensor quarter = SEED_F64(s, 1);
    double half[8], twice[8], *v = x.data;

    for (int c = 0; c < 8; c++)
        v[c] = c + 1;
    rotate_half(half, v, 8);
    rotate_half(twice, half, 8);
    /* every pair at frequency 1, at the real position pi/2: a right angle */
    *(double *)quarter.data = 1.5707963267948966;
    seed_try(s, locant_encoding_rotate(&turned, &x,
                                       seed_encoding(s, "rope(base=1)"),
                                       &quarter, NULL, 0));
    seed_say(s, "The second half of the channels, negated, comes first.  Each "
             "pair (c, c + 4) is turned by a right angle: what a rotation by a "
             "multiplies by sin a.");
    seed_numbers(s, "x", "%g", v, 8);
    seed_numbers(s, "rotate_half(x)", "%g", half, 8);
    seed_numbers(s, "rotate_half(rotate_half(x))", "%g", twice, 8);
    /* cosine and sine of the table to float32, entries up to 8 */
    seed_check(s, "rotate_half less a turn by pi/2",
               seed_max_difference(half, turned.data, 8), 0, 16 * 0x1p-24);
    for (int c = 0; c < 8; c++)
        twice[c] = -twice[c];
    seed_check(s, "applied twice it negates", seed_max_difference(twice, v, 8),
               0, 0);
}

void s1_apply(struct seed *s)
{
    static const double expected[] = { /* encodings.md 8.2, half-split, p = 3 */
        -1.4133525208, 1.8791180667, -2.8288574817, 4.0581911354
    };
    const locant_encoding *e = seed_encoding(s, "rope");
    locant_tensor q = SEED_F64(s, 4, 4), rotated = SEED_F64(s, 4, 4);
    double formula[16], *x = q.data;

    for (int i = 0; i < 16; i++)
        x[i] = i % 4 + 1;
    for (int i = 0; i < 4; i++)
        apply_rotary(formula + 4 * i, x + 4 * i, i, 4);
    seed_rotate(s, &rotated, &q, e, 0);
    seed_say(s, "q cos + rotate_half(q) sin, and the same for k.  The vector "
             "(1, 2, 3, 4) at positions 0 to 3:");
    seed_matrix(s, "q_rot", "%.10f", rotated.data, 4, 4);
    /* two products and a sum of a table to float32, entries up to 4 */
    seed_check(s, "formula less library",
               seed_max_difference(formula, rotated.data, 16), 0, 8 * 0x1p-24);
    seed_check(s, "position 3 less the known numbers",
               seed_max_difference((double *)rotated.data + 12, expected, 4), 0,
               8 * 0x1p-24);
}

/* -------------------------------------------------------------------- S1.7 */

/* x to the nearest number of 'bits' significant bits. */
static double round_to(double x, int bits)
{
    int exponent;
    double fraction = frexp(x, &exponent);

    return ldexp(nearbyint(ldexp(fraction, bits)), exponent - bits);
}

static int first_inexact(int bits)
{
    int p = 1;

    while (round_to(p, bits) == p)
        p++;
    return p;
}

static double length_change(const double *x, const double *y, int64_t rows,
                            int64_t dim)
{
    double worst = 0;

    for (int64_t i = 0; i < rows; i++) {
        double a = 0, b = 0;

        for (int64_t c = i * dim; c < (i + 1) * dim; c++) {
            a += x[c] * x[c];
            b += y[c] * y[c];
        }
        worst = fmax(worst, fabs(sqrt(b / a) - 1));
    }
    return worst;
}

static void half_precision(struct seed *s)
{
    double p[3] = { round_to(257, 8), round_to(1001, 8), round_to(2047, 8) };

    seed_numbers(s, "positions 257, 1001, 2047 in bfloat16", "%.0f", p, 3);
    seed_wrong(s, "E-1.3", "positions exact below, after .bfloat16()",
               first_inexact(8), 2147483648., "The seed casts positions to the "
               "dtype of its buffer, which follows the model's; locant keeps "
               "integers and is exact below 2^31.");
    seed_wrong(s, "E-1.3", "positions exact below, after .half()",
               first_inexact(11), 2147483648., "The same with 11 significant "
               "bits in place of 8.");
    seed_check(s, "257 in bfloat16", p[0], 256, 0);
    seed_check(s, "1001 in bfloat16", p[1], 1000, 0);
    seed_check(s, "2047 in bfloat16", p[2], 2048, 0);
}

/* x [2, 10, heads, dim] as the view [2, heads, 10, dim]. */
static locant_tensor heads_first(const locant_tensor *x)
{
    locant_tensor view = *x;

    view.shape[1] = x->shape[2];
    view.shape[2] = x->shape[1];
    view.stride[1] = x->stride[2];
    view.stride[2] = x->stride[1];
    return view;
}

static void rotary_module(struct seed *s, int64_t heads, int64_t dim)
{
    const locant_encoding *e = seed_encoding(s, "rope");
    locant_random r = seed_random(s, 2);
    locant_tensor q = SEED_F64(s, 2, 10, heads, dim);
    locant_tensor turned = SEED_F64(s, 2, 10, heads, dim);
    locant_tensor from = heads_first(&q), to = heads_first(&turned);
    int64_t n = seed_count(&q);
    double *formula = seed_reals(s, n), change;

    seed_fill_normal(q.data, n, 1, &r);
    seed_rotate(s, &to, &from, e, 0);
    for (int64_t i = 0; i < 20 * heads; i++)
        apply_rotary(formula + i * dim, (double *)q.data + i * dim,
                     i / heads % 10, dim);
    change = length_change(q.data, turned.data, 20 * heads, dim);
    seed_shape(s, "q and k before", &q);
    seed_shape(s, "q and k after", &turned);
    seed_real(s, "largest relative change of a vector's length", change);
    /* entries of N(0, 1) stay below 6; a table to float32 */
    seed_check(s, "formula less library",
               seed_max_difference(formula, turned.data, n), 0, 12 * 0x1p-24);
    /* cosine and sine to 2^-25 each */
    seed_check(s, "change of length", change, 0, LAYER_TABLE);
}

void s1_rotary(struct seed *s)
{
    locant_tensor table = SEED_F32(s, 10, 32, 2);
    locant_tensor positions = seed_positions(s, 0, 10);
    const float *angles = table.data;
    double first[4];

    seed_try(s, locant_angles(&table, &positions, 10000, LOCANT_ANGLES_EXACT));
    for (int i = 0; i < 4; i++)
        first[i] = angles[64 + i];
    seed_say(s, "Frequencies 10000^(-2c/64) for the 32 pairs of a head of 64; "
             "the seed stores each cosine and sine twice, [10, 64], locant "
             "once.");
    seed_shape(s, "cosines and sines", &table);
    seed_numbers(s, "position 1, pairs 0 and 1: cos, sin", "%.7f", first, 4);
    rotary_module(s, 1, 64);
    half_precision(s);
    seed_check(s, "cos 1", first[0], 0.5403023059, LAYER_TABLE);
    seed_check(s, "sin 1", first[1], 0.8414709848, LAYER_TABLE);
}

void s1_rotary_heads(struct seed *s)
{
    seed_say(s, "Four heads of 32 in the layout [B, T, H, D]: every head turns "
             "by the same angles.  The seed expands the table over heads and "
             "batch; locant takes the layout as strides and copies nothing.");
    rotary_module(s, 4, 32);
}
