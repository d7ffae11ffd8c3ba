/*
 * rotary.c - section 3: rotate_half, its use on q and k, and the module with
 * the frequencies: S1.5, S1.6, S1.7, S1.10.
 */
#include "../tutorial.h"
#include "locant/angles.h"

/* (x1, x2) -> (-x2, x1), where x1 and x2 are the halves of x. */
static void rotate_half(double *out, const double *x, int dim)
{
    for (int c = 0; c < dim / 2; c++) {
        out[c] = -x[c + dim / 2];
        out[c + dim / 2] = x[c];
    }
}

/* The tutorial's formula for a vector: x cos + rotate_half(x) sin. */
static void apply_rotary(double *out, const double *x, int position, int dim)
{
    rotate_half(out, x, dim);
    for (int c = 0; c < dim; c++) {
        double angle = position * pow(10000, -2. * (c % (dim / 2)) / dim);

        out[c] = x[c] * cos(angle) + out[c] * sin(angle);
    }
}

/* S1.5 */
void s1_rotate_half(void)
{
    static const double x[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    locant_tensor in = COPY(x, 1, 8), out = ZEROS(1, 8);
    /* all frequencies are 1, so position pi/2 rotates by a right angle */
    locant_tensor quarter = COPY(&(double){ PI / 2 }, 1);
    double half[8], twice[8];

    rotate_half(half, x, 8);
    rotate_half(twice, half, 8);
    must(locant_encoding_rotate(&out, &in, encoding("rope(base=1)"), &quarter,
                                NULL, 0));
    say("The second half of the channels, negated, comes first.  Each pair "
        "(c, c + 4) is rotated by a right angle: what a rotation by a "
        "multiplies by sin a.");
    show_list("x", "%g", x, 8);
    /* cosine and sine rounded to float32, entries up to 8 */
    expect_list("rotate_half(x)", "%g", half, 8, data(out), 16 * 0x1p-24);
    show_list("rotate_half(rotate_half(x))", "%g", twice, 8);
    for (int c = 0; c < 8; c++)
        twice[c] = -twice[c];
    check("applied twice it negates", max_difference(twice, x, 8), 0, 0);
}

/* S1.6 */
void s1_apply(void)
{
    static const double at_three[] = { /* (1, 2, 3, 4), split halves */
                                       -1.4133525208, 1.8791180667,
                                       -2.8288574817, 4.0581911354
    };
    static const double x[] = { 1, 2, 3, 4 };
    const double *y = data(rotated("rope", added(ZEROS(4, 4), COPY(x, 4)), 0));
    double formula[16];

    for (int i = 0; i < 4; i++)
        apply_rotary(formula + 4 * i, x, i, 4);
    say("q cos + rotate_half(q) sin, and the same for k.  The vector (1, 2, 3, "
        "4) at positions 0 to 3:");
    show_matrix("q_rot", "%.10f", y, 4, 4);
    /* two products and a sum, table in float32, entries up to 4 */
    check("formula less library", max_difference(formula, y, 16), 0,
          8 * 0x1p-24);
    check("position 3 less the known numbers",
          max_difference(y + 12, at_three, 4), 0, 8 * 0x1p-24);
}

/* Rounds x to 'bits' significant bits. */
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

static void half_precision(void)
{
    double p[3] = { round_to(257, 8), round_to(1001, 8), round_to(2047, 8) };
    static const double expected[] = { 256, 1000, 2048 };

    expect_list("positions 257, 1001, 2047 in bfloat16", "%.0f", p, 3, expected,
                0);
    mistake("E-1.3", "positions exact below, after .bfloat16()",
            first_inexact(8), 2147483648.,
            "The tutorial casts positions to "
            "the dtype of its buffer, which follows the model's; locant keeps "
            "integers and is exact below 2^31.");
    mistake("E-1.3", "positions exact below, after .half()", first_inexact(11),
            2147483648., "The same with 11 significant bits in place of 8.");
}

/* q and k [2, 10, heads, dim], rotated through a view [2, heads, 10, dim]. */
static void rotary_module(int heads, int dim)
{
    locant_random r = draws(2);
    locant_tensor q = NORMALS(&r, 2, 10, heads, dim), out = q;
    locant_tensor flat =
        locant_dense(q.data, LOCANT_F64, SHAPE(2, 10, heads * dim));
    locant_tensor from = as_heads(flat, heads), to = from;
    locant_tensor at = positions(0, 10);
    double *formula = reals(count(q));

    to.data = out.data = reals(count(q));
    must(locant_encoding_rotate(&to, &from, encoding("rope"), &at, NULL, 0));
    for (int i = 0; i < 20 * heads; i++)
        apply_rotary(formula + i * dim, data(q) + i * dim, i / heads % 10, dim);
    show_shape("q and k before", q);
    show_shape("q and k after", out);
    /* cosine and sine each to 2^-25 */
    expect("largest relative change of a vector's length",
           length_change(q, out), 0, FLOAT);
    /* entries of N(0, 1) are below 6; table in float32 */
    check("formula less library", max_difference(formula, data(out), count(q)),
          0, 12 * 0x1p-24);
}

/* S1.7 */
void s1_rotary(void)
{
    locant_tensor angles = ZEROS_F32(10, 32, 2), at = positions(0, 10);
    double first[4];

    must(locant_angles(&angles, &at, 10000, LOCANT_ANGLES_EXACT));
    for (int i = 0; i < 4; i++)
        first[i] = ((float *)angles.data)[64 + i];
    say("Frequencies 10000^(-2c/64) for the 32 pairs of a head of 64; the "
        "tutorial stores each cosine and sine twice, [10, 64], locant once.");
    show_shape("cosines and sines", angles);
    show_list("position 1, pairs 0 and 1: cos, sin", "%.7f", first, 4);
    rotary_module(1, 64);
    half_precision();
    check("cos 1", first[0], 0.5403023059, FLOAT);
    check("sin 1", first[1], 0.8414709848, FLOAT);
}

/* S1.10 */
void s1_rotary_heads(void)
{
    say("Four heads of 32 in the layout [B, T, H, D]: every head is rotated by "
        "the same angles.  The tutorial expands the table over heads and "
        "batch; locant takes the layout as strides and copies nothing.");
    rotary_module(4, 32);
}
