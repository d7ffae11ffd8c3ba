/* sinusoidal.c - the sinusoidal table: S0.6 .. S0.11. */
#include <math.h>

#include "rows.h"

/*
 * Formed directly, to hold the library to.  The product is rounded: at position
 * 5000 the angle is off by up to 5000 x 2^-53, twice for the power.
 */
static double entry(int64_t position, int64_t channel, int64_t width)
{
    double angle = (double)position *
                   pow(10000, -2.0 * (double)(channel / 2) / (double)width);

    return channel % 2 ? cos(angle) : sin(angle);
}

static double largest_error(const double *rows, int64_t n, int64_t width)
{
    double most = 0;

    for (int64_t i = 0; i < n * width; i++) {
        double d = fabs(rows[i] - entry(i / width, i % width, width));

        most = d <= most ? most : d;
    }
    return most;
}

static const double *rows_of(struct seed *s, int64_t first, int64_t n,
                             int64_t width)
{
    locant_tensor t = seed_table_rows(s, seed_encoding(s, "sinusoidal"), first,
                                      n, width, NULL);

    return t.data;
}

void s0_formula(struct seed *s)
{
    static const double second[] = { /* of P[2], 8 channels, ten digits */
        0.9092974268, -0.4161468365, 0.1986693308, 0.9800665778,
        0.0199986667, 0.9998000067, 0.0019999987, 0.9999980000
    };
    const double *p = rows_of(s, 0, 3, 8);

    seed_say(s, "P[pos][2c] = sin(pos / 10000^(2c/d))\n"
             "P[pos][2c+1] = cos(pos / 10000^(2c/d)), c = 0 .. d/2 - 1");
    seed_matrix(s, "P for d = 8", "%.10f", p, 3, 8);
    seed_check(s, "P[2] against the specification",
               seed_max_difference(p + 16, second, 8), 0, 6e-11);
    seed_wrong_text(s, "E-0.8", "what the letter i counts",
                    "i is the dimension", "i is the pair of dimensions",
                    "a channel ch has exponent 2 floor(ch/2) / d; read as a "
                    "dimension the slowest would turn near 10000^-2");
}

/* Largest entry of M_3 P[5] - P[8]: pair c turns by 3 x frequency. */
static double shift_error(const double *p, int64_t width)
{
    double most = 0;

    for (int64_t c = 0; c < width / 2; c++) {
        double angle = 3 * pow(10000, -2.0 * (double)c / (double)width);
        const double *from = p + 5 * width + 2 * c, *to = p + 8 * width + 2 * c;

        most = fmax(most, fabs(cos(angle) * from[0] + sin(angle) * from[1] -
                               to[0]));
        most = fmax(most, fabs(cos(angle) * from[1] - sin(angle) * from[0] -
                               to[1]));
    }
    return most;
}

/* Least distance between two of n rows. */
static double nearest(const double *p, int64_t n, int64_t width)
{
    double least = INFINITY;

    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            double sum = 0;

            for (int64_t c = 0; c < width; c++)
                sum += pow(p[i * width + c] - p[j * width + c], 2);
            least = fmin(least, sqrt(sum));
        }
    }
    return least;
}

void s0_merits(struct seed *s)
{
    enum { N = 512, W = 64 };
    const double *p = rows_of(s, 0, N, W), *far = rows_of(s, 1000000, 1, W);
    double unique = nearest(p, N, W), shift = shift_error(p, W);
    const locant_encoding *e = seed_encoding(s, "sinusoidal");

    seed_say(s, "Four merits, each as far as it goes, for d = %d:", W);
    seed_say(s, "1. unique: the two nearest of %d rows are %.4f apart", N,
             unique);
    seed_say(s, "2. relative: P[8] is P[5] turned by fixed angles, to %.1e; "
             "a linear layer can find a shift", shift);
    seed_say(s, "3. no end: a row exists at position 1000000, |P|^2 = %.6f",
             seed_cosine(far, far, W) * W / 2);
    seed_say(s, "4. nothing to train: %lld parameters",
             (long long)seed_parameters(e, W, 4));
    seed_claim(s, "rows are apart", unique > 0.1);
    /* Two entries, times factors below 1, against a third. */
    seed_check(s, "shift by 3", shift, 0, 3 * SEED_ANGLE);
    seed_check(s, "first channel at 1000000", far[0], sin(1e6), SEED_ANGLE);
    seed_check(s, "parameters", (double)seed_parameters(e, W, 4), 0, 0);
    seed_wrong_text(s, "E-0.9", "third merit: extrapolation",
                    "handles lengths not seen in training",
                    "the rows exist, the model has not learned them",
                    "models with this table get worse soon after the trained "
                    "length (Press et al. 2022); 'locant tutorial S4.18' shows it");
}

