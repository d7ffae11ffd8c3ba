/* needs: lab */
/* test_identify_arrays.c - tables, biases, weights and scores: the convention
 * that made them is named, and never a wrong one */
#define _GNU_SOURCE
#include "identify_case.h"
#include "locant/files.h"
#include "scratch.h"
#include "testing.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const enum store stores[] = { STORE_BF16, STORE_F16, STORE_F32 };

/* ------------------------------------------------------------------ tables */

/* clang-format off */
static const struct {
    double base;
    bool split, cosines_first, inclusive;
    int start, d;
    const char *want, *beside;
} tables[] = {
    { 1e4, false, false, false, 0, 64, "sinusoidal", "" },
    { 1e4, false, false, false, 0, 512, "sinusoidal", "" },
    { 1e4, true, false, false, 0, 64, "sinusoidal(form=split)", "" },
    { 1e4, true, false, true, 0, 64, "sinusoidal(form=split,spacing=inclusive)",
      "" },
    { 1e4, true, false, true, 2, 512,
      "sinusoidal(form=split,spacing=inclusive,start=2)", "" },
    { 1e4, true, true, false, 0, 64, "sinusoidal(form=split)",
      "cosines first" },
    { 1e4, false, true, false, 0, 64, "sinusoidal", "cosines first" },
    { 1e4, true, true, false, 1, 320, "sinusoidal(form=split,start=1)",
      "cosines first" },
    { 1e4, false, false, true, 0, 64,
      "sinusoidal(form=split,spacing=inclusive)", "interleaved" },
    { 100, false, false, false, 0, 64, "sinusoidal(base=100)", "" },
    { 1e5, true, false, false, 0, 128, "sinusoidal(base=100000,form=split)",
      "" },
};
/* clang-format on */

static void table_and_identify(locant_identity *out, size_t i, enum store store,
                               double factor)
{
    const int L = 512, d = tables[i].d, n = d / 2;
    int64_t shape[] = { L, d };
    double *x = malloc((size_t)(L * d) * sizeof(*x));
    locant_tensor t = locant_dense(x, LOCANT_F64, 2, shape);

    for (int p = 0; p < L; p++)
        for (int c = 0; c < n; c++) {
            double f = pow(tables[i].base,
                           -(double)c / (tables[i].inclusive ? n - 1 : n));
            double angle = f * (p + tables[i].start);
            int a = tables[i].split ? c : 2 * c;
            int b = tables[i].split ? n + c : 2 * c + 1;
            int s = tables[i].cosines_first;

            x[p * d + (s ? b : a)] = stored(factor * sin(angle), store);
            x[p * d + (s ? a : b)] = stored(factor * cos(angle), store);
        }
    CHECK_OK(locant_identify_table(out, &t));
    free(x);
}

TEST(names_tables)
{
    for (size_t i = 0; i < LEN(tables); i++)
        for (int d = 0; d < 3; d++) {
            locant_identity got;

            table_and_identify(&got, i, stores[d], 1);
            if (got.verdict != LOCANT_IDENTIFIED ||
                strcmp(got.spec, tables[i].want) != 0 ||
                strcmp(got.beside, tables[i].beside) != 0)
                FAIL("row %zu, store %d: got %d %s (%s; %s), want %s (%s)\n", i,
                     d, got.verdict, got.spec, got.beside, got.note,
                     tables[i].want, tables[i].beside);
        }
}

TEST(other_tables_are_none_of_these)
{
    locant_random random = { .seed = test_seed(), .stream = 3 };
    double x[64 * 32];
    int64_t shape[] = { 64, 32 };
    locant_tensor t = locant_dense(x, LOCANT_F64, 2, shape);
    locant_identity got;

    for (size_t i = 0; i < LEN(x); i++)
        x[i] = 0.02 * locant_random_normal(&random);
    CHECK_OK(locant_identify_table(&got, &t));
    CHECK(got.verdict == LOCANT_NONE_OF_THESE);
    table_and_identify(&got, 0, STORE_BF16, 8);
    CHECK(got.verdict == LOCANT_NONE_OF_THESE);
    CHECK(strcmp(got.closest, "sinusoidal") == 0);
    /* 32768 roundings of at most 2^-8 average to 2^-15; six times that */
    CHECK(strstr(got.note, "multiplied by ") != NULL);
    CHECK(fabs(atof(strstr(got.note, "multiplied by ") + 14) - 8) < 2e-3);
    t.shape[0] = 1;
    CHECK_OK(locant_identify_table(&got, &t));
    CHECK(got.verdict == LOCANT_UNDECIDED);
}

