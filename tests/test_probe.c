/*
 * test_probe.c - statistics of attention, of planted weights.
 *
 * Weights are float: a row is off by 2^-25 of its sum for each of them at most,
 * and 128 rows of 128 by less than 1e-5 of what they sum to when that is 1.
 */
/* needs: lab */
#include "testing.h"
#include "measure/probe.h"
#include "train/train.h"
#include <math.h>
#include <string.h>

enum { ROWS = 128 };
static const double near = 1e-5;

static bool is(double got, double want)
{
    return fabs(got - want) < near * fmax(1, fabs(want));
}

/* All rows of what 'fill' plants. */
static struct lct_head_sums sums_of(void (*fill)(float *w, int64_t t))
{
    struct lct_head_sums s;
    float w[ROWS];

    memset(&s, 0, sizeof s);
    for (int64_t t = 0; t < ROWS; t++) {
        memset(w, 0, sizeof w);
        fill(w, t);
        lct_head_add(&s, w, t);
    }
    CHECK(s.rows == ROWS);
    return s;
}

static double harmonic(int n)
{
    double sum = 0;

    for (int i = 1; i <= n; i++)
        sum += 1.0 / i;
    return sum;
}

/* ----------------------------------------------------------------- planted */

static void evenly(float *w, int64_t t)
{
    for (int64_t j = 0; j <= t; j++)
        w[j] = 1.0f / (float)(t + 1);
}

TEST(even_weights_dilute_with_slope_one)
{
    const struct lct_head_sums s = sums_of(evenly);
    double distance = 0, near_8 = 0, logs = 0;

    for (int t = 0; t < ROWS; t++) {
        distance += t / 2.0;
        near_8 += t < 8 ? 1 : 8.0 / (t + 1);
        logs += log(t + 1.0);
    }
    CHECK(is(lct_entropy_slope(&s), 1));
    CHECK(is(s.entropy / ROWS, logs / ROWS));
    CHECK(is(s.distance / ROWS, distance / ROWS));
    CHECK(is(s.within[0] / ROWS, near_8 / ROWS));
    CHECK(is(s.within[2], ROWS));
    CHECK(is(s.sink / ROWS, harmonic(ROWS) / ROWS));
    CHECK(s.early_rows == 64 && is(s.early_sink / 64, harmonic(64) / 64));
    CHECK(is(s.self_bias, 0) && is(s.previous_bias, 0));
}

static void itself(float *w, int64_t t)
{
    w[t] = 1;
}

TEST(a_head_of_its_own_token)
{
    const struct lct_head_sums s = sums_of(itself);

    CHECK(is(s.self, ROWS) && is(s.previous, 0) && is(s.distance, 0));
    CHECK(is(s.self_bias, ROWS - harmonic(ROWS)));
    CHECK(is(s.previous_bias, 1 - harmonic(ROWS)));
    CHECK(is(s.sink, 1) && is(s.within[0], ROWS) && is(s.bin[0], ROWS));
    CHECK(is(s.entropy, 0) && is(lct_entropy_slope(&s), 0));
    /* distance 0 of t + 1 keys: a share of 1 / (t + 1), below 1/16 from 16
       keys on */
    CHECK(is(s.share[0], ROWS - 15) && is(s.share[15], 1));
}

static void the_one_before(float *w, int64_t t)
{
    w[t > 0 ? t - 1 : 0] = 1;
}

TEST(a_head_of_the_previous_token)
{
    const struct lct_head_sums s = sums_of(the_one_before);

    CHECK(is(s.previous, ROWS - 1) && is(s.self, 1));
    CHECK(is(s.previous_bias, ROWS - harmonic(ROWS)));
    CHECK(is(s.distance, ROWS - 1) && is(s.bin[1], ROWS - 1));
    CHECK(is(s.sink, 2));
}

static void the_first(float *w, int64_t t)
{
    (void)t;
    w[0] = 1;
}

TEST(a_sink_is_far_and_at_the_start)
{
    const struct lct_head_sums s = sums_of(the_first);
    double bins = 0;

    CHECK(is(s.sink, ROWS) && is(s.share[15], ROWS));
    CHECK(is(s.distance, ROWS * (ROWS - 1) / 2.0));
    CHECK(is(s.within[0], 8) && is(s.within[1], 32) && is(s.within[2], 128));
    /* distances 0, 1, 2-3, 4-7, ..: once each */
    for (int b = 0; b < LCT_PROBE_BINS; b++) {
        CHECK(is(s.bin[b], b == 0 ? 1 : b <= 7 ? 1 << (b - 1) : 0));
        bins += s.bin[b];
    }
    CHECK(is(bins, ROWS));
}

