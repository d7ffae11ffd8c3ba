/* variants.c - the tutorial's rope and alibi: S0.17 .. S0.20. */
#include <stdio.h>

#include "../tutorial.h"

enum { WIDTH = 32, TOKENS = 10, HEADS = 4, HEAD = WIDTH / HEADS };

static locant_tensor normal_input(uint64_t stream)
{
    locant_random r = draws(stream);

    return NORMALS(&r, 1, TOKENS, WIDTH);
}

/* Radians per position of the last of width/2 pairs, measured by rotating. */
static double last_frequency(int64_t width)
{
    locant_tensor x = ZEROS(1, width);
    const double *y;

    data(x)[width - 2] = 1;
    y = data(rotated(ROPE_PAIRS, x, 1));
    return atan2(y[width - 1], y[width - 2]);
}

/* S0.17 */
void s0_rope(void)
{
    static const double one_to_eight[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    static const double at_five[] = { 2.20151073479,  -0.391599903737,
                                      0.715045531254, 4.94860686337,
                                      4.69387628635,  6.24239740872,
                                      6.95991266685,  8.03489985438 };
    locant_tensor x = normal_input(17), y = rotated(ROPE_PAIRS, x, 0);
    double theirs = last_frequency(WIDTH), right = last_frequency(HEAD);

    show_shape("the tutorial rotates", y);
    check("lengths stay", length_change(x, y), 0, 1e-7);
    show("largest change of a length", length_change(x, y));
    show_shape("models rotate q and k of each head",
               rotated(ROPE_PAIRS, as_heads(x, HEADS), 0));
    /* cosines rounded to float32: 8 x 2 x 2^-25 */
    expect_list("1 .. 8 at position 5", "%.6f",
                data(rotated(ROPE_PAIRS, COPY(one_to_eight, 1, 8), 5)), 8,
                at_five, 5e-7);
    mistake("E-0.4", "slowest rotation, radians per position", theirs, right,
            "frequencies belong to the channels of a head; over the whole "
            "width each head gets another band, and W_q and W_k after it mix "
            "what was rotated");
    check("slowest of 32 channels", theirs, pow(10000, -30. / 32), 1e-9);
    check("slowest of 8 channels", right, 0.001, 1e-9);
    say("The tutorial's cache grows when a sequence is longer than 5000; here "
        "nothing is cached, and positions 6000 .. 6009 are rotated alike.");
    check("lengths stay at 6000",
          length_change(x, rotated(ROPE_PAIRS, x, 6000)), 0, 1e-7);
}

/* The tutorial's slopes: it does not use every other slope for the heads beyond
   a power of two. */
static double their_slope(int heads, int h)
{
    int power = 1;

    while (2 * power <= heads)
        power *= 2;
    return h < power ? exp2(-8. * (h + 1) / power)
                     : exp2(-4. * (h + 1 - power) / power);
}

/* S0.18 */
void s0_alibi(void)
{
    static const double extra[] = { 0.7071067812, 0.3535533906, 0.1767766953,
                                    0.0883883476 };
    const double *m = alibi_slopes(8), *m12 = alibi_slopes(12);
    locant_tensor b = bias("alibi", 8, 4, 4, NULL);
    double far = data(b)[3 * 4];

    show_list("slopes of 8 heads", "%.8g", m, 8);
    show_shape("bias", b);
    show_matrix("bias of head 0", "%g", data(b), 4, 4);
    say("(Above the diagonal are keys after the query, which the causal mask "
        "hides; the symmetric form has -slope x |i - j| there.)");
    for (int h = 0; h < 8; h++)
        check("slope of 8 heads", m[h], exp2(-h - 1), 0);
    mistake("E-0.5", "bias of a key 3 back, head 0", 3 * m[0], far,
            "slope x (i - j) grows with the distance and rewards what is far; "
            "the bias is -slope x (i - j)");
    check("bias of a key 3 back", far, -1.5, 0);
    table("slopes of 12 heads", "head|tutorial|right");
    for (int h = 0; h < 12; h++) {
        table_row("%d|%.6f|%.6f", h, their_slope(12, h), m12[h]);
        if (h < 8)
            check("slope of the first eight", m12[h], their_slope(12, h), 0);
    }
    check("slopes 8 to 11", max_difference(m12 + 8, extra, 4), 0, 6e-11);
    mistake("E-0.6", "slope of head 9 of 12", their_slope(12, 9), m12[9],
            "of the slopes of 16 every other one is taken, or heads 9 and 11 "
            "repeat heads 0 and 1");
    mistake_in_words("E-0.7", "a model that uses it", "PaLM",
                     "BLOOM, MPT, Falcon-RW, Baichuan-13B",
                     "PaLM rotates queries and keys (RoPE)");
}

/* S0.19 */
void s0_variant_shapes(void)
{
    locant_tensor x = normal_input(19), y = rotated(ROPE_PAIRS, x, 0);
    locant_tensor b = bias("alibi", HEADS, TOKENS, TOKENS, NULL);

    show_shape("input", x);
    show_shape("rope's output", y);
    show_shape("alibi's bias", b);
    check("position 0 is not rotated", max_difference(data(x), data(y), WIDTH),
          0, 0);
    claim("position 1 is",
          max_difference(data(x) + WIDTH, data(y) + WIDTH, WIDTH) > 1e-3);
    check("elements of the bias", count(b), HEADS * TOKENS * TOKENS, 0);
}

/* S0.20 */
void s0_alibi_maps(void)
{
    enum { N = TOKENS * TOKENS };
    const double *m = alibi_slopes(HEADS);
    double *b = data(bias("alibi", HEADS, TOKENS, TOKENS, NULL));
    char title[64];

    for (int i = 0; i < HEADS * N; i++)
        if (i % TOKENS > i / TOKENS % TOKENS)
            b[i] = NAN;
    say("Keys after the query, which a causal mask hides, are left blank.");
    for (int h = 0; h < HEADS; h++) {
        double far = b[h * N + 9 * TOKENS];

        snprintf(title, sizeof title, "ALiBi's bias, head %d", h);
        say("head %d: slope %.8g, key 9 back %.8g", h, m[h], far);
        check("key 9 back", far, -9 * exp2(-2 * (h + 1)), 0);
        heat_map((char)('a' + h), title, "key", "query", b + h * N, TOKENS,
                 TOKENS);
    }
    show_list("slopes", "%.8g", m, HEADS);
    mistake("E-0.5", "bias of head 0 for a key 9 back", 9 * m[0], b[9 * TOKENS],
            "the tutorial draws the past in the colours of "
            "reward; the sign is the other one");
}
