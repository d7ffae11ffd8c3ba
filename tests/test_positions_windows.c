/* test_positions_windows.c - caches, groups, distances, temperatures */
#include "testing.h"
#include "oracle/positions.h"
#include "positions/distance.h"
#include <math.h>
#include <string.h>

static locant_tensor vector(int64_t n)
{
    return TENSOR(I64, n);
}

static int64_t at(const locant_tensor *t, int64_t i)
{
    return ((const int64_t *)t->data)[i];
}

/* --------------------------------------------------------------- streaming */

static void check_streaming(int64_t seen, int64_t sinks, int64_t recent,
                            const struct oracle_cache *want)
{
    int64_t kept = -1;
    locant_tensor tokens, places;

    CHECK_OK(locant_streaming_kept(&kept, seen, sinks, recent));
    CHECK(kept == want->n);
    tokens = vector(kept);
    places = vector(kept);
    CHECK_OK(locant_positions_streaming(&tokens, &places, seen, sinks, recent));
    for (int64_t c = 0; c < kept; c++)
        CHECK(at(&tokens, c) == want->token[c] && at(&places, c) == c);
    test_tensor_free(&tokens);
    test_tensor_free(&places);
}

/* encodings.md 10.4, then a simulation. */
TEST(the_cache_keeps_sinks_and_the_newest)
{
    static struct oracle_cache c = { { 0, 1, 2, 3, 8, 9, 10, 11 }, 8 };

    check_streaming(12, 4, 4, &c);
    for (int round = 0; round < 300; round++) {
        int64_t seen = test_range(0, 60), sinks = test_range(0, 8);
        int64_t recent = test_range(1, 12);

        oracle_cache_fill(&c, seen, sinks, recent);
        check_streaming(seen, sinks, recent, &c);
    }
}

TEST(streaming_refusals)
{
    int64_t kept = 7;
    locant_tensor two = vector(2);

    CHECK_OK(locant_streaming_kept(&kept, 5, INT64_MAX, INT64_MAX));
    CHECK(kept == 5);
    REFUSES(PARAM, locant_streaming_kept(&kept, 5, 4, 0),
            "recent is 0, expected at least 1");
    REFUSES(PARAM, locant_streaming_kept(&kept, -1, 4, 1),
            "seen is -1, expected at least 0");
    REFUSES(SHAPE, locant_positions_streaming(&two, NULL, 12, 4, 4),
            "tokens has size 2 in dimension 0, expected 8");
    CHECK(kept == 5);
    test_tensor_free(&two);
}

/* ------------------------------------------------------------------ groups */

TEST(selfextend_groups_positions)
{
    for (int round = 0; round < 200; round++) {
        int64_t T = test_range(1, 30), group = test_range(1, 9);
        int64_t window = test_range(1, 40);
        OWNED(locant_tensor) p = TENSOR(I64, 1, T);
        OWNED(locant_tensor) q = TENSOR(I64, 1, T);
        OWNED(locant_tensor) k = TENSOR(I64, 1, T);

        for (int64_t t = 0; t < T; t++)
            ((int64_t *)p.data)[t] = test_range(-100, 1000);
        CHECK_OK(locant_positions_selfextend(&q, &k, &p, group, window));
        for (int64_t t = 0; t < T; t++) {
            double g = floor((double)at(&p, t) / (double)group);
            double moved =
                g + (double)window - floor((double)window / (double)group);

            CHECK((double)at(&k, t) == g && (double)at(&q, t) == moved);
        }
        ((int64_t *)k.data)[0] = 12345;
        CHECK_OK(locant_positions_selfextend(NULL, &k, &p, group, window));
        CHECK((double)at(&k, 0) == floor((double)at(&p, 0) / (double)group));
    }
}

TEST(selfextend_refusals)
{
    OWNED(locant_tensor) p = TENSOR(I64, 1, 1);
    OWNED(locant_tensor) q = TENSOR(I64, 1, 1);

    REFUSES(PARAM, locant_positions_selfextend(&q, NULL, &p, 0, 4),
            "group is 0, expected at least 1");
    REFUSES(NULL, locant_positions_selfextend(NULL, NULL, &p, 1, 4),
            "q_out and k_out are NULL, expected at least one");
    REFUSES(ALIAS, locant_positions_selfextend(&p, NULL, &p, 1, 4),
            "an output overlaps an input");
    /* the largest grouped position there is: it still fits */
    for (int64_t group = 1; group < 1000; group += 37) {
        ((int64_t *)p.data)[0] = INT64_MAX;
        CHECK_OK(locant_positions_selfextend(&q, NULL, &p, group, INT64_MAX));
        CHECK(at(&q, 0) == INT64_MAX);
    }
}