static void a_window(float *w, int64_t t)
{
    const int64_t n = t < 8 ? t + 1 : 8;

    for (int64_t j = t - n + 1; j <= t; j++)
        w[j] = 1.0f / (float)n;
}

/* Flat from 8 keys on: the slope of those rows alone is 0. */
TEST(attention_of_a_fixed_width_does_not_dilute)
{
    struct lct_head_sums s;
    float w[ROWS];

    memset(&s, 0, sizeof s);
    CHECK(isnan(lct_entropy_slope(&s)));
    for (int64_t t = 8; t < ROWS; t++) {
        memset(w, 0, sizeof w);
        a_window(w, t);
        lct_head_add(&s, w, t);
    }
    CHECK(is(lct_entropy_slope(&s), 0));
    CHECK(is(s.entropy / s.rows, log(8)));
    CHECK(is(s.distance / s.rows, 3.5));
    CHECK(is(s.within[0], s.rows));
}

/* ------------------------------------------------------------- comparison */

TEST(divergence_by_its_definition)
{
    const float one[3] = { 1, 0, 0 }, other[3] = { 0, .5f, .5f };
    const float half[3] = { .5f, .5f, 0 };

    CHECK(lct_divergence(one, one, 3) == 0);
    CHECK(is(lct_divergence(one, other, 3), log(2)));
    /* m = (3/4, 1/4, 0): ln(4/3)/2 + (ln(2/3) + ln 2)/4 */
    CHECK(is(lct_divergence(one, half, 3),
             log(4.0 / 3) / 2 + (log(2.0 / 3) + log(2)) / 4));
    CHECK(is(lct_divergence(half, one, 3), lct_divergence(one, half, 3)));
}

/* Of two heads each: only the last of one and the first of the other are of
   the same keys, but for a quarter. */
TEST(the_most_alike_heads_are_found)
{
    const float a[2 * 4] = { 0, 0, 0, 1, .25f, .75f, 0, 0 };
    const float b[2 * 4] = { 0, 1, 0, 0, 0, 0, 1, 0 };
    /* m = (1/8, 7/8): p = (1/4, 3/4), q = (0, 1) */
    const double want =
        (.25 * log(2) + .75 * log(6.0 / 7)) / 2 + log(8.0 / 7) / 2;

    CHECK(is(lct_least_divergence(a, b, 2, 4), want));
    CHECK(is(lct_least_divergence(b, a, 2, 4), want));
    CHECK(lct_least_divergence(a, a, 2, 4) == 0);
    CHECK(is(lct_least_divergence(a, b + 4, 1, 4), log(2)));
}

TEST(bins_of_keys_are_sums)
{
    const float w[5] = { 1, 2, 3, 4, 5 };
    double two[2], five[5];

    lct_pool_row(two, 2, w, 5);
    CHECK(two[0] == 6 && two[1] == 9); /* 5 keys: 3 and 2 */
    lct_pool_row(five, 5, w, 5);
    CHECK(five[0] == 1 && five[4] == 5);
}

/* -------------------------------------------------------- receptive field */

TEST(field_by_its_definition)
{
    const double g[5] = { 1, 0, 4, 3, 2 }; /* 10 in all */

    CHECK(lct_receptive_width(g, 4, .2) == 1);
    CHECK(lct_receptive_width(g, 4, .5) == 2);
    CHECK(lct_receptive_width(g, 4, .51) == 3);
    CHECK(lct_receptive_width(g, 4, .9) == 3);
    CHECK(lct_receptive_width(g, 4, .99) == 5);
    CHECK(lct_receptive_width(g, 1, .9) == 2); /* later ones are not seen */
    CHECK(lct_receptive_width((const double[2]){ 0, 0 }, 1, .9) == 0);
}

/*
 * Two models, three lengths, two targets.  From the first length to the next:
 * the least losses there are (2, 4), 6 in all; model 0 then has (2, 3), which
 * gains 1/6, and model 1 (3, 4.2), which gains nothing.  From the second on the
 * least are (2, 3); model 0 has (1.9, 3.5) and gains .1 of 5.
 */