/* ------------------------------------------------------------------ biases */

enum dialect { PRESS, SYMMETRIC, BLOOM, MPT, FALCON };

/* As ALiBi's authors compute them: a power of two first, then every other one
 * of the power above. */
static double alibi_slope(double max, int h, int H)
{
    int below = 1;

    while (2 * below <= H)
        below *= 2;
    if (h < below)
        return pow(2, -max * (h + 1) / below);
    return pow(2, -max * (2 * (h - below) + 1) / (2.0 * below));
}

static void bias_and_identify(locant_identity *out, enum dialect dialect, int H,
                              double max, double factor, enum store store,
                              int T)
{
    const int S = 96;
    double *b = malloc((size_t)(H * T * S) * sizeof(*b));
    int64_t shape[] = { H, T, S };
    locant_tensor t = locant_dense(b, LOCANT_F64, 3, shape);

    for (int h = 0; h < H; h++)
        for (int i = 0; i < T; i++)
            for (int j = 0; j < S; j++) {
                int q = S - T + i;
                double m = alibi_slope(max, h, H), x = 0;

                switch (dialect) {
                case PRESS: x = -m * (q - j); break;
                case SYMMETRIC: x = -m * abs(q - j); break;
                case BLOOM: x = m * j; break;
                case MPT: x = m * (j - S + 1); break;
                case FALCON:
                    x = rounded_to(rounded_to(m, 8) * rounded_to(j, 8), 8);
                    break;
                }
                b[(h * T + i) * S + j] = j > q && dialect != SYMMETRIC
                                             ? -INFINITY
                                             : stored(factor * x, store);
            }
    CHECK_OK(locant_identify_bias(out, &t));
    free(b);
}

/* clang-format off */
static const struct {
    enum dialect dialect;
    int heads;
    double max, factor;
    const char *want;
} biases[] = {
    { PRESS, 8, 8, 1, "alibi" },
    { PRESS, 16, 8, 1, "alibi" },
    { PRESS, 12, 8, 1, "alibi" },
    { PRESS, 6, 8, 1, "alibi" },
    { PRESS, 32, 16, 1, "alibi(max=16)" },
    { SYMMETRIC, 12, 8, 1, "alibi(symmetric=yes)" },
    { BLOOM, 16, 8, 1, "alibi(dialect=bloom)" },
    { BLOOM, 14, 8, 1, "alibi(dialect=bloom)" },
    { MPT, 8, 8, 1, "alibi(dialect=mpt)" },
    { MPT, 8, 16, 1, "alibi(dialect=mpt,max=16)" },
    { FALCON, 8, 8, 0.125, "alibi(dialect=falcon)" },
    { FALCON, 12, 8, 0.125, "alibi(dialect=falcon)" },
};
/* clang-format on */

TEST(names_biases)
{
    for (size_t i = 0; i < LEN(biases); i++)
        for (int d = 0; d < 3; d++) {
            locant_identity got;

            bias_and_identify(&got, biases[i].dialect, biases[i].heads,
                              biases[i].max, biases[i].factor, stores[d], 96);
            if (got.verdict != LOCANT_IDENTIFIED ||
                strcmp(got.spec, biases[i].want) != 0 ||
                fabs(got.factor - biases[i].factor) > 0.01 * biases[i].factor)
                FAIL("row %zu, store %d: got %d %s factor %g (%s; %s), want "
                     "%s\n",
                     i, d, got.verdict, got.spec, got.factor, got.note,
                     got.closest, biases[i].want);
        }
}

TEST(other_biases_are_none_or_undecided)
{
    locant_identity got;

    /* Of the last query alone press and mpt are one row. */
    bias_and_identify(&got, PRESS, 8, 8, 1, STORE_BF16, 1);
    CHECK(got.verdict == LOCANT_UNDECIDED && got.n_remaining == 2);
    CHECK(strcmp(got.remaining[0], "alibi") == 0);
    CHECK(strcmp(got.remaining[1], "alibi(dialect=mpt)") == 0);
    /* An exact bias times a factor is no dialect. */
    bias_and_identify(&got, PRESS, 8, 8, 3, STORE_F32, 96);
    CHECK(got.verdict == LOCANT_NONE_OF_THESE);
    CHECK(strcmp(got.closest, "alibi") == 0);
}