static void check_longlora(const locant_tensor *groups, int64_t T,
                           int64_t group, const int64_t *shifted)
{
    for (int64_t t = 0; t < T; t++)
        CHECK(at(groups, t) == t / group && at(groups, T + t) == shifted[t]);
}

TEST(longlora_shifts_half_of_the_heads)
{
    static const int64_t roll8[] = { 1, 1, 0, 0, 0, 0, 1, 1 };
    static const int64_t cut8[] = { 0, 0, 1, 1, 1, 1, 2, 2 };
    locant_tensor g = TENSOR(I64, 2, 8);
    int64_t want[400];

    CHECK_OK(locant_positions_longlora(&g, 4, LOCANT_LONGLORA_ROLL));
    check_longlora(&g, 8, 4, roll8);
    CHECK_OK(locant_positions_longlora(&g, 4, LOCANT_LONGLORA_CUT));
    check_longlora(&g, 8, 4, cut8);
    REFUSES(PARAM, locant_positions_longlora(&g, 6, LOCANT_LONGLORA_CUT),
            "group is 6, expected an even divisor of the 8 tokens");
    CHECK(locant_positions_longlora(&g, 1, LOCANT_LONGLORA_CUT) ==
          LOCANT_ERR_PARAM);
    test_tensor_free(&g);
    for (int64_t group = 2; group <= 12; group += 2)
        for (int64_t n = 1; n <= 8; n++) {
            int64_t T = group * n;

            g = TENSOR(I64, 2, T);
            CHECK_OK(
                locant_positions_longlora(&g, group, LOCANT_LONGLORA_ROLL));
            oracle_longlora_roll(want, T, group);
            check_longlora(&g, T, group, want);
            CHECK_OK(locant_positions_longlora(&g, group, LOCANT_LONGLORA_CUT));
            oracle_longlora_cut(want, T, group);
            check_longlora(&g, T, group, want);
            test_tensor_free(&g);
        }
}

/* --------------------------------------------------------------- distances */

static void check_row(const locant_distance_form *form, int64_t i,
                      const double *want)
{
    for (int64_t j = 0; j <= i; j++) {
        double got = -1;

        CHECK_OK(locant_distance(&got, form, i, j));
        CHECK(got == want[j]);
    }
}

/* encodings.md 10.3: row 7, window 4; all are exact in binary. */
TEST(distances_match_the_examples)
{
    locant_distance_form f = {
        .window = 4, .group = 2, .factor = 2, .sinks = 2
    };

    f.kind = LOCANT_DISTANCE_REROPE;
    check_row(&f, 7, (const double[]){ 4, 4, 4, 4, 3, 2, 1, 0 });
    f.kind = LOCANT_DISTANCE_LEAKY;
    check_row(&f, 7, (const double[]){ 5.5, 5, 4.5, 4, 3, 2, 1, 0 });
    f.kind = LOCANT_DISTANCE_SELFEXTEND;
    check_row(&f, 7, (const double[]){ 5, 5, 4, 4, 3, 2, 1, 0 });
    /* 2 sinks and 4 recent: 0 1 4 5 6 7 at 0 .. 5 */
    f.kind = LOCANT_DISTANCE_STREAMING;
    check_row(&f, 7, (const double[]){ 5, 4, INFINITY, INFINITY, 3, 2, 1, 0 });
}

/* LEAKY is rounded twice, each 2^-53 of at most the sum of its parts. */
static void check_pair(const locant_distance_form *f, int64_t i, int64_t j,
                       double got)
{
    static struct oracle_cache c;
    long double want = 0;

    switch (f->kind) {
    case LOCANT_DISTANCE_REROPE: want = oracle_rerope(f->window, i, j); break;
    case LOCANT_DISTANCE_LEAKY:
        want = oracle_leaky(f->window, f->factor, i, j);
        break;
    case LOCANT_DISTANCE_SELFEXTEND:
        want = oracle_selfextend(f->window, f->group, i, j);
        break;
    case LOCANT_DISTANCE_STREAMING:
        oracle_cache_fill(&c, i + 1, f->sinks, f->window);
        want = oracle_cache_find(&c, j) < 0
                   ? (long double)INFINITY
                   : (long double)(c.n - 1 - oracle_cache_find(&c, j));
        break;
    }
    if (f->kind == LOCANT_DISTANCE_LEAKY)
        CHECK(fabsl(got - want) <= 2 * 0x1p-53L * fabsl(want) + 0x1p-52L);
    else
        CHECK(got == (double)want);
}

