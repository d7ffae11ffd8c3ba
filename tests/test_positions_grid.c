/* test_positions_grid.c - coordinates of patches, the three ids of M-RoPE */
#include "testing.h"
#include "oracle/positions.h"
#include <math.h>
#include <string.h>

enum { MOST = 1024 };

static double real_at(const locant_tensor *t, int64_t i)
{
    return ((const double *)t->data)[i];
}

/* ------------------------------------------------------------------- grids */

static long double coordinate(const locant_grid *g, int axis, int64_t i)
{
    const int64_t size[] = { g->frames, g->rows, g->cols };
    long double n = size[axis];

    if (g->kind == LOCANT_GRID_CENTRES) /* patch i covers i/n .. (i+1)/n */
        return 2 * (((long double)i + 0.5L) / n) - 1;
    if (g->kind == LOCANT_GRID_PRETRAINED)
        return (long double)i / n * (long double)g->pretrained[axis];
    return i;
}

/*
 * One rounding in the library, 2^-53 relative; the long double is off by some
 * 2^-62 of numbers up to 2 before it subtracts, the smallest of which that is
 * not 0 is 1/n.
 */
static void check_grid(const locant_grid *g, int64_t columns)
{
    static int64_t patch[MOST][3];
    int64_t n = oracle_patches(patch, g->frames, g->rows, g->cols, g->merge);
    OWNED(locant_tensor) out = TENSOR(F64, g->prefix + n, columns);

    CHECK_OK(locant_positions_from_grid(&out, g));
    for (int64_t k = 0; k < g->prefix * columns; k++)
        CHECK(real_at(&out, k) == 0);
    for (int64_t k = 0; k < n; k++)
        for (int64_t c = 0; c < columns; c++) {
            int axis = (int)(3 - columns + c);
            long double want = coordinate(g, axis, patch[k][axis]);
            double got = real_at(&out, (g->prefix + k) * columns + c);

            CHECK(fabsl(got - want) <= 0x1p-53L * fabsl(want) + 0x1p-60L);
        }
}

TEST(patches_come_in_their_order)
{
    for (int round = 0; round < 300; round++) {
        locant_grid g = LOCANT_GRID_INIT;

        g.kind = (locant_grid_kind)test_range(0, 2);
        g.merge = test_range(1, 3);
        g.frames = test_range(1, 4);
        g.rows = g.merge * test_range(1, 5);
        g.cols = g.merge * test_range(1, 5);
        g.prefix = test_range(0, 5);
        for (int a = 0; a < 3; a++)
            g.pretrained[a] = (double)test_range(1, 64);
        check_grid(&g, test_range(2, 3));
    }
}

/* encodings.md 13.5. */
TEST(grids_match_their_models)
{
    static const double centres[] = { -2.0 / 3, 0, 2.0 / 3 };
    static const int order[][2] = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 },
                                    { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 } };
    locant_grid g = LOCANT_GRID_INIT;
    locant_tensor out = TENSOR(F64, 9, 2);

    g.rows = g.cols = 3;
    g.kind = LOCANT_GRID_CENTRES; /* DINOv3, exact up to one rounding */
    CHECK_OK(locant_positions_from_grid(&out, &g));
    for (int i = 0; i < 9; i++) {
        CHECK(real_at(&out, 2 * i) == centres[i / 3]);
        CHECK(real_at(&out, 2 * i + 1) == centres[i % 3]);
    }
    test_tensor_free(&out);
    out = TENSOR(F64, 24, 2);
    g.rows = 1;
    g.cols = 24;
    g.kind = LOCANT_GRID_PRETRAINED; /* EVA-02: 16 / 24 a step */
    g.pretrained[2] = 16;
    CHECK_OK(locant_positions_from_grid(&out, &g));
    for (int i = 0; i < 24; i++)
        CHECK(real_at(&out, 2 * i + 1) == 2.0 * i / 3.0);
    CHECK(fabs(real_at(&out, 3) - 0.6666666667) < 1e-10);
    test_tensor_free(&out);
    out = TENSOR(F64, 8, 2);
    g = (locant_grid)LOCANT_GRID_INIT;
    g.rows = g.merge = 2; /* Qwen2-VL */
    g.cols = 4;
    CHECK_OK(locant_positions_from_grid(&out, &g));
    for (int i = 0; i < 8; i++)
        CHECK(real_at(&out, 2 * i) == order[i][0] &&
              real_at(&out, 2 * i + 1) == order[i][1]);
    test_tensor_free(&out);
}

