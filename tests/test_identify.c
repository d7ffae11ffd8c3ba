/* needs: lab */
/*
 * test_identify.c - the convention of an array is named, and never a wrong one
 *
 * The generator is of the papers and of transformers' formulas, in double, and
 * shares nothing with the code under test.
 */
#include "identify_case.h"
#include "testing.h"
#include <math.h>
#include <string.h>

/* clang-format off */
static const struct rotation rotations[] = {
    /* pairing and width */
    { .d = 64, .base = 1e4, .want = "rope" },
    { .d = 64, .base = 1e4, .interleaved = true,
      .want = "rope(pairing=interleaved)" },
    { .d = 128, .base = 1e4, .want = "rope" },
    { .d = 128, .base = 1e4, .interleaved = true,
      .want = "rope(pairing=interleaved)" },
    { .d = 64, .r = 16, .base = 1e4, .want = "rope(dim=16)" },
    { .d = 80, .r = 32, .base = 1e4, .want = "rope(dim=32)" },
    { .d = 80, .r = 20, .base = 1e4, .want = "rope(dim=20)" },
    { .d = 96, .r = 32, .base = 1e4, .interleaved = true,
      .want = "rope(pairing=interleaved,dim=32)" },
    { .d = 128, .r = 64, .base = 1e4, .interleaved = true,
      .want = "rope(pairing=interleaved,dim=64)" },
    { .d = 96, .r = 32, .base = 1e4, .trailing = true,
      .want = "rope(dim=32,side=trailing)" },
    { .d = 96, .r = 32, .base = 1e4, .trailing = true, .interleaved = true,
      .want = "rope(pairing=interleaved,dim=32,side=trailing)" },
    /* bases */
    { .d = 64, .base = 100, .want = "rope(base=100)" },
    { .d = 64, .base = 5e4, .want = "rope(base=50000)" },
    { .d = 64, .base = 1.6e5, .want = "rope(base=160000)" },
    { .d = 64, .base = 5e5, .want = "rope(base=500000)" },
    { .d = 128, .base = 5e5, .interleaved = true,
      .want = "rope(base=500000,pairing=interleaved)" },
    { .d = 64, .base = 1e6, .want = "rope(base=1000000)" },
    { .d = 64, .base = 5e6, .want = "rope(base=5000000)" },
    { .d = 80, .r = 32, .base = 5e5, .want = "rope(base=500000,dim=32)" },
    /* exponents over the head's width: another base of the rotated part */
    { .d = 64, .r = 32, .base = 1e4, .over_head = true,
      .want = "rope(base=100,dim=32)" },
    { .d = 64, .r = 32, .base = 1e6, .over_head = true, .interleaved = true,
      .want = "rope(base=1000,pairing=interleaved,dim=32)" },
    /* sign and offset */
    { .d = 64, .base = 1e4, .backwards = true, .want = "rope" },
    { .d = 64, .base = 1e4, .interleaved = true, .backwards = true,
      .want = "rope(pairing=interleaved)" },
    { .d = 64, .base = 1e4, .offset = 1, .want = "rope" },
    { .d = 64, .base = 1e4, .offset = -3, .want = "rope" },
    { .d = 64, .base = 5e5, .offset = 2048, .want = "rope(base=500000)" },
    { .d = 80, .r = 32, .base = 1e4, .offset = 7, .backwards = true,
      .want = "rope(dim=32)" },
    /* linear */
    { .d = 64, .base = 1e4, .scaling = LINEAR, .factor = 2,
      .want = "rope(scaling=linear(factor=2))" },
    { .d = 64, .base = 1e4, .scaling = LINEAR, .factor = 4,
      .want = "rope(scaling=linear(factor=4))" },
    { .d = 64, .rows = 4096, .base = 1e6, .scaling = LINEAR, .factor = 8,
      .want = "rope(base=1000000,scaling=linear(factor=8))" },
    { .d = 64, .base = 1e4, .scaling = LINEAR, .factor = 8, .interleaved = true,
      .want = "rope(pairing=interleaved,scaling=linear(factor=8))" },
    { .d = 80, .r = 32, .base = 1e4, .scaling = LINEAR, .factor = 2.5,
      .want = "rope(dim=32,scaling=linear(factor=2.5))" },
    /* ntk: a larger base */
    { .d = 64, .base = 1e4, .scaling = NTK, .factor = 2,
      .want = "rope(scaling=ntk(factor=2))" },
    { .d = 64, .base = 1e4, .scaling = NTK, .factor = 8,
      .want = "rope(scaling=ntk(factor=8))" },
    { .d = 128, .base = 1e4, .scaling = NTK, .factor = 4, .interleaved = true,
      .want = "rope(pairing=interleaved,scaling=ntk(factor=4))" },
    /* llama3 */
    { .d = 64, .rows = 4096, .base = 5e5, .scaling = LLAMA3, .factor = 32,
      .low = 1, .high = 4, .original = 8192,
      .want = "rope(base=500000,scaling=llama3(factor=32))" },
    { .d = 128, .base = 5e5, .scaling = LLAMA3, .factor = 8, .low = 1,
      .high = 4, .original = 8192, .want = "rope(base=500000,scaling=llama3)" },
    { .d = 128, .base = 5e5, .scaling = LLAMA3, .factor = 8, .low = 1,
      .high = 4, .original = 8192, .interleaved = true,
      .want = "rope(base=500000,pairing=interleaved,scaling=llama3)" },
    { .d = 128, .base = 5e5, .scaling = LLAMA3, .factor = 8, .low = 1,
      .high = 4, .original = 4096,
      .want = "rope(base=500000,scaling=llama3(original=4096))" },
    { .d = 128, .base = 1e4, .scaling = LLAMA3, .factor = 4, .low = 1,
      .high = 8, .original = 2048,
      .want = "rope(scaling=llama3(factor=4,high=8,original=2048))" },
    /* yarn */
    { .d = 128, .base = 1e6, .scaling = YARN, .factor = 4, .original = 32768,
      .want = "rope(base=1000000,scaling=yarn(factor=4,original=32768))" },
    { .d = 128, .base = 5e5, .scaling = YARN, .factor = 8, .original = 8192,
      .want = "rope(base=500000,scaling=yarn(factor=8,original=8192))" },
    { .d = 128, .base = 5e5, .scaling = YARN, .factor = 8, .original = 8192,
      .gain = 1,
      .want = "rope(base=500000,scaling=yarn(factor=8,original=8192,"
              "attention=1))" },
    { .d = 128, .base = 5e5, .scaling = YARN, .factor = 4, .original = 4096,
      .gain = .9,
      .want = "rope(base=500000,scaling=yarn(factor=4,original=4096,"
              "attention=0.9))" },
    { .d = 64, .base = 1.5e5, .scaling = YARN, .factor = 32, .original = 4096,
      .whole = true,
      .want = "rope(base=150000,scaling=yarn(factor=32,original=4096,"
              "truncate=no))" },
    { .d = 96, .r = 64, .base = 1e4, .scaling = YARN, .factor = 40,
      .original = 4096, .gain = 1, .interleaved = true, .trailing = true,
        .want = "rope(pairing=interleaved,dim=64,side=trailing,"
                "scaling=yarn(factor=40,original=4096,attention=1))" },
    { .d = 96, .r = 64, .base = 5e4, .scaling = YARN, .factor = 32,
      .original = 4096, .fast = 1, .gain = 1, .interleaved = true,
      .trailing = true,
        .want = "rope(base=50000,pairing=interleaved,dim=64,side=trailing,"
                "scaling=yarn(factor=32,original=4096,fast=1,attention=1))" },
    { .d = 128, .rows = 4096, .base = 1e6, .scaling = YARN, .factor = 16,
      .original = 16384, .gain = 1,
      .want = "rope(base=1000000,scaling=yarn(factor=16,original=16384,"
              "attention=1))" },
    { .d = 128, .base = 1e4, .scaling = YARN, .factor = 4, .original = 4096,
      .interleaved = true,
      .want = "rope(pairing=interleaved,scaling=yarn(factor=4,"
              "original=4096))" },
    { .d = 128, .base = 1e4, .scaling = YARN, .factor = 2, .original = 2048,
      .backwards = true, .want = "rope(scaling=yarn(factor=2,original=2048))" },
    { .d = 64, .base = 1e4, .scaling = YARN, .factor = 8, .original = 4096,
      .offset = 2, .want = "rope(scaling=yarn(factor=8,original=4096))" },
    /* proportional: fewer pairs, exponents over all */
    { .d = 64, .base = 1e6, .scaling = PROPORTIONAL, .keep = 8,
      .want = "rope(base=1000000,scaling=proportional)" },
    { .d = 128, .base = 1e6, .scaling = PROPORTIONAL, .keep = 16,
      .want = "rope(base=1000000,scaling=proportional)" },
    { .d = 64, .base = 1e4, .scaling = PROPORTIONAL, .keep = 24,
      .want = "rope(scaling=proportional(partial=0.75))" },
    { .d = 64, .base = 1e4, .scaling = PROPORTIONAL, .keep = 16,
      .backwards = true, .want = "rope(scaling=proportional(partial=0.5))" },
};
/* clang-format on */