TEST(distances_follow_the_two_score_matrices)
{
    for (int round = 0; round < 400; round++) {
        locant_distance_form f = { .kind = (locant_distance_kind)(round % 4),
                                   .window = test_range(1, 12),
                                   .group = test_range(1, 6),
                                   .factor = 1 + 4 * fabs(test_uniform()),
                                   .sinks = test_range(0, 5) };
        int64_t T = test_range(0, 7), S = test_range(0, 20);
        locant_tensor q = vector(T), k = vector(S);
        OWNED(locant_tensor) out = TENSOR(F64, T, S);
        OWNED(locant_tensor) less = TENSOR(F32, T, S);

        for (int64_t i = 0; i < T; i++)
            ((int64_t *)q.data)[i] = test_range(0, 40);
        for (int64_t j = 0; j < S; j++)
            ((int64_t *)k.data)[j] = test_range(0, 40);
        CHECK_OK(locant_distances(&out, &f, &q, &k));
        CHECK_OK(locant_distances(&less, &f, &q, &k));
        for (int64_t n = 0; n < T * S; n++) {
            double got = ((double *)out.data)[n];

            check_pair(&f, at(&q, n / S), at(&k, n % S), got);
            CHECK(((float *)less.data)[n] == (float)got);
        }
        test_tensor_free(&q);
        test_tensor_free(&k);
    }
}

/* The ends of int64: no overflow (the sanitizers watch), the right limit. */
TEST(distances_at_the_ends_of_int64)
{
    locant_distance_form f = {
        .window = 4, .group = 1, .factor = 1, .sinks = INT64_MAX
    };
    double x = 0;

    CHECK_OK(locant_distance(&x, &f, INT64_MAX, INT64_MIN));
    CHECK(x == 4);
    CHECK_OK(locant_distance(&x, &f, INT64_MIN, INT64_MAX));
    CHECK(x == -0x1p63);
    f.kind = LOCANT_DISTANCE_LEAKY;
    CHECK_OK(locant_distance(&x, &f, INT64_MAX, INT64_MIN));
    CHECK(x == 0x1p63);
    f.kind = LOCANT_DISTANCE_SELFEXTEND;
    CHECK_OK(locant_distance(&x, &f, INT64_MAX, 0));
    CHECK(x == 0x1p63);
    f.group = INT64_MAX;
    CHECK_OK(locant_distance(&x, &f, INT64_MAX, INT64_MIN));
    CHECK(x == 3 + 4); /* floor: 1 - (-2), and 4 - 0 */
    f.kind = LOCANT_DISTANCE_STREAMING;
    CHECK_OK(locant_distance(&x, &f, INT64_MAX, 0));
    CHECK(x == 0x1p63);
    CHECK_OK(locant_distance(&x, &f, 5, 6));
    CHECK(x == (double)INFINITY);
}

TEST(distance_refusals)
{
    locant_distance_form f = { .window = 0 };
    double x = 7;

    REFUSES(PARAM, locant_distance(&x, &f, 1, 0),
            "window is 0, expected at least 1");
    f.window = 1;
    f.kind = LOCANT_DISTANCE_LEAKY;
    f.factor = NAN;
    REFUSES(PARAM, locant_distance(&x, &f, 1, 0),
            "factor is nan, expected a finite number of at least 1");
    f.kind = LOCANT_DISTANCE_SELFEXTEND;
    REFUSES(PARAM, locant_distance(&x, &f, 1, 0),
            "group is 0, expected at least 1");
    f.kind = LOCANT_DISTANCE_STREAMING;
    f.sinks = -1;
    REFUSES(PARAM, locant_distance(&x, &f, 1, 0),
            "sinks is -1, expected at least 0");
    f.kind = (locant_distance_kind)9;
    REFUSES(PARAM, locant_distance(&x, &f, 1, 0),
            "kind is 9, expected 0 (rerope), 1 (leaky), 2 (selfextend) or 3 "
            "(streaming)");
    REFUSES(NULL, locant_distance(&x, NULL, 1, 0), "form is NULL");
    CHECK(x == 7);
}