/* A mask may be written as one number for all keys after their query. */
TEST(biases_with_a_mask_of_numbers_are_named)
{
    enum { H = 8, T = 48 };
    static const double masks[] = { 0, -1e9, -1e4 };
    float *b = malloc(sizeof(*b) * H * T * T);
    locant_tensor t = locant_dense(b, LOCANT_F32, 3, (int64_t[3]){ H, T, T });
    locant_identity got;

    CHECK(b != NULL);
    for (size_t m = 0; m < LEN(masks); m++) {
        for (int i = 0; i < H * T * T; i++) {
            const int q = i / T % T, k = i % T;

            b[i] =
                (float)(k > q ? masks[m] : -exp2(-(1 + i / (T * T))) * (q - k));
        }
        CHECK_OK(locant_identify_bias(&got, &t));
        CHECK(got.verdict == LOCANT_IDENTIFIED);
        assert_string_equal(got.spec, "alibi");
        CHECK(strstr(got.note, "taken to be hidden") != NULL);
    }
    b[1] = -3; /* one of them is another number */
    CHECK_OK(locant_identify_bias(&got, &t));
    CHECK(got.verdict == LOCANT_NONE_OF_THESE);
    free(b);
}

/* ----------------------------------------------------------------- weights */

/* Rows of weights [heads d, columns], and the same in the other order, rows
 * first .. first + r - 1 of each head; 'noise' is that of a quantisation. */
static void weights_and_identify(locant_identity *out, int heads, int d, int r,
                                 int first, bool back, double noise,
                                 int64_t head_dim)
{
    enum { COLUMNS = 24 };
    locant_random random = { .seed = test_seed(), .stream = 4 };
    int rows = heads * d;
    double *half = malloc((size_t)(rows * COLUMNS) * 8);
    double *other = malloc((size_t)(rows * COLUMNS) * 8);
    int64_t shape[] = { rows, COLUMNS };
    locant_tensor a = locant_dense(back ? other : half, LOCANT_F64, 2, shape);
    locant_tensor b = locant_dense(back ? half : other, LOCANT_F64, 2, shape);

    for (int i = 0; i < rows * COLUMNS; i++)
        half[i] = locant_random_normal(&random);
    for (int i = 0; i < rows; i++) {
        int at = i % d - first, from = i;

        /* interleaved row 2c is half row c, and 2c + 1 is r/2 + c */
        if (at >= 0 && at < r)
            from = i - at + (at % 2 ? r / 2 + at / 2 : at / 2);
        for (int c = 0; c < COLUMNS; c++)
            other[i * COLUMNS + c] =
                half[from * COLUMNS + c] +
                noise * (2 * locant_random_uniform(&random) - 1);
    }
    CHECK_OK(locant_identify_weights(out, &a, &b, head_dim));
    free(half);
    free(other);
}

TEST(names_the_order_of_weights)
{
    locant_identity got;

    weights_and_identify(&got, 4, 64, 64, 0, false, 0, 0);
    CHECK(got.verdict == LOCANT_IDENTIFIED);
    CHECK(strcmp(got.spec, "half to interleaved") == 0);
    CHECK(strcmp(got.beside, "64 channels of heads of 64") == 0);
    weights_and_identify(&got, 4, 64, 64, 0, true, 0.05, 64);
    CHECK(got.verdict == LOCANT_IDENTIFIED);
    CHECK(strcmp(got.spec, "interleaved to half") == 0);
    weights_and_identify(&got, 3, 80, 32, 0, false, 0.05, 0);
    CHECK(got.verdict == LOCANT_IDENTIFIED);
    CHECK(strcmp(got.beside, "32 leading channels of heads of 80") == 0);
    weights_and_identify(&got, 2, 96, 32, 64, false, 0, 0);
    CHECK(got.verdict == LOCANT_IDENTIFIED);
    CHECK(strcmp(got.beside, "32 trailing channels of heads of 96") == 0);
    weights_and_identify(&got, 4, 32, 0, 0, false, 0.05, 0);
    CHECK(got.verdict == LOCANT_IDENTIFIED && strcmp(got.spec, "same") == 0);
    /* The order of 4 channels is its own inverse. */
    weights_and_identify(&got, 4, 4, 4, 0, false, 0, 4);
    CHECK(got.verdict == LOCANT_UNDECIDED && got.n_remaining == 2);
    /* Heads of 80 are not heads of 40. */
    weights_and_identify(&got, 4, 80, 80, 0, false, 0, 40);
    CHECK(got.verdict == LOCANT_NONE_OF_THESE);
}