TEST(grid_refusals)
{
    locant_grid g = LOCANT_GRID_INIT;
    OWNED(locant_tensor) out = TENSOR(F64, 6, 2);
    locant_tensor one = out;
    double kept = real_at(&out, 0);

    g.rows = 2;
    g.cols = 3;
    g.merge = 2;
    REFUSES(PARAM, locant_positions_from_grid(&out, &g),
            "cols is 3, expected a multiple of merge, 2");
    g.merge = 1;
    g.prefix = 1;
    REFUSES(SHAPE, locant_positions_from_grid(&out, &g),
            "out has size 6 in dimension 0, expected 7");
    g.prefix = 0;
    one.shape[1] = 1;
    REFUSES(SHAPE, locant_positions_from_grid(&one, &g),
            "out has size 1 in dimension 1, expected 2 or 3");
    g.rows = 0;
    REFUSES(PARAM, locant_positions_from_grid(&out, &g),
            "rows is 0, expected at least 1");
    g.rows = g.cols = g.frames = INT64_C(1) << 40;
    REFUSES(PARAM, locant_positions_from_grid(&out, &g),
            "1099511627776 x 1099511627776 x 1099511627776 patches do not "
            "fit in memory");
    g = (locant_grid)LOCANT_GRID_INIT;
    g.kind = LOCANT_GRID_PRETRAINED;
    g.pretrained[1] = NAN;
    REFUSES(PARAM, locant_positions_from_grid(&out, &g),
            "pretrained[1] is nan, expected a number above 0, at most 2^53");
    g.struct_size = 3;
    CHECK(locant_positions_from_grid(&out, &g) == LOCANT_ERR_PARAM);
    CHECK(locant_positions_from_grid(&out, NULL) == LOCANT_ERR_NULL);
    CHECK(real_at(&out, 0) == kept);
}

/* ------------------------------------------------------------------ M-RoPE */

static void check_segments(const locant_segment *s, size_t n,
                           locant_mrope_next next,
                           const struct oracle_mrope *want)
{
    int64_t tokens = -1, delta = 12345;
    locant_tensor out;

    CHECK_OK(locant_mrope_tokens(&tokens, s, n));
    CHECK(tokens == want->n);
    out = TENSOR(I64, tokens, 3);
    CHECK_OK(locant_positions_from_segments(&out, &delta, s, n, next));
    for (int64_t i = 0; i < 3 * tokens; i++)
        if (((int64_t *)out.data)[i] != want->id[i / 3][i % 3])
            FAIL("token %lld axis %d: got %lld, want %lld", (long long)(i / 3),
                 (int)(i % 3), (long long)((int64_t *)out.data)[i],
                 (long long)want->id[i / 3][i % 3]);
    CHECK(delta == oracle_mrope_delta(want));
    test_tensor_free(&out);
}

static const locant_segment example[] = {
    { .kind = LOCANT_SEGMENT_TEXT, .tokens = 3 },
    { .kind = LOCANT_SEGMENT_IMAGE, .rows = 2, .cols = 3 },
    { .kind = LOCANT_SEGMENT_TEXT, .tokens = 2 },
};