void s0_class(struct seed *s)
{
    enum { MAX = 5000, T = 20, W = 64 };
    locant_random r = seed_random(s, 8);
    locant_tensor x = SEED_F64(s, 2, T, W), y = SEED_F64(s, 2, T, W);
    const double *p = rows_of(s, 0, MAX, W), *odd = rows_of(s, 1, 1, 5);
    double       *in = x.data, *out = y.data;

    seed_fill_normal(in, seed_count(&x), 1, &r);
    for (int64_t i = 0; i < 2 * T * W; i++)
        out[i] = in[i] + p[i % (T * W)];
    seed_say(s, "forward(x) = x + P[0 .. T-1]; get_encoding(T) = P[0 .. T-1]; "
             "the table is a constant, not a parameter.");
    seed_shape(s, "forward", &y);
    seed_integer(s, "rows the seed keeps", MAX);
    seed_numbers(s, "forward(x)[0][1][:4] - x[0][1][:4]", "%.7f",
                 (double[]){ out[W] - in[W], out[W + 1] - in[W + 1],
                             out[W + 2] - in[W + 2], out[W + 3] - in[W + 3] },
                 4);
    seed_check(s, "the table", largest_error(p, MAX, W), 0,
               SEED_ANGLE + 5000 * 0x1p-52);
    seed_check(s, "a row past the seed's last", *rows_of(s, MAX, 1, W),
               sin(5000.0), SEED_ANGLE);
    seed_numbers(s, "P[1] for d = 5", "%.10f", odd, 5);
    seed_check(s, "odd width, last channel", odd[4], 0.0006309573, 6e-11);
    seed_wrong_text(s, "E-0.8", "an odd width, and a sequence over 5000",
                    "both fail with a sentence about shapes from inside torch",
                    "an odd width ends with a sine alone; rows have no end",
                    "cosines fill one column less than sines, and the table is "
                    "a function of the position, not a store of 5000 rows");
}

void s0_first_rows(struct seed *s)
{
    enum { T = 20, W = 64 };
    const double *p = rows_of(s, 0, T, W);
    double        low = seed_min(p, T * W), high = seed_max(p, T * W);
    locant_tensor shape = SEED_F64(s, 1, T, W);
    double        expected = 1;

    for (int64_t i = 0; i < T * W; i++)
        expected = fmin(expected, entry(i / W, i % W, W));
    seed_shape(s, "first 20 of 100 rows", &shape);
    seed_say(s, "range: [%.3f, %.3f]", low, high);
    seed_check(s, "least", low, expected, SEED_ANGLE);
    seed_check(s, "most: cos 0", high, 1, 0);
}

/* ------------------------------------------------- S0.10: the four pictures */

enum { LENGTH = 50, DIM = 64 };

static void waves(struct seed *s, const double *p)
{
    static const int64_t channel[] = { 0, 1, 2, 3, 10, 20 };
    static const char *const labels[] = {
        "channel 0", "channel 1", "channel 2", "channel 3", "channel 10",
        "channel 20"
    };
    double *y = seed_reals(s, 6 * LENGTH);

    seed_part(s, 'b', "six channels over position");
    for (int i = 0; i < 6; i++) {
        for (int64_t t = 0; t < LENGTH; t++)
            y[i * LENGTH + t] = p[t * DIM + channel[i]];
        seed_numbers(s, labels[i], "%.3f", y + i * LENGTH, 8);
        seed_check(s, labels[i], y[i * LENGTH + 7],
                   entry(7, channel[i], DIM), SEED_ANGLE);
    }
    seed_curves(s, 'b', &(struct seed_plot){
        .title = "Sinusoidal table, six channels", .x_label = "position",
        .y_label = "value", .labels = labels, .y = y, .lines = 6,
        .n = LENGTH });
}

static void vectors(struct seed *s, const double *p)
{
    static const char *const labels[] = {
        "position 0", "position 5", "position 10", "position 15", "position 20"
    };
    double *y = seed_reals(s, 5 * DIM);

    seed_part(s, 'c', "the vectors of five positions");
    for (int i = 0; i < 5; i++) {
        for (int64_t c = 0; c < DIM; c++)
            y[i * DIM + c] = p[5 * i * DIM + c];
        seed_numbers(s, labels[i], "%.3f", y + i * DIM, 8);
    }
    seed_check(s, "P[20][8]", y[4 * DIM + 8], entry(20, 8, DIM),
               SEED_ANGLE);
    seed_curves(s, 'c', &(struct seed_plot){
        .title = "Sinusoidal table, five positions", .x_label = "channel",
        .y_label = "value", .labels = labels, .y = y, .lines = 5, .n = DIM });
}

