/* variants.c - rope and alibi as the seed has them: S0.17 .. S0.20. */
#include <math.h>
#include <stdio.h>

#include "rows.h"

enum { WIDTH = 32, TOKENS = 10, HEADS = 4 };

static locant_tensor normal_input(struct seed *s, uint64_t stream)
{
    locant_random r = seed_random(s, stream);
    locant_tensor x = SEED_F64(s, 1, TOKENS, WIDTH);

    seed_fill_normal(x.data, seed_count(&x), 1, &r);
    return x;
}

/* ------------------------------------------------------------- S0.17: rope */

/* Largest | |y| / |x| - 1 | over rows. */
static double length_error(const double *y, const double *x, int64_t rows,
                           int64_t width)
{
    double most = 0;

    for (int64_t i = 0; i < rows; i++) {
        double xx = 0, yy = 0;

        for (int64_t c = i * width; c < (i + 1) * width; c++) {
            xx += x[c] * x[c];
            yy += y[c] * y[c];
        }
        most = fmax(most, fabs(sqrt(yy / xx) - 1));
    }
    return most;
}

/* Radians per position of the last pair of 'width' channels, as turned. */
static double last_frequency(struct seed *s, const locant_encoding *e,
                             int64_t width)
{
    locant_tensor x = SEED_F64(s, 1, width);
    double       *p = x.data;

    p[width - 2] = 1;
    seed_rotate(s, &x, &x, e, 1);
    return atan2(p[width - 1], p[width - 2]);
}

static void check_rotation(struct seed *s, const locant_encoding *e)
{
    static const double turned[] = { /* 1 .. 8 at position 5 */
        2.20151073479, -0.391599903737, 0.715045531254, 4.94860686337,
        4.69387628635, 6.24239740872, 6.95991266685, 8.03489985438
    };
    locant_tensor x = SEED_F64(s, 1, 8);
    double       *p = x.data;

    for (int i = 0; i < 8; i++)
        p[i] = i + 1;
    seed_rotate(s, &x, &x, e, 5);
    seed_numbers(s, "1 .. 8 at position 5", "%.6f", p, 8);
    /* Cosines come from a table rounded to float32: 8 x 2 x 2^-25. */
    seed_check(s, "1 .. 8 at position 5", seed_max_difference(p, turned, 8), 0,
               5e-7);
}

void s0_rope(struct seed *s)
{
    const locant_encoding *e = seed_encoding(s, "rope(pairing=interleaved)");
    locant_tensor x = normal_input(s, 17), y = SEED_F64(s, 1, TOKENS, WIDTH);
    locant_tensor q = SEED_F64(s, 1, HEADS, TOKENS, WIDTH / HEADS), far;
    double        seed, right, error;

    seed_split_heads(q.data, x.data, 1, TOKENS, HEADS, WIDTH / HEADS);
    seed_rotate(s, &y, &x, e, 0);
    seed_shape(s, "the seed turns", &y);
    error = length_error(y.data, x.data, TOKENS, WIDTH);
    seed_check(s, "lengths stay", error, 0, 1e-7);
    seed_real(s, "largest change of a length", error);
    seed_rotate(s, &q, &q, e, 0);
    seed_shape(s, "models turn q and k of each head", &q);
    check_rotation(s, e);
    seed  = last_frequency(s, e, WIDTH);
    right = last_frequency(s, e, WIDTH / HEADS);
    seed_wrong(s, "E-0.4", "slowest turn, radians per position", seed, right,
               "frequencies belong to the channels of a head; over the whole "
               "width each head gets another band, and W_q and W_k after it "
               "mix what was turned");
    seed_check(s, "slowest of 32 channels", seed, pow(10000, -30.0 / 32), 1e-9);
    seed_check(s, "slowest of 8 channels", right, 0.001, 1e-9);
    far = SEED_F64(s, 1, TOKENS, WIDTH);
    seed_rotate(s, &far, &x, e, 6000);
    seed_say(s, "The seed's cache grows when a sequence is longer than 5000; "
             "here nothing is cached, and positions 6000 .. 6009 turn alike.");
    seed_check(s, "lengths stay at 6000", length_error(far.data, x.data, TOKENS,
                                                       WIDTH), 0, 1e-7);
}

/* ------------------------------------------------------------ S0.18: alibi */

/* m_h = -b(h, 1, 0) */
static double *slopes_of(struct seed *s, int64_t heads)
{
    locant_tensor b = seed_bias(s, seed_encoding(s, "alibi"), heads, 2, 2,
                                NULL);
    double       *m = seed_reals(s, heads);

    for (int64_t h = 0; h < heads; h++)
        m[h] = -((double *)b.data)[h * 4 + 2];
    return m;
}

/* Slope h of a power of two n. */
static double slope_of_power(int64_t n, int64_t h)
{
    return exp2(-8 * (double)(h + 1) / (double)n);
}

/* The seed's rule: those beyond a power of two without a stride. */
static double seed_slope(int64_t heads, int64_t h)
{
    int64_t power = 1;

    while (2 * power <= heads)
        power *= 2;
    return h < power ? slope_of_power(power, h)
                     : slope_of_power(2 * power, h - power);
}