enum { DTYPES = 4 };
static const enum store stores[DTYPES] = { STORE_BF16, STORE_F16, STORE_F32,
                                           STORE_BF16_ALL };

/* The right convention of each row and dtype, and no other. */
TEST(names_rotations)
{
    for (size_t i = 0; i < LEN(rotations); i++)
        for (int d = 0; d < (TEST_SANITIZED ? 1 : DTYPES); d++) {
            const struct rotation *r = &rotations[i];
            locant_identity got;

            rotate_and_identify(&got, r, stores[d], r->rows ? r->rows : 2048,
                                1);
            if (got.verdict != LOCANT_IDENTIFIED ||
                strcmp(got.spec, r->want) != 0 || got.offset != r->offset ||
                got.sign != (r->backwards ? -1 : 1) || !(got.residual < 1.2))
                FAIL("row %zu, store %d: got %d %s offset %g sign %d residual "
                     "%g (%s; %s), want %s\n",
                     i, d, got.verdict, got.spec, got.offset, got.sign,
                     got.residual, got.note, got.remaining[0], r->want);
        }
}

/* --------------------------------------------------- what no convention is */

/* y from x [H, T, d] by a function of the row. */
struct rows {
    int H, T, d;
    double *x, *y;
};

static void rows_new(struct rows *r, int H, int T, int d)
{
    locant_random random = { .seed = test_seed(), .stream = 1 };
    size_t n = (size_t)(H * T * d);

    *r = (struct rows){ H, T, d, malloc(n * 8), malloc(n * 8) };
    for (size_t i = 0; i < n; i++)
        r->x[i] = stored(locant_random_normal(&random), STORE_BF16);
}