/* Read from the table: P[1] holds sin f and cos f of each pair. */
static void spectrum(struct seed *s, const double *p)
{
    enum { PAIRS = DIM / 2 };
    double *logs = seed_reals(s, PAIRS), *f = seed_reals(s, PAIRS);

    seed_part(s, 'd', "frequency of each pair, on a logarithmic axis");
    for (int64_t c = 0; c < PAIRS; c++) {
        f[c] = atan2(p[DIM + 2 * c], p[DIM + 2 * c + 1]);
        logs[c] = log10(f[c]);
    }
    seed_numbers(s, "frequencies, radians per position", "%.3g", f, PAIRS);
    seed_check(s, "first frequency", f[0], 1, SEED_ANGLE);
    seed_check(s, "last frequency", f[PAIRS - 1], pow(10000, -62.0 / 64),
               SEED_ANGLE * f[PAIRS - 1]);
    seed_check(s, "steps are even on the axis", logs[10] - logs[9],
               logs[31] - logs[30], 1e-10);
    seed_curves(s, 'd', &(struct seed_plot){
        .title = "Frequency of each pair", .x_label = "pair",
        .y_label = "log10 of radians per position", .y = logs, .lines = 1,
        .n = PAIRS });
}

void s0_visualise(struct seed *s)
{
    const double *p = rows_of(s, 0, LENGTH, DIM);

    seed_say(s, "The table of %d positions x %d channels, drawn four ways.",
             LENGTH, DIM);
    seed_part(s, 'a', "heat map, position across, channel down");
    seed_say(s, "range: [%.3f, %.3f]", seed_min(p, LENGTH * DIM),
             seed_max(p, LENGTH * DIM));
    seed_check(s, "the table", largest_error(p, LENGTH, DIM), 0,
               SEED_ANGLE);
    seed_heat(s, 'a', &(struct seed_map){
        .title = "Sinusoidal table", .x_label = "position",
        .y_label = "channel", .cells = p, .rows = LENGTH, .cols = DIM,
        .diverging = 1, .turned = 1 });
    waves(s, p);
    vectors(s, p);
    spectrum(s, p);
}

/* ----------------------------------------------------- S0.11: likeness */

enum { NEAR = 20 };

/* Mean of c over pairs i, j with |i - j| = distance. */
static double mean_at(const double *c, int64_t distance)
{
    double sum = 0;

    for (int64_t i = 0; i + distance < NEAR; i++)
        sum += c[i * NEAR + i + distance];
    return sum / (double)(NEAR - distance);
}

void s0_relative(struct seed *s)
{
    const double *p = rows_of(s, 0, NEAR, DIM);
    double       *c = seed_reals(s, NEAR * NEAR), *mean = seed_reals(s, NEAR);

    for (int64_t i = 0; i < NEAR * NEAR; i++)
        c[i] = seed_cosine(p + i / NEAR * DIM, p + i % NEAR * DIM, DIM);
    for (int64_t d = 0; d < NEAR; d++)
        mean[d] = mean_at(c, d);
    seed_part(s, 'a', "cosine between positions i and j");
    seed_matrix(s, "first five", "%.4f", (double[]){
        c[0], c[1], c[2], c[3], c[4] }, 1, 5);
    seed_heat(s, 'a', &(struct seed_map){
        .title = "Cosine between positions", .x_label = "position j",
        .y_label = "position i", .cells = c, .rows = NEAR, .cols = NEAR,
        .diverging = 1 });
    seed_part(s, 'b', "mean cosine by distance");
    seed_numbers(s, "distance 0 ..", "%.4f", mean, NEAR);
    seed_say(s, "It does not fall at every step: at distance 6 it is higher "
             "than at 5.");
    seed_claim(s, "distance 6 is nearer than 5", mean[6] > mean[5]);
    seed_curves(s, 'b', &(struct seed_plot){
        .title = "Cosine by distance", .x_label = "distance",
        .y_label = "mean cosine", .y = mean, .lines = 1, .n = NEAR });
    seed_part(s, 'c', "four pairs of positions");
    seed_real(s, "0 and 1", c[1]);
    seed_real(s, "0 and 5", c[5]);
    seed_real(s, "5 and 6", c[5 * NEAR + 6]);
    seed_real(s, "0 and 15", c[15]);
    /* Ten digits in the specification. */
    seed_check(s, "0 and 1", c[1], 0.9661509894, 6e-11);
    seed_check(s, "0 and 5", c[5], 0.7344990878, 6e-11);
    seed_check(s, "5 and 6", c[5 * NEAR + 6], 0.9661509894, 6e-11);
    seed_check(s, "0 and 15", c[15], 0.6084394693, 6e-11);
}
