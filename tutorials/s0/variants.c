/* variants.c - the tutorial's rope and alibi: S0.17 .. S0.20. */
#include "../tutorial.h"

enum { WIDTH = 32, TOKENS = 10, HEADS = 4, HEAD = WIDTH / HEADS };

static locant_tensor normal_input(uint64_t stream)
{
    locant_random r = random_stream(stream);

    return NORMALS(&r, 1, TOKENS, WIDTH);
}

/* Radians per position of the last of width/2 pairs, measured by rotating. */
static double last_frequency(int64_t width)
{
    locant_tensor x = ZEROS(1, width), y;

    data(x)[width - 2] = 1;
    y = rotated(ROPE_PAIRS, x, 1);
    return atan2(entry(y, 0, width - 1), entry(y, 0, width - 2));
}

/* (x1, x2) -> (x1 cos a - x2 sin a, x1 sin a + x2 cos a) for each pair c of
   channels at position p, a = p 10000^(-2c/d) */
void s0_17_rope(void)
{
    locant_tensor x = normal_input(17), y = rotated(ROPE_PAIRS, x, 0);
    locant_tensor eight = RESHAPED(VECTOR(1, 2, 3, 4, 5, 6, 7, 8), 1, 8);
    locant_tensor at_five =
        VECTOR(2.20151073479, -0.391599903737, 0.715045531254, 4.94860686337,
               4.69387628635, 6.24239740872, 6.95991266685, 8.03489985438);
    double theirs = last_frequency(WIDTH), right = last_frequency(HEAD);

    show_shape("the tutorial rotates", y);
    check("lengths stay", length_change(x, y), 0, 1e-7);
    show("largest change of a length", length_change(x, y));
    show_shape("models rotate q and k of each head",
               rotated(ROPE_PAIRS, as_heads(x, HEADS), 0));
    /* cosines rounded to float32: 8 x 2 x 2^-25 */
    expect_list("1 .. 8 at position 5", "%.6f", rotated(ROPE_PAIRS, eight, 5),
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

/* The tutorial's slope of head h.  Beyond the largest power of two it takes the
   first slopes of twice as many heads instead of every other one. */
static double their_slope(int heads, int h)
{
    int power = 1;

    while (2 * power <= heads)
        power *= 2;
    return h < power ? exp2(-8. * (h + 1) / power)
                     : exp2(-4. * (h + 1 - power) / power);
}

/* score(i, j) = q_i . k_j / sqrt(D) - m_h (i - j) in head h, with the slope
   m_h = 2^(-8 (h + 1) / H) */
void s0_18_alibi(void)
{
    locant_tensor slopes = alibi_slopes(8), slopes_12 = alibi_slopes(12);
    const double *m = data(slopes), *m12 = data(slopes_12);
    locant_tensor b = bias("alibi", 8, 4);
    double far = entry(b, 3, 0);

    show_list("slopes of 8 heads", "%.8g", slopes);
    show_shape("bias", b);
    show_matrix("bias of head 0", "%g", rows(b, 0, 4));
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
    compare("slopes 8 to 11", slice(slopes_12, 8, 4),
            VECTOR(0.7071067812, 0.3535533906, 0.1767766953, 0.0883883476),
            6e-11);
    mistake("E-0.6", "slope of head 9 of 12", their_slope(12, 9), m12[9],
            "of the slopes of 16 every other one is taken, or heads 9 and 11 "
            "repeat heads 0 and 1");
    mistake_in_words("E-0.7", "a model that uses it", "PaLM",
                     "BLOOM, MPT, Falcon-RW, Baichuan-13B",
                     "PaLM rotates queries and keys (RoPE)");
}

void s0_19_variant_shapes(void)
{
    locant_tensor x = normal_input(19), y = rotated(ROPE_PAIRS, x, 0);
    locant_tensor b = bias("alibi", HEADS, TOKENS);

    show_shape("input", x);
    show_shape("rope's output", y);
    show_shape("alibi's bias", b);
    compare("position 0 is not rotated", row(x, 0), row(y, 0), 0);
    claim("position 1 is", difference(row(x, 1), row(y, 1)) > 1e-3);
    check("elements of the bias", count(b), HEADS * TOKENS * TOKENS, 0);
}

void s0_20_alibi_maps(void)
{
    locant_tensor slopes = alibi_slopes(HEADS);
    const double *m = data(slopes);
    locant_tensor b = bias("alibi", HEADS, TOKENS);
    char title[64];

    for (int i = 0; i < count(b); i++)
        if (i % TOKENS > i / TOKENS % TOKENS)
            data(b)[i] = NAN;
    say("Keys after the query, which a causal mask hides, are left blank.");
    for (int h = 0; h < HEADS; h++) {
        locant_tensor head = rows(b, h * TOKENS, TOKENS);
        double far = entry(head, 9, 0);

        snprintf(title, sizeof title, "ALiBi's bias, head %d", h);
        say("head %d: slope %.8g, key 9 back %.8g", h, m[h], far);
        check("key 9 back", far, -9 * exp2(-2 * (h + 1)), 0);
        heat_map((char)('a' + h), title, "key", "query", head);
    }
    show_list("slopes", "%.8g", slopes);
    mistake("E-0.5", "bias of head 0 for a key 9 back", 9 * m[0],
            entry(b, 9, 0),
            "the tutorial draws the past in the colours of reward; the sign is "
            "the other one");
}