/* ------------------------------------------------------------- temperature */

/* encodings.md 10.6, to its ten digits. */
TEST(temperatures_match_the_examples)
{
    static const struct {
        int64_t p;
        double want;
    } llama[] = { { 8190, 1 },
                  { 8191, 1.0693147181 },
                  { 16382, 1.0693147181 },
                  { 16383, 1.1098612289 },
                  { 131071, 1.2833213344 },
                  { 1000000, 1.4812184355 } },
      ministral[] = { { 16382, 1 },
                      { 131071, 1.2079441542 },
                      { 1000000, 1.4127134385 } };
    locant_temperature_form f = { LOCANT_TEMPERATURE_LLAMA4, 0.1, 8192 };
    double x;

    for (size_t i = 0; i < LEN(llama); i++) {
        CHECK_OK(locant_temperature(&x, &f, llama[i].p));
        CHECK(fabs(x - llama[i].want) <= 0.5001e-10);
    }
    f.kind = LOCANT_TEMPERATURE_MINISTRAL;
    f.length = 16384;
    for (size_t i = 0; i < LEN(ministral); i++) {
        CHECK_OK(locant_temperature(&x, &f, ministral[i].p));
        CHECK(fabs(x - ministral[i].want) <= 0.5001e-10);
    }
    /* log-n is exactly 1 up to the trained length, and 2 at its square */
    f.kind = LOCANT_TEMPERATURE_LOGN;
    f.length = 128;
    CHECK_OK(locant_temperature(&x, &f, 127));
    CHECK(x == 1);
    CHECK_OK(locant_temperature(&x, &f, 128 * 128 - 1));
    CHECK(fabs(x - 2) <= 4 * 0x1p-52);
}

/*
 * log is within 1 ulp, the division or the product and the sum round once
 * each: 4 * 2^-53 of the largest number met, plus the rounding of the argument
 * of the logarithm, 2^-53 (absolute, in the logarithm) times the scale.
 */
TEST(temperatures_follow_the_formulas)
{
    const int64_t n = 50;
    locant_tensor p = vector(n), out = TENSOR(F64, n);
    OWNED(locant_tensor) less = TENSOR(F32, n);

    for (int round = 0; round < 200; round++) {
        locant_temperature_form f = { .kind =
                                          (locant_temperature_kind)(round % 4),
                                      .scale = 2 * test_uniform(),
                                      .length = test_range(2, 10000) };

        for (int64_t t = 0; t < n; t++)
            ((int64_t *)p.data)[t] =
                t < 3 ? f.length + t - 2 : test_range(0, 1000000);
        CHECK_OK(locant_temperatures(&out, &f, &p));
        CHECK_OK(locant_temperatures(&less, &f, &p));
        for (int64_t t = 0; t < n; t++) {
            double got = ((double *)out.data)[t];
            long double want =
                oracle_temperature((int)f.kind, f.scale, f.length, at(&p, t));
            long double size = 1 + fabsl(want) + fabsl(want - 1);

            CHECK(fabsl(got - want) <= 0x1p-53L * (4 * size + 2));
            CHECK(((float *)less.data)[t] == (float)got);
        }
    }
    test_tensor_free(&p);
    test_tensor_free(&out);
}

TEST(temperature_refusals)
{
    locant_temperature_form f = { LOCANT_TEMPERATURE_LOGN, 0, 1 };
    double x = 7;

    REFUSES(PARAM, locant_temperature(&x, &f, 0),
            "length is 1, expected at least 2");
    f.length = 2;
    REFUSES(PARAM, locant_temperature(&x, &f, -1),
            "position is -1, expected at least 0");
    f.kind = LOCANT_TEMPERATURE_LLAMA4;
    f.scale = INFINITY;
    REFUSES(PARAM, locant_temperature(&x, &f, 0),
            "scale is inf, expected a number from -1e30 to 1e30");
    f.kind = (locant_temperature_kind)7;
    REFUSES(PARAM, locant_temperature(&x, &f, 0),
            "kind is 7, expected 0 (llama4), 1 (ministral), 2 (logn) or 3 "
            "(inkling)");
    CHECK(x == 7);
    f = (locant_temperature_form){ LOCANT_TEMPERATURE_LLAMA4, 0.1, INT64_MAX };
    CHECK_OK(locant_temperature(&x, &f, INT64_MAX));
    CHECK(x == 1 + 0.1 * log(2));
}