/* encodings.md 13.7: computed by hand. */
TEST(mrope_matches_the_example)
{
    static const int64_t want[3][11] = {
        { 0, 1, 2, 3, 3, 3, 3, 3, 3, 6, 7 },
        { 0, 1, 2, 3, 3, 3, 4, 4, 4, 6, 7 },
        { 0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7 },
    };
    struct oracle_mrope m = { .n = 11 };

    for (int i = 0; i < 33; i++)
        m.id[i / 3][i % 3] = want[i % 3][i / 3];
    CHECK(oracle_mrope_delta(&m) == -3);
    check_segments(example, 3, LOCANT_MROPE_MAX, &m);
    check_segments(example, 3, LOCANT_MROPE_GRID, &m);
}

/*
 * The example in the comment of transformers' Qwen2.5-VL: 3 frames of 2 x 2,
 * interval 50, then 5 tokens of text from 101.  Transformers 5 goes on at 2.
 */
TEST(mrope_matches_a_long_video)
{
    static const int64_t t[] = {
        0, 0, 0, 0, 50, 50, 50, 50, 100, 100, 100, 100
    };
    const locant_segment s[] = {
        { .kind = LOCANT_SEGMENT_VIDEO,
          .frames = 3,
          .rows = 2,
          .cols = 2,
          .interval = 50 },
        { .kind = LOCANT_SEGMENT_TEXT, .tokens = 5 },
    };
    struct oracle_mrope m = { .n = 17 };

    for (int i = 0; i < 17; i++) {
        m.id[i][0] = i < 12 ? t[i] : 101 + i - 12;
        m.id[i][1] = i < 12 ? i / 2 % 2 : 101 + i - 12;
        m.id[i][2] = i < 12 ? i % 2 : 101 + i - 12;
    }
    check_segments(s, 2, LOCANT_MROPE_MAX, &m);
    for (int i = 12; i < 17; i++)
        m.id[i][0] = m.id[i][1] = m.id[i][2] = 2 + i - 12;
    check_segments(s, 2, LOCANT_MROPE_GRID, &m);
}

static void add(struct oracle_mrope *m, const locant_segment *s)
{
    if (s->kind == LOCANT_SEGMENT_TEXT)
        oracle_mrope_text(m, s->tokens);
    if (s->kind == LOCANT_SEGMENT_IMAGE)
        oracle_mrope_vision(m, 1, s->rows, s->cols, 0);
    if (s->kind == LOCANT_SEGMENT_VIDEO)
        oracle_mrope_vision(m, s->frames, s->rows, s->cols, s->interval);
    for (int64_t f = 0; s->kind == LOCANT_SEGMENT_FRAMES && f < s->frames;
         f++) {
        oracle_mrope_text(m, s->before);
        oracle_mrope_vision(m, 1, s->rows, s->cols, 0);
        oracle_mrope_text(m, s->after);
    }
}

TEST(mrope_lists_any_segments)
{
    static struct oracle_mrope m;

    for (int round = 0; round < 400; round++) {
        locant_segment s[8];
        size_t n = (size_t)test_range(0, 8);

        m.n = m.start = 0;
        m.by_grid = (int)test_range(0, 1);
        for (size_t i = 0; i < n; i++) {
            s[i] =
                (locant_segment){ .kind = (locant_segment_kind)test_range(0, 3),
                                  .tokens = test_range(0, 5),
                                  .frames = test_range(1, 4),
                                  .rows = test_range(1, 4),
                                  .cols = test_range(1, 4),
                                  .interval = 0.25 * (double)test_range(0, 24),
                                  .before = test_range(0, 3),
                                  .after = test_range(0, 2) };
            add(&m, &s[i]);
        }
        check_segments(s, n, m.by_grid ? LOCANT_MROPE_GRID : LOCANT_MROPE_MAX,
                       &m);
    }
}