static void rows_identify(locant_identity *out, struct rows *r,
                          const int64_t *positions)
{
    int64_t shape[] = { r->H, r->T, r->d };
    locant_tensor x = locant_dense(r->x, LOCANT_F64, 3, shape);
    locant_tensor y = locant_dense(r->y, LOCANT_F64, 3, shape);
    locant_tensor p =
        locant_dense((void *)(uintptr_t)positions, LOCANT_I64, 1, shape + 1);

    CHECK_OK(locant_identify_rotation(out, &x, &y, positions ? &p : NULL));
    free(r->x);
    free(r->y);
}

/* Rows rotated by 'r' and then multiplied by 'factor'. */
static void rotate_rows(struct rows *to, const struct rotation *r,
                        double factor, const int64_t *positions)
{
    for (int i = 0; i < to->H * to->T; i++) {
        double *y = to->y + i * to->d;
        int t = i % to->T;

        rotate_row(y, to->x + i * to->d, r,
                   positions ? (double)positions[t] : t, STORE_BF16);
        for (int c = 0; c < to->d; c++)
            y[c] = stored(y[c] * factor, STORE_BF16);
    }
}

static const struct rotation plain = { .d = 32, .base = 1e4 };

TEST(scaled_data_is_none_of_these)
{
    locant_identity got;
    struct rows r;

    rows_new(&r, 2, 512, 32);
    rotate_rows(&r, &plain, 1.25, NULL);
    rows_identify(&got, &r, NULL);
    CHECK(got.verdict == LOCANT_NONE_OF_THESE);
    CHECK(strcmp(got.closest, "rope") == 0);
    /* 16384 roundings of at most 2^-8 average to 2^-15; six times that */
    CHECK(strstr(got.note, "multiplied by ") != NULL);
    CHECK(fabs(atof(strstr(got.note, "multiplied by ") + 14) - 1.25) < 2e-4);
}

