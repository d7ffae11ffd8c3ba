/* rotary.c - section 3: rotate_half() and RoPE: S1.5, S1.6, S1.7, S1.10. */
#include "../tutorial.h"

/* (x1, x2) -> (-x2, x1), where x1 and x2 are the halves of each row. */
static locant_tensor rotate_half(locant_tensor x)
{
    int64_t W = width_of(x), half = W / 2;
    locant_tensor out = zeros_like(x);

    for (int64_t i = 0; i < count(x); i++)
        data(out)[i] = i % W < half ? -data(x)[i + half] : data(x)[i - half];
    return out;
}

/* x cos + rotate_half(x) sin, the tutorial's formula, for rows of x [..,
   length, heads, W] at positions 0 .. length - 1. */
static locant_tensor apply_rotary(locant_tensor x, int64_t heads,
                                  int64_t length)
{
    int64_t W = width_of(x);
    locant_tensor out = rotate_half(x);

    for (int64_t i = 0; i < count(x); i++) {
        int64_t position = i / W / heads % length, pair = i % W % (W / 2);
        double angle = position * pow(10000, -2. * pair / W);

        data(out)[i] = data(x)[i] * cos(angle) + data(out)[i] * sin(angle);
    }
    return out;
}

void s1_5_rotate_half(void)
{
    locant_tensor x = RESHAPED(VECTOR(1, 2, 3, 4, 5, 6, 7, 8), 1, 8);
    locant_tensor half = rotate_half(x), twice = rotate_half(half);
    /* all frequencies are 1, so position pi/2 rotates by a right angle */
    locant_tensor out = zeros_like(x), quarter = VECTOR(PI / 2);

    must(locant_encoding_rotate(&out, &x, encoding("rope(base=1)"), &quarter,
                                NULL, 0));
    say("The second half of the channels, negated, comes first.  That rotates "
        "each pair (c, c + 4) by a right angle; a rotation by the angle a is x "
        "cos a + rotate_half(x) sin a.");
    show_list("x", "%g", x);
    /* cosine and sine rounded to float32, entries up to 8 */
    expect_list("rotate_half(x)", "%g", half, out, 16 * 0x1p-24);
    show_list("rotate_half(rotate_half(x))", "%g", twice);
    compare("applied twice it negates", minus(zeros_like(x), twice), x, 0);
}

void s1_6_apply(void)
{
    locant_tensor x = plus(ZEROS(4, 4), VECTOR(1, 2, 3, 4));
    locant_tensor y = rotated("rope", x, 0);
    locant_tensor known = /* (1, 2, 3, 4) at position 3, split halves */
        VECTOR(-1.4133525208, 1.8791180667, -2.8288574817, 4.0581911354);

    say("q cos + rotate_half(q) sin, and the same for k.  The vector (1, 2, 3, "
        "4) at positions 0 to 3:");
    show_matrix("q_rot", "%.10f", y);
    /* two products and a sum, table in float32, entries up to 4 */
    compare("formula less library", apply_rotary(x, 1, 4), y, 8 * 0x1p-24);
    compare("position 3 less the known numbers", row(y, 3), known, 8 * 0x1p-24);
}

/* Rounds x to 'bits' significant bits. */
static double round_to(double x, int bits)
{
    int exponent;
    double fraction = frexp(x, &exponent);

    return ldexp(nearbyint(ldexp(fraction, bits)), exponent - bits);
}

/* The smallest whole number that 'bits' significant bits do not hold. */
static int first_inexact(int bits)
{
    int p = 1;

    while (round_to(p, bits) == p)
        p++;
    return p;
}

static void half_precision(void)
{
    locant_tensor p =
        VECTOR(round_to(257, 8), round_to(1001, 8), round_to(2047, 8));

    expect_list("positions 257, 1001, 2047 in bfloat16", "%.0f", p,
                VECTOR(256, 1000, 2048), 0);
    mistake(
        "E-1.3", "positions exact below, after .bfloat16()", first_inexact(8),
        2147483648.,
        "The tutorial casts positions to the dtype of its buffer, which "
        "follows the model's; locant keeps integers and is exact below 2^31.");
    mistake("E-1.3", "positions exact below, after .half()", first_inexact(11),
            2147483648., "The same with 11 significant bits in place of 8.");
}

/* q and k [2, 10, heads, dim], rotated through a view [2, heads, 10, dim]. */
static void rotary_module(int64_t heads, int64_t dim)
{
    locant_random r = random_stream(2);
    locant_tensor q = NORMALS(&r, 2, 10, heads, dim), out = zeros_like(q);
    locant_tensor from = as_heads(RESHAPED(q, 2, 10, heads * dim), heads);
    locant_tensor to = as_heads(RESHAPED(out, 2, 10, heads * dim), heads);
    locant_tensor at = positions(0, 10);

    must(locant_encoding_rotate(&to, &from, encoding("rope"), &at, NULL, 0));
    show_shape("q and k before", q);
    show_shape("q and k after", out);
    /* cosine and sine each to 2^-25 */
    expect("largest relative change of a vector's length",
           length_change(q, out), 0, FLOAT);
    /* entries of N(0, 1) are below 6; table in float32 */
    compare("formula less library", apply_rotary(q, heads, 10), out,
            12 * 0x1p-24);
}

void s1_7_rotary(void)
{
    locant_tensor angles = rope_angles(10, 32); /* [10, 32, 2] */
    locant_tensor first = slice(as_double(angles), 1 * 32 * 2, 4);

    say("Frequencies 10000^(-2c/64) for the 32 pairs of a head of 64; the "
        "tutorial stores each cosine and sine twice, [10, 64], locant once.");
    show_shape("cosines and sines", angles);
    show_list("position 1, pairs 0 and 1: cos, sin", "%.7f", first);
    rotary_module(1, 64);
    half_precision();
    check("cos 1", data(first)[0], 0.5403023059, FLOAT);
    check("sin 1", data(first)[1], 0.8414709848, FLOAT);
}

void s1_10_rotary_heads(void)
{
    say("Four heads of 32 in the layout [B, T, H, D]: every head is rotated by "
        "the same angles.  The tutorial expands the table over heads and "
        "batch; locant takes the layout as strides and copies nothing.");
    rotary_module(4, 32);
}