TEST(context_helps_up_to_where_it_gains)
{
    const double loss[2 * 3 * 2] = { 2, 5, 2, 3, 1.9, 3.5, 3, 4, 3, 4.2, 1, 1 };
    const double undefined[4] = { 2, 2, NAN, NAN };
    const struct lct_context_losses x = { 2, 3, 2, loss };
    const struct lct_context_losses ends = { 1, 2, 2, undefined };

    CHECK(lct_effective_context(&x, 0, .01) == 2);
    CHECK(lct_effective_context(&x, 0, .019) == 2);
    CHECK(lct_effective_context(&x, 0, .021) == 1);
    CHECK(lct_effective_context(&x, 0, .16) == 1);
    CHECK(lct_effective_context(&x, 0, .17) == 0);
    /* what it gains later does not count */
    CHECK(lct_effective_context(&x, 1, .01) == 0);
    CHECK(lct_effective_context(&ends, 0, .01) == 0);
}

/* ------------------------------------------------------------------- ridge */

enum { FEATURES = 6, SAMPLES = 512 };

/* Half of the samples to fit, half to judge: mean |predicted - y|. */
static double ridge_error(float x[SAMPLES][FEATURES], const double *y,
                          double lambda)
{
    struct lct_ridge r;
    double error = 0;

    CHECK_OK(lct_ridge_create(&r, FEATURES));
    for (int i = 0; i < SAMPLES / 2; i++)
        lct_ridge_add(&r, x[i], y[i]);
    CHECK(lct_ridge_solve(&r, lambda));
    for (int i = SAMPLES / 2; i < SAMPLES; i++)
        error += fabs(lct_ridge_predict(&r, x[i]) - y[i]) / (SAMPLES / 2);
    lct_ridge_free(&r);
    return error;
}

TEST(planted_positions_are_read_and_noise_is_not)
{
    static float x[SAMPLES][FEATURES];
    double y[SAMPLES], chance = lct_position_chance(ROWS);

    CHECK(chance == ROWS / 4.0);
    CHECK(is(lct_position_chance(3), 2.0 / 3)); /* guess 1 of 0, 1, 2 */
    for (int i = 0; i < SAMPLES; i++) {
        y[i] = (double)(i * 37 % ROWS); /* all, in each half */
        for (int c = 0; c < FEATURES; c++)
            x[i][c] = (float)test_normal();
        x[i][2] += (float)(y[i] / 16);
        x[i][4] = x[i][2] - (float)(y[i] / 16); /* the noise, told */
    }
    /* exact but for float: 128 positions to 2^-24 of 8, times 16 */
    CHECK(ridge_error(x, y, 1e-9) < 1e-3);
    CHECK(ridge_error(x, y, 1e6) > .9 * chance);
    for (int i = 0; i < SAMPLES; i++)
        x[i][2] = (float)test_normal();
    /* nothing to learn from: no better than guessing but for luck: errors of
       32 with a deviation of 18, 256 of them, and 7 numbers fitted */
    CHECK(fabs(ridge_error(x, y, 1e-3) - chance) < 4);
}

/* ------------------------------------------------------------- frequencies */

TEST(the_predicted_pair)
{
    double frequency[16], best = lct_best_angle();

    CHECK(fabs(best - 3.657210) < 1e-6);
    CHECK(fabs(lct_angle_variance(best) - .5405) < 5e-5);
    for (double x = .1; x < 40; x += .1)
        CHECK(lct_angle_variance(x) <= lct_angle_variance(best));
    for (int i = 0; i < 16; i++)
        frequency[i] = pow(10000, -i / 16.0);
    CHECK(fabs(lct_predicted_pair(frequency, 16, 128) -
               16 * log(128 / 3.657210) / log(10000)) < 1e-6);
    CHECK(fabs(lct_predicted_pair(frequency, 16, 128) - 6.2) < .05);
    CHECK(isnan(lct_predicted_pair(frequency, 16, 2)));
}

/* ------------------------------------------------------- tables and biases */