/* A random reflection of all channels for each position. */
TEST(orthogonal_matrices_are_none_of_these)
{
    locant_random random = { .seed = test_seed(), .stream = 2 };
    locant_identity got;
    double v[32] = { 0 };
    struct rows r;

    rows_new(&r, 2, 512, 32);
    for (int i = 0; i < 2 * 512; i++) {
        const double *x = r.x + i * 32;
        double norm = 0, dot = 0;

        for (int c = 0; c < 32; c++) {
            v[c] = locant_random_normal(&random);
            norm += v[c] * v[c];
            dot += v[c] * x[c];
        }
        for (int c = 0; c < 32; c++)
            r.y[i * 32 + c] = stored(x[c] - 2 * dot / norm * v[c], STORE_BF16);
    }
    rows_identify(&got, &r, NULL);
    CHECK(got.verdict == LOCANT_NONE_OF_THESE);
    CHECK(got.spec[0] == 0);
}

/* Rotations that no rope says: an angle and a length of pair c at token t. */
enum foreign { XPOS, AXIAL, MROPE, MROPE_MIXED, FOREIGN };

/* Tokens of a text with an image of 24 x 32 patches, by M-RoPE of Qwen2-VL
   (arXiv:2409.12191): coordinate 0 is time, 1 the row, 2 the column. */
static int coordinate(int t, int which)
{
    enum { FIRST = 100, ROWS = 24, COLUMNS = 32 };
    const int patch = t - FIRST;

    if (patch < 0)
        return t;
    if (patch >= ROWS * COLUMNS)
        return FIRST + COLUMNS + patch - ROWS * COLUMNS;
    return FIRST + (which == 1   ? patch / COLUMNS
                    : which == 2 ? patch % COLUMNS
                                 : 0);
}

/* Angle of pair c of 32; xpos (arXiv:2212.10554, eq. (14)) has gamma 0.4 and
   positions in units of 512; AXIAL turns the first pairs by the row of a grid,
   the others by its column. */
static double foreign_angle(double *length, enum foreign kind, int t, int c)
{
    const double f = pow(1e4, -c / 32.0);

    *length = 1;
    switch (kind) {
    case XPOS: *length = pow((c / 32.0 + 0.4) / 1.4, t / 512.0); return t * f;
    case AXIAL: return (c < 16 ? t / 32 : t % 32) * pow(1e4, -c % 16 / 16.0);
    case MROPE: return coordinate(t, c < 8 ? 0 : c < 20 ? 1 : 2) * f;
    default: return coordinate(t, c < 30 ? c % 3 : 0) * f;
    }
}

TEST(decays_grids_and_sections_are_none_of_these)
{
    enum { ROWS = 1024, D = 64 };
    locant_identity got;
    struct rows r;

    for (int kind = 0; kind < FOREIGN; kind++)
        for (int mixed = 0; mixed < 2; mixed++) {
            rows_new(&r, 2, ROWS, D);
            for (int i = 0; i < 2 * ROWS * D / 2; i++) {
                const int c = i % 32, at = i / 32 * D;
                const int a = at + (mixed ? 2 * c : c);
                const int b = at + (mixed ? 2 * c + 1 : c + 32);
                double length,
                    angle = foreign_angle(&length, (enum foreign)kind,
                                          i / 32 % ROWS, c);

                turn(&r.y[a], &r.y[b], r.x[a], r.x[b], length * cos(angle),
                     length * sin(angle), STORE_BF16);
            }
            rows_identify(&got, &r, NULL);
            if (got.verdict != LOCANT_NONE_OF_THESE || got.spec[0] != 0)
                FAIL("foreign %d, mixed %d: named %s", kind, mixed, got.spec);
        }
}

/* The pairs of half, but their frequencies in disorder. */
TEST(frequencies_of_no_rule_are_listed)
{
    locant_identity got;
    struct rows r;

    rows_new(&r, 2, 512, 8);
    for (int i = 0; i < 2 * 512; i++) {
        static const double f[] = { 0.3, 0.7, 0.01, 0.2 };

        for (int c = 0; c < 4; c++)
            turn(&r.y[i * 8 + c], &r.y[i * 8 + c + 4], r.x[i * 8 + c],
                 r.x[i * 8 + c + 4], cos(f[c] * (i % 512)),
                 sin(f[c] * (i % 512)), STORE_F32);
    }
    rows_identify(&got, &r, NULL);
    CHECK(got.verdict == LOCANT_NONE_OF_THESE);
    CHECK(strstr(got.spec, "freqs=list(values=0.3") != NULL ||
          strstr(got.spec, "freqs=list(values=0.29999") != NULL);
    CHECK(strstr(got.note, "match no rule") != NULL);
}