/* The same from two safetensors files, where the names differ. */
TEST(names_the_order_of_tensors_in_files)
{
    FREED_BY(scratch_remove) struct scratch s = scratch_make();
    float half[16 * 4], other[16 * 4];
    int64_t shape[] = { 16, 4 };
    locant_named_tensor a = { "q_proj", { 0 } }, b = { "attn_q", { 0 } };
    char path[2][PATH_MAX];
    locant_identity got;

    for (int i = 0; i < 16 * 4; i++)
        half[i] = (float)(i * i % 61);
    /* heads of 8: row 2c is half row c, and 2c + 1 is row 4 + c */
    for (int i = 0; i < 16; i++)
        memcpy(other + 4 * i,
               half + 4 * (i / 8 * 8 + i % 8 / 2 + (i % 2 ? 4 : 0)),
               4 * sizeof(float));
    a.tensor = locant_dense(half, LOCANT_F32, 2, shape);
    b.tensor = locant_dense(other, LOCANT_F32, 2, shape);
    for (int i = 0; i < 2; i++)
        snprintf(path[i], sizeof path[i], "%s/%d.safetensors", s.path, i);
    CHECK_OK(locant_tensors_write(path[0], &a, 1, NULL, 0));
    CHECK_OK(locant_tensors_write(path[1], &b, 1, NULL, 0));
    CHECK_OK(
        locant_identify_files(&got, path[0], "q_proj", path[1], "attn_q", 8));
    CHECK(got.verdict == LOCANT_IDENTIFIED);
    CHECK(strcmp(got.spec, "half to interleaved") == 0);
    CHECK(locant_identify_files(&got, path[0], "q_proj", path[1], "q_proj",
                                8) == LOCANT_ERR_PARAM);
    CHECK(strstr(locant_last_error(), "has no tensor 'q_proj'") != NULL);
}

TEST(refuses_bad_arguments)
{
    float x[24] = { 0 };
    int64_t shape[] = { 2, 3, 4 };
    locant_tensor t = locant_dense(x, LOCANT_F32, 3, shape);
    locant_tensor u = locant_dense(x, LOCANT_F32, 2, shape);
    locant_tensor i = locant_dense(x, LOCANT_I32, 3, shape);
    locant_tensor none = locant_dense(NULL, LOCANT_I64, 1, shape + 1);
    locant_identity r;

    REFUSES(NULL, locant_identify_rotation(NULL, &t, &t, NULL), "out is NULL");
    REFUSES(NULL, locant_identify_rotation(&r, NULL, &t, NULL), "x is NULL");
    REFUSES(NULL, locant_identify_rotation(&r, &t, NULL, NULL), "y is NULL");
    REFUSES(DTYPE, locant_identify_rotation(&r, &i, &t, NULL),
            "x has dtype i32, expected f32, f16, bf16 or f64");
    REFUSES(SHAPE, locant_identify_rotation(&r, &t, &u, NULL),
            "y has rank 2, expected 3 as x");
    REFUSES(DTYPE, locant_identify_rotation(&r, &t, &t, &i),
            "positions has dtype i32, expected i64 or f64");
    REFUSES(NULL, locant_identify_rotation(&r, &t, &t, &none),
            "positions has no data");
    REFUSES(SHAPE, locant_identify_table(&r, &t),
            "table has rank 3 and 4 columns, expected [L, D] with D even and "
            "at least 4");
    REFUSES(SHAPE, locant_identify_bias(&r, &u),
            "bias has rank 2, expected [H, T, S] with T at most S");
    REFUSES(PARAM, locant_identify_weights(&r, &t, &t, 3),
            "head_dim is 3, expected a divisor of the 2 rows, or 0");
    x[5] = NAN;
    REFUSES(PARAM, locant_identify_rotation(&r, &t, &t, NULL),
            "x has the entry nan at element 5, expected finite numbers");
}

/* ------------------------------------------------------------------ scores */