TEST(exact_laws_are_told_apart)
{
    double x[ROWS], y[ROWS], u[ROWS];

    for (int i = 0; i < ROWS; i++) {
        x[i] = i + 1;
        y[i] = 3 - .5 * x[i];
    }
    CHECK(fabs(lct_fit_law(u, LCT_LAW_LINEAR, x, y, ROWS) - 1) < 1e-12);
    CHECK(lct_fit_law(u, LCT_LAW_LOG, x, y, ROWS) < .9);
    CHECK(lct_fit_law(u, LCT_LAW_CONST, x, y, ROWS) == 0);
    for (int i = 0; i < ROWS; i++)
        y[i] = -2 * log(x[i]) + 1;
    CHECK(fabs(lct_fit_law(u, LCT_LAW_LOG, x, y, ROWS) - 1) < 1e-12);
    CHECK(lct_fit_law(u, LCT_LAW_LINEAR, x, y, ROWS) < .9);
    for (int i = 0; i < ROWS; i++)
        y[i] = 4 * pow(x[i], 2.5);
    CHECK(fabs(lct_fit_law(u, LCT_LAW_POWER, x, y, ROWS) - 1) < 1e-12);
    CHECK(lct_fit_law(u, LCT_LAW_LINEAR, x, y, ROWS) < .99);
    for (int i = 0; i < ROWS; i++)
        y[i] = 7;
    for (int law = 0; law < LCT_LAWS; law++)
        CHECK(lct_fit_law(u, (enum lct_law)law, x, y, ROWS) == 0);
}

TEST(a_toeplitz_table_has_share_one)
{
    static double turning[32 * 4], random[32 * 64];
    const double two[4] = { 1, 0, 0, 3 }; /* G = diag(1, 9) */
    double share;

    for (int i = 0; i < 32; i++)
        for (int c = 0; c < 4; c++)
            turning[i * 4 + c] =
                c % 2 ? cos(i * (1 + c / 2)) : sin(i * (1 + c / 2));
    CHECK(fabs(lct_toeplitz_share(turning, 32, 4) - 1) < 1e-12);
    /* mean 5 on the diagonal: 2 x 25 of 1 + 81 */
    CHECK(fabs(lct_toeplitz_share(two, 2, 2) - 50.0 / 82) < 1e-12);
    for (int i = 0; i < 32 * 64; i++)
        random[i] = test_normal();
    /* products beside the diagonal are noise, half of all: 64^2 on it, 64
       beside it, 31 of those */
    share = lct_toeplitz_share(random, 32, 64);
    CHECK(share > .5 && share < .9);
    CHECK(isnan(lct_toeplitz_share((const double[2]){ 0, 0 }, 2, 1)));
}

/* Whole swings over the rows have a line each: sums of squares n a^2 / 2, of
   what does not swing n a^2, and of what turns at every row too. */
TEST(a_swing_has_a_line_of_its_own)
{
    enum { N = 12 };
    double table[N * 4], got[N / 2 + 1];
    const double all = N * 9 + N * 4 / 2.0 + N * 1 / 2.0 + N * .25;
    const double want[N / 2 + 1] = { [0] = N * 9 / all,
                                     [1] = N * 2 / all,
                                     [5] = N / 2.0 / all,
                                     [6] = N * .25 / all };

    for (int i = 0; i < N; i++) {
        const double turn = 2 * acos(-1) * i / N;

        table[i * 4] = 3;
        table[i * 4 + 1] = 2 * sin(turn);
        table[i * 4 + 2] = cos(5 * turn + 1);
        table[i * 4 + 3] = i % 2 ? .5 : -.5;
    }
    lct_table_spectrum(got, table, N, 4);
    for (int k = 0; k <= N / 2; k++)
        CHECK(fabs(got[k] - want[k]) < 1e-12);
    memset(table, 0, sizeof table);
    lct_table_spectrum(got, table, N, 4);
    CHECK(isnan(got[0]));
}

/* ----------------------------------------------------------- over training */

/* 600 steps of 16 rows: 0, and 600 / 64, 600 / 32, ..; of short runs fewer. */
TEST(looks_at_doubling_steps)
{
    static const int64_t due[] = { 0, 9, 18, 37, 75, 150, 300, 600 };
    int64_t seen = 0;

    for (int64_t step = 0; step <= 600; step++)
        if (lct_probe_is_due(step, 600, 16)) {
            CHECK(seen < (int64_t)LEN(due) && step == due[seen]);
            seen++;
        }
    CHECK(seen == (int64_t)LEN(due));
    CHECK(lct_probe_is_due(16, 64, 4) && !lct_probe_is_due(8, 64, 4));
    CHECK(!lct_probe_is_due(0, 3, 2) && !lct_probe_is_due(3, 3, 2));
}