TEST(position_0_leaves_everything_possible)
{
    int64_t zero[64] = { 0 };
    locant_identity got;
    struct rows r;

    rows_new(&r, 2, 64, 32);
    rotate_rows(&r, &plain, 1, zero);
    rows_identify(&got, &r, zero);
    CHECK(got.verdict == LOCANT_UNDECIDED);
    CHECK(got.n_remaining == 2);
}

/* All angles modulo a turn at position 7: the listed conventions hold the
 * right one. */
TEST(one_position_is_undecided)
{
    int64_t seven[64];
    locant_identity got;
    bool listed = false;
    struct rows r;

    for (int i = 0; i < 64; i++)
        seven[i] = 7;
    rows_new(&r, 2, 64, 32);
    rotate_rows(&r, &plain, 1, seven);
    rows_identify(&got, &r, seven);
    CHECK(got.verdict == LOCANT_UNDECIDED);
    for (int i = 0; i < got.n_remaining; i++)
        listed |= strcmp(got.remaining[i], "rope") == 0;
    CHECK(listed);
}

/* 16 positions do not show pairs that turn 1e-4 at each. */
TEST(few_positions_leave_slow_pairs_open)
{
    const struct rotation wide = { .d = 64, .base = 1e4, .interleaved = true };
    locant_identity got;
    struct rows r;

    rows_new(&r, 2, 16, 64);
    rotate_rows(&r, &wide, 1, NULL);
    rows_identify(&got, &r, NULL);
    CHECK(got.verdict == LOCANT_UNDECIDED);
    CHECK(strstr(got.note, "turn too little") != NULL);
}

/* Positions held in bfloat16 collide beyond 256. */
TEST(rounded_positions_are_none_of_these)
{
    locant_identity got;
    int64_t bad[1024];
    struct rows r;

    for (int i = 0; i < 1024; i++)
        bad[i] = (int64_t)rounded_to(i, 8);
    rows_new(&r, 1, 1024, 32);
    rotate_rows(&r, &plain, 1, bad);
    rows_identify(&got, &r, NULL);
    CHECK(got.verdict == LOCANT_NONE_OF_THESE);
}

TEST(unrotated_rows_are_none)
{
    locant_identity got;
    struct rows r;

    rows_new(&r, 1, 64, 32);
    memcpy(r.y, r.x, 64 * 32 * 8);
    rows_identify(&got, &r, NULL);
    CHECK(got.verdict == LOCANT_IDENTIFIED);
    CHECK(strcmp(got.spec, "none") == 0);
}

/* A row has more elements than are read of all rows: the last one is. */
TEST(of_very_wide_rows_the_last_is_read)
{
    const int64_t shape[] = { 2, (1 << 22) + 2 };
    double zero = 0;
    locant_tensor x = locant_dense(&zero, LOCANT_F64, 2, shape);
    locant_identity got;

    x.stride[0] = x.stride[1] = 0;
    CHECK_OK(locant_identify_rotation(&got, &x, &x, NULL));
    CHECK(got.verdict == LOCANT_IDENTIFIED && strcmp(got.spec, "none") == 0);
}

/* ------------------------------------------------------------------ memory */

/* When an allocation fails there is an error, never another answer. */
TEST(says_so_when_memory_is_short)
{
    const struct rotation r = {
        .d = 32, .base = 1e4, .scaling = YARN, .factor = 4, .original = 1024
    };
    int64_t shape[] = { 256, 32 };
    locant_status s = LOCANT_ERR_NOMEM;
    locant_identity got;
    struct rows rows;
    locant_tensor x, y;

    rows_new(&rows, 1, 256, 32);
    rotate_rows(&rows, &r, 1, NULL);
    x = locant_dense(rows.x, LOCANT_F64, 2, shape);
    y = locant_dense(rows.y, LOCANT_F64, 2, shape);
    for (long k = 1; s != LOCANT_OK || test_memory_asked() >= k;
         k += 1 + k / 8) {
        test_memory_fail(k);
        s = locant_identify_rotation(&got, &x, &y, NULL);
        CHECK(test_memory_held() == 0);
        if (s != LOCANT_OK && s != LOCANT_ERR_NOMEM)
            FAIL("allocation %ld: %s\n", k, locant_last_error());
        if (s == LOCANT_OK)
            CHECK(strcmp(got.spec, "rope(scaling=yarn(factor=4,"
                                   "original=1024))") == 0);
    }
    test_memory_end();
    free(rows.x);
    free(rows.y);
}