static void scores_and_identify(locant_identity *out, const struct rotation *r,
                                double scale, enum store store, int T, int H)
{
    int d = r->d;
    size_t n = (size_t)(H * T * d);
    double *q = malloc(n * 8), *k = malloc(n * 8), *y = malloc(2 * n * 8);
    double *s = malloc((size_t)(H * T * T) * 8);
    int64_t of_q[] = { 1, H, T, d }, of_s[] = { 1, H, T, T };
    locant_random random = { .seed = test_seed(), .stream = 5 };
    locant_tensor tq = locant_dense(q, LOCANT_F64, 4, of_q);
    locant_tensor tk = locant_dense(k, LOCANT_F64, 4, of_q);
    locant_tensor ts = locant_dense(s, LOCANT_F64, 4, of_s);

    for (size_t i = 0; i < n; i++) {
        q[i] = stored(locant_random_normal(&random), store);
        k[i] = stored(locant_random_normal(&random), store);
    }
    for (int i = 0; i < H * T; i++) {
        rotate_row(y + i * d, q + i * d, r, i % T, store);
        rotate_row(y + n + i * d, k + i * d, r, i % T, store);
    }
    for (int h = 0; h < H; h++)
        for (int i = 0; i < T; i++)
            for (int j = 0; j < T; j++) {
                double dot = 0;

                for (int c = 0; c < d; c++)
                    dot +=
                        y[(h * T + i) * d + c] * (y + n)[(h * T + j) * d + c];
                s[(h * T + i) * T + j] = j <= i  ? stored(scale * dot, store)
                                         : i % 2 ? -INFINITY
                                                 : (double)-FLT_MAX;
            }
    CHECK_OK(locant_identify_scores(out, &tq, &tk, &ts, NULL));
    free(q);
    free(k);
    free(y);
    free(s);
}

/* clang-format off */
static const struct {
    struct rotation r;
    double scale;
} scores[] = {
    { { .d = 16, .base = 1e4, .want = "rope" }, 0.25 },
    { { .d = 16, .base = 1e4, .interleaved = true,
      .want = "rope(pairing=interleaved)" }, 0.25 },
    { { .d = 32, .base = 1e3, .want = "rope(base=1000)" }, 0.1767766952966369 },
    { { .d = 32, .r = 16, .base = 1e4, .want = "rope(dim=16)" },
      0.1767766952966369 },
    { { .d = 32, .r = 16, .base = 1e4, .trailing = true, .interleaved = true,
      .want = "rope(pairing=interleaved,dim=16,side=trailing)" }, 1 },
    { { .d = 32, .base = 1e3, .scaling = LINEAR, .factor = 2,
      .want = "rope(base=1000,scaling=linear(factor=2))" },
      0.1767766952966369 },
    { { .d = 16, .base = 1e4, .backwards = true, .want = "rope" }, 0.25 },
    { { .d = 32, .base = 1e3, .scaling = YARN, .factor = 4, .original = 1024,
      .want = "rope(base=1000,scaling=yarn(factor=4,original=1024))" },
      0.1767766952966369 },
};
/* clang-format on */

TEST(names_rotations_of_scores)
{
    for (size_t i = 0; i < LEN(scores); i++)
        for (int d = 0; d < 2; d++) {
            const struct rotation *r = &scores[i].r;
            enum store store = d == 0 ? STORE_BF16 : STORE_F32;
            locant_identity got;

            scores_and_identify(&got, r, scores[i].scale, store, 256,
                                r->d == 16 ? 4 : 8);
            if (got.verdict != LOCANT_IDENTIFIED ||
                strcmp(got.spec, r->want) != 0 ||
                got.sign != (r->backwards ? -1 : 1) ||
                strcmp(got.dtype, d == 0 ? "bfloat16" : "float32") != 0 ||
                fabs(got.factor - scores[i].scale) > 0.01 * scores[i].scale)
                FAIL("row %zu, store %d: got %d %s factor %g sign %d (%s; %s), "
                     "want %s\n",
                     i, (int)store, got.verdict, got.spec, got.factor, got.sign,
                     got.note, got.remaining[0], r->want);
        }
}

/* Scores of queries and keys that are not rotated at all, times 1/2. */
TEST(unrotated_scores_are_none)
{
    const struct rotation still = {
        .d = 16, .base = 1e4, .scaling = PROPORTIONAL, .keep = 0
    };
    locant_identity got;

    scores_and_identify(&got, &still, 0.5, STORE_BF16, 64, 8);
    CHECK(got.verdict == LOCANT_IDENTIFIED);
    CHECK(strcmp(got.spec, "none") == 0);
    CHECK(fabs(got.factor - 0.5) < 1e-3);
}