static void compare_slopes(struct seed *s)
{
    static const double extra[] = { 0.7071067812, 0.3535533906, 0.1767766953,
                                    0.0883883476 };
    const double *m = slopes_of(s, 12);

    seed_columns(s, "slopes of 12 heads", "head|seed|right");
    for (int64_t h = 0; h < 12; h++) {
        seed_cells(s, "%d|%.6f|%.6f", (int)h + 1, seed_slope(12, h), m[h]);
        if (h < 8)
            seed_check(s, "slope of the first eight", m[h], seed_slope(12, h),
                       0);
    }
    seed_table_end(s);
    seed_check(s, "slopes 9 to 12", seed_max_difference(m + 8, extra, 4), 0,
               6e-11);
    seed_wrong(s, "E-0.6", "slope of head 10 of 12", seed_slope(12, 9), m[9],
               "of the slopes of 16 every other one is taken, or heads 10 and "
               "12 repeat heads 1 and 2");
}

void s0_alibi(struct seed *s)
{
    const double *m = slopes_of(s, 8);
    locant_tensor b = seed_bias(s, seed_encoding(s, "alibi"), 8, 4, 4, NULL);
    double        right = ((double *)b.data)[3 * 4];

    seed_numbers(s, "slopes of 8 heads", "%.8g", m, 8);
    seed_shape(s, "bias", &b);
    seed_matrix(s, "bias of head 1", "%g", b.data, 4, 4);
    seed_say(s, "(Above the diagonal are keys after the query, which the "
             "causal mask hides; the symmetric form has -slope x |i - j| "
             "there.)");
    for (int64_t h = 0; h < 8; h++)
        seed_check(s, "slope of 8 heads", m[h], exp2(-(double)(h + 1)), 0);
    seed_wrong(s, "E-0.5", "bias of a key 3 back, head 1", 3 * m[0], right,
               "slope x (i - j) grows with the distance and rewards what is "
               "far; the bias is -slope x (i - j)");
    seed_check(s, "bias of a key 3 back", right, -1.5, 0);
    compare_slopes(s);
    seed_wrong_text(s, "E-0.7", "a model that uses it", "PaLM",
                    "BLOOM, MPT, Falcon-RW, Baichuan-13B",
                    "PaLM turns queries and keys (RoPE)");
}

/* --------------------------------------------------------- S0.19, S0.20 */

void s0_variant_shapes(struct seed *s)
{
    locant_tensor x = normal_input(s, 19), y = SEED_F64(s, 1, TOKENS, WIDTH);
    locant_tensor b = seed_bias(s, seed_encoding(s, "alibi"), HEADS, TOKENS,
                                TOKENS, NULL);

    seed_rotate(s, &y, &x, seed_encoding(s, "rope(pairing=interleaved)"), 0);
    seed_shape(s, "input", &x);
    seed_shape(s, "rope's output", &y);
    seed_shape(s, "alibi's bias", &b);
    seed_check(s, "position 0 is not turned", seed_max_difference(
        x.data, y.data, WIDTH), 0, 0);
    seed_claim(s, "position 1 is", seed_max_difference(
        (double *)x.data + WIDTH, (double *)y.data + WIDTH, WIDTH) > 1e-3);
    seed_check(s, "elements of the bias", (double)seed_count(&b),
               HEADS * TOKENS * TOKENS, 0);
}

void s0_alibi_maps(struct seed *s)
{
    enum { N = TOKENS * TOKENS };
    const locant_encoding *e = seed_encoding(s, "alibi");
    locant_tensor t = seed_bias(s, e, HEADS, TOKENS, TOKENS, NULL);
    const double *m = slopes_of(s, HEADS), *b = t.data;
    double       *seen = seed_reals(s, HEADS * N);
    char          title[64];

    for (int i = 0; i < HEADS * N; i++)
        seen[i] = i % TOKENS <= i / TOKENS % TOKENS ? b[i] : NAN;
    seed_say(s, "Keys after the query, which a causal mask hides, are left "
             "blank.");
    for (int h = 0; h < HEADS; h++) {
        double far = b[h * N + 9 * TOKENS];

        snprintf(title, sizeof title, "ALiBi's bias, head %d", h + 1);
        seed_say(s, "head %d: slope %.8g, key 9 back %.8g", h + 1, m[h], far);
        seed_check(s, "key 9 back", far, -9 * exp2(-2 * (h + 1)), 0);
        seed_heat(s, (char)('a' + h), &(struct seed_map){
            .title = title, .x_label = "key", .y_label = "query",
            .cells = seen + h * N, .rows = TOKENS, .cols = TOKENS,
            .diverging = 1 });
    }
    seed_numbers(s, "slopes", "%.8g", m, HEADS);
    seed_wrong(s, "E-0.5", "bias of head 1 for a key 9 back", 9 * m[0],
               b[9 * TOKENS], "the seed draws the past in the colours of "
               "reward; the sign is the other one");
}