/* Fractions of a second in float32, cut after the product. */
TEST(seconds_are_those_of_qwen)
{
    enum { FRAMES = 24 };
    static const struct {
        int64_t tokens;
        double seconds;
        int64_t t[FRAMES];
    } row[] = {
#include "golden/mrope_seconds.inc"
    };
    int64_t id[FRAMES][3];

    for (size_t i = 0; i < LEN(row); i++) {
        locant_segment s = {
            .kind = LOCANT_SEGMENT_VIDEO, .frames = FRAMES, .rows = 1, .cols = 1
        };

        CHECK_OK(
            locant_mrope_interval(&s.interval, row[i].tokens, row[i].seconds));
        CHECK_OK(locant_positions_from_segments(VIEW(I64, id, FRAMES, 3), NULL,
                                                &s, 1, LOCANT_MROPE_GRID));
        for (int f = 0; f < FRAMES; f++)
            if (id[f][0] != row[i].t[f])
                FAIL("%g seconds, frame %d: got %lld, want %lld",
                     row[i].seconds, f, (long long)id[f][0],
                     (long long)row[i].t[f]);
    }
}

TEST(intervals_have_a_range)
{
    double interval = -1;

    CHECK_OK(locant_mrope_interval(&interval, 25, 2.0));
    REFUSES(PARAM, locant_mrope_interval(&interval, 2, NAN),
            "seconds is nan, expected a number of at least 0 below 2^63");
    REFUSES(PARAM, locant_mrope_interval(&interval, 4, 0x1p62),
            "4 tokens x 4.61169e+18 seconds pass 2^63");
    REFUSES(PARAM, locant_mrope_interval(&interval, -1, 1),
            "tokens_per_second is -1, expected at least 0");
    CHECK(interval == 50);
}

static void refused(const locant_segment *s, const char *sentence)
{
    int64_t tokens = 7;

    CHECK_REFUSED(locant_mrope_tokens(&tokens, s, 1), LOCANT_ERR_PARAM,
                  sentence);
    CHECK(tokens == 7);
}

TEST(mrope_refuses_bad_arguments)
{
    const int64_t huge = INT64_C(1) << 40;
    locant_segment s = { .kind = LOCANT_SEGMENT_TEXT, .tokens = -1 };
    OWNED(locant_tensor) out = TENSOR(I64, 4, 3);
    int64_t delta = 5;

    refused(&s, "locant_mrope_tokens: tokens of segment 0 is -1, expected at "
                "least 0");
    s = (locant_segment){ .kind = LOCANT_SEGMENT_IMAGE, .rows = 2 };
    refused(&s, "locant_mrope_tokens: cols of segment 0 is 0, expected at "
                "least 1");
    s = (locant_segment){ .kind = LOCANT_SEGMENT_VIDEO,
                          .frames = huge,
                          .rows = 1,
                          .cols = 1,
                          .interval = 0x1p62 };
    refused(&s, "locant_mrope_tokens: the ids of segment 0 pass 2^63");
    s.interval = 0x1p30 + 0.5;
    refused(&s, "locant_mrope_tokens: the ids of segment 0 pass 2^63");
    s.interval = NAN;
    refused(&s, "locant_mrope_tokens: interval of segment 0 is nan, expected a "
                "number of at least 0");
    s = (locant_segment){
        .kind = LOCANT_SEGMENT_FRAMES, .frames = huge, .rows = huge, .cols = 1
    };
    refused(&s, "locant_mrope_tokens: the ids of segment 0 pass 2^63");
    s.kind = (locant_segment_kind)4;
    refused(&s, "locant_mrope_tokens: kind of segment 0 is 4, expected 0 "
                "(text), 1 (image), 2 (video) or 3 (frames)");
    REFUSES(SHAPE,
            locant_positions_from_segments(&out, &delta, example, 3,
                                           LOCANT_MROPE_MAX),
            "out has size 4 in dimension 0, expected 11");
    REFUSES(
        NULL,
        locant_positions_from_segments(&out, &delta, NULL, 1, LOCANT_MROPE_MAX),
        "segments is NULL");
    REFUSES(PARAM,
            locant_positions_from_segments(&out, &delta, example, 1,
                                           (locant_mrope_next)2),
            "next is 2, expected 0 (max) or 1 (grid)");
    CHECK(delta == 5);
}
