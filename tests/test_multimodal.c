/*
 * test_multimodal.c - ids of Qwen3-VL, Qwen2.5-Omni, HunYuan-VL, VideoRoPE and
 * HoPE, FLUX and Qwen-Image on short sequences, counted by hand from their
 * code.
 */
#include "testing.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 64 };

#define TEXT(n)                                                                \
    {                                                                          \
        .kind = LOCANT_SEGMENT_TEXT, .tokens = (n)                             \
    }
#define AUDIO(n)                                                               \
    {                                                                          \
        .kind = LOCANT_SEGMENT_AUDIO, .tokens = (n)                            \
    }
#define IMAGE(h, w)                                                            \
    {                                                                          \
        .kind = LOCANT_SEGMENT_IMAGE, .rows = (h), .cols = (w)                 \
    }
#define VIDEO(t, h, w, s)                                                      \
    {                                                                          \
        .kind = LOCANT_SEGMENT_VIDEO, .frames = (t), .rows = (h), .cols = (w), \
        .interval = (s)                                                        \
    }

/* Lane 'lane' of the ids is these numbers, in both dtypes if they are whole. */
static void check_lane(const locant_ids *ids, const locant_segment *segments,
                       size_t n, int64_t lane, const double *want,
                       int64_t count)
{
    double real[MOST * 4];
    int64_t whole[MOST * 4], tokens, lanes;
    bool integers = true;

    CHECK_OK(locant_ids_shape(&tokens, &lanes, ids, segments, n));
    CHECK(tokens == count);
    CHECK_OK(locant_positions_multimodal(VIEW(F64, real, tokens, lanes), NULL,
                                         ids, segments, n));
    for (int64_t i = 0; i < count * lanes; i++)
        integers &= real[i] == floor(real[i]);
    if (integers)
        CHECK_OK(locant_positions_multimodal(VIEW(I64, whole, tokens, lanes),
                                             NULL, ids, segments, n));
    for (int64_t i = 0; i < count; i++) {
        if (real[i * lanes + lane] != want[i])
            printf("lane %d, token %d: %g, expected %g\n", (int)lane, (int)i,
                   real[i * lanes + lane], want[i]);
        CHECK(real[i * lanes + lane] == want[i]);
        CHECK(!integers || (double)whole[i * lanes + lane] == want[i]);
    }
}

/* CHECK_LANE(&ids, segments, lane, ids of all tokens..) */
#define CHECK_LANE(ids, segments, lane, ...)                                   \
    check_lane(ids, segments, LEN(segments), lane, (double[]){ __VA_ARGS__ },  \
               LEN(((double[]){ __VA_ARGS__ })))

static double delta_of(const locant_ids *ids, const locant_segment *segments,
                       size_t n)
{
    double out[MOST * 4], delta = NAN;
    int64_t tokens, lanes;

    CHECK_OK(locant_ids_shape(&tokens, &lanes, ids, segments, n));
    CHECK_OK(locant_positions_multimodal(VIEW(F64, out, tokens, lanes), &delta,
                                         ids, segments, n));
    return delta;
}

TEST(qwen3_vl_puts_timestamps_between_frames)
{
    const locant_segment one[] = { TEXT(2), IMAGE(2, 3), TEXT(1), IMAGE(2, 3),
                                   TEXT(1) };
    const locant_segment two[] = { TEXT(1),
                                   { .kind = LOCANT_SEGMENT_FRAMES,
                                     .frames = 2,
                                     .rows = 2,
                                     .cols = 3,
                                     .before = 1 },
                                   TEXT(1) };
    locant_ids ids = LOCANT_IDS_INIT;

    ids.scheme = LOCANT_IDS_QWEN3_VL;
    CHECK_LANE(&ids, one, 0, 0, 1, 2, 2, 2, 2, 2, 2, 5, 6, 6, 6, 6, 6, 6, 9);
    CHECK_LANE(&ids, one, 1, 0, 1, 2, 2, 2, 3, 3, 3, 5, 6, 6, 6, 7, 7, 7, 9);
    CHECK_LANE(&ids, one, 2, 0, 1, 2, 3, 4, 2, 3, 4, 5, 6, 7, 8, 6, 7, 8, 9);
    CHECK_LANE(&ids, two, 2, 0, 1, 2, 3, 4, 2, 3, 4, 5, 6, 7, 8, 6, 7, 8, 9);
    CHECK(delta_of(&ids, one, LEN(one)) == -6);
}

/* The same as the segments of M-RoPE. */
TEST(qwen3_vl_is_mrope_with_frames)
{
    const locant_segment s[] = { TEXT(3),
                                 { .kind = LOCANT_SEGMENT_FRAMES,
                                   .frames = 3,
                                   .rows = 1,
                                   .cols = 4,
                                   .before = 2,
                                   .after = 1 },
                                 IMAGE(3, 2),
                                 TEXT(2) };
    int64_t a[MOST * 3], b[MOST * 3], tokens, lanes, delta;
    locant_ids ids = LOCANT_IDS_INIT;
    double real;

    CHECK_OK(locant_ids_shape(&tokens, &lanes, &ids, s, LEN(s)));
    CHECK(lanes == 3);
    CHECK_OK(locant_positions_multimodal(VIEW(I64, a, tokens, 3), &real, &ids,
                                         s, LEN(s)));
    CHECK_OK(locant_positions_from_segments(VIEW(I64, b, tokens, 3), &delta, s,
                                            LEN(s), LOCANT_MROPE_MAX));
    CHECK(memcmp(a, b, (size_t)tokens * 3 * sizeof(*a)) == 0);
    CHECK(real == (double)delta);
}

TEST(tm_rope_takes_turns)
{
    const locant_segment s[] = { TEXT(3),
                                 { .kind = LOCANT_SEGMENT_CLIP,
                                   .frames = 4,
                                   .rows = 1,
                                   .cols = 2,
                                   .interval = 0.5,
                                   .tokens = 4 } };
    locant_ids ids = LOCANT_IDS_INIT;

    ids.scheme = LOCANT_IDS_TM;
    ids.rate = 2;
    ids.chunk = 1;
    CHECK_LANE(&ids, s, 0, 0, 1, 2, 3, 3, 4, 4, 3, 4, 5, 5, 6, 6, 5, 6);
    CHECK_LANE(&ids, s, 1, 0, 1, 2, 3, 3, 3, 3, 3, 4, 3, 3, 3, 3, 5, 6);
    CHECK_LANE(&ids, s, 2, 0, 1, 2, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4, 5, 6);
}

TEST(tm_rope_counts_in_seconds)
{
    const locant_segment video[] = { VIDEO(5, 1, 1, 0.5), TEXT(1) };
    const locant_segment more[] = { AUDIO(2),
                                    IMAGE(2, 1),
                                    { .kind = LOCANT_SEGMENT_CLIP,
                                      .frames = 1,
                                      .rows = 1,
                                      .cols = 1,
                                      .tokens = 2,
                                      .before = 2,
                                      .after = 2 },
                                    TEXT(1) };
    locant_ids ids = LOCANT_IDS_INIT;
    int64_t tokens;

    ids.scheme = LOCANT_IDS_TM;
    CHECK_LANE(&ids, video, 0, 0, 12, 25, 37, 50, 51);
    CHECK_LANE(&ids, more, 0, 0, 1, 2, 2, 4, 4, 5, 5, 6, 7, 7, 8);
    CHECK_LANE(&ids, more, 1, 0, 1, 2, 3, 4, 4, 5, 5, 6, 7, 7, 8);
    CHECK_OK(locant_tm_audio_tokens(&tokens, 3000));
    CHECK(tokens == 750);
    CHECK_OK(locant_tm_audio_tokens(&tokens, 3));
    CHECK(tokens == 1);
    REFUSES(PARAM, locant_tm_audio_tokens(&tokens, 2),
            "frames is 2, expected at least 3");
}

TEST(xd_rope_restarts_in_images)
{
    const locant_segment s[] = { TEXT(3), IMAGE(2, 2), TEXT(2) };
    locant_ids ids = LOCANT_IDS_INIT;

    ids.scheme = LOCANT_IDS_XD;
    CHECK_LANE(&ids, s, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    CHECK_LANE(&ids, s, 1, 0, 1, 2, 0, 1, 2, 0, 1, 2, 9, 10);
    CHECK_LANE(&ids, s, 2, 0, 1, 2, 0, 0, 0, 1, 1, 1, 9, 10);
    CHECK_LANE(&ids, s, 3, 0, 1, 2, 0, 0, 0, 0, 0, 0, 9, 10);
    ids.first_image = 4;
    CHECK_LANE(&ids, s, 3, 0, 1, 2, 4, 4, 4, 4, 4, 4, 9, 10);
    CHECK(delta_of(&ids, s, LEN(s)) == 0);
}

TEST(video_rope_is_a_centred_diagonal)
{
    const locant_segment s[] = { TEXT(2), VIDEO(2, 2, 3, 0), TEXT(1) };
    locant_ids ids = LOCANT_IDS_INIT;
    int64_t out[15 * 3];

    ids.scheme = LOCANT_IDS_VIDEO;
    CHECK_LANE(&ids, s, 0, 0, 1, 2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 5);
    CHECK_LANE(&ids, s, 1, 0, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 5);
    CHECK_LANE(&ids, s, 2, 0, 1, 1, 2, 3, 1, 2, 3, 3, 4, 5, 3, 4, 5, 5);
    ids.delta = 0.5; /* as HoPE may draw it */
    CHECK_LANE(&ids, s, 0, 0, 1, 2, 2, 2, 2, 2, 2, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5,
               3.5);
    CHECK(delta_of(&ids, s, LEN(s)) == 4.5 - 15);
    REFUSES(PARAM,
            locant_positions_multimodal(VIEW(I64, out, 15, 3), NULL, &ids, s,
                                        LEN(s)),
            "delta is 0.5, expected a whole number for ids of I64");
}

TEST(image_models_number_grids)
{
    const locant_segment flux[] = { TEXT(2), IMAGE(1, 2), IMAGE(2, 1) };
    const locant_segment qwen[] = { IMAGE(4, 5), TEXT(1), IMAGE(1, 1),
                                    TEXT(1) };
    locant_ids ids = LOCANT_IDS_INIT;

    ids.scheme = LOCANT_IDS_FLUX;
    CHECK_LANE(&ids, flux, 0, 0, 0, 0, 0, 0, 0);
    CHECK_LANE(&ids, flux, 1, 0, 0, 0, 0, 0, 1);
    CHECK_LANE(&ids, flux, 2, 0, 0, 0, 1, 0, 0);
    ids.scheme = LOCANT_IDS_FLUX2;
    CHECK_LANE(&ids, flux, 0, 0, 0, 0, 0, 10, 10);
    CHECK_LANE(&ids, flux, 1, 0, 0, 0, 0, 0, 1);
    CHECK_LANE(&ids, flux, 2, 0, 0, 0, 1, 0, 0);
    CHECK_LANE(&ids, flux, 3, 0, 1, 0, 0, 0, 0);
    ids.scheme = LOCANT_IDS_QWEN_IMAGE;
    CHECK_LANE(&ids, qwen, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
               0, 0, 0, 2, 1, 3);
    CHECK_LANE(&ids, qwen, 1, -2, -2, -2, -2, -2, -1, -1, -1, -1, -1, 0, 0, 0,
               0, 0, 1, 1, 1, 1, 1, 2, -1, 3);
    CHECK_LANE(&ids, qwen, 2, -3, -2, -1, 0, 1, -3, -2, -1, 0, 1, -3, -2, -1, 0,
               1, -3, -2, -1, 0, 1, 2, -1, 3);
}

static void refuses(const locant_ids *ids, locant_segment s, const char *want)
{
    int64_t tokens = 7, lanes = 7;
    char whole[200];

    snprintf(whole, sizeof(whole), "locant_ids_shape: %s", want);
    CHECK_REFUSED(locant_ids_shape(&tokens, &lanes, ids, &s, 1),
                  LOCANT_ERR_PARAM, whole);
    CHECK(tokens == 7 && lanes == 7);
}

TEST(bad_sequences_are_refused)
{
    locant_ids ids = LOCANT_IDS_INIT;
    const int64_t far = INT64_MAX;

    refuses(&ids, (locant_segment){ .kind = (locant_segment_kind)9 },
            "kind of segment 0 is 9, expected 0 (text) to 5 (clip)");
    refuses(&ids, (locant_segment)AUDIO(1),
            "segment 0 is audio, which qwen3-vl does not have");
    refuses(&ids, (locant_segment)TEXT(-1),
            "tokens of segment 0 is -1, expected at least 0");
    refuses(&ids, (locant_segment)IMAGE(0, 1),
            "rows of segment 0 is 0, expected at least 1");
    refuses(&ids, (locant_segment)TEXT(far), "the ids of segment 0 pass 2^53");
    for (int scheme = 0; scheme <= LOCANT_IDS_QWEN_IMAGE; scheme++) {
        ids.scheme = (locant_ids_scheme)scheme;
        refuses(&ids, (locant_segment)IMAGE(far, far),
                "the ids of segment 0 pass 2^53");
        refuses(&ids, (locant_segment)IMAGE(1, far),
                "the ids of segment 0 pass 2^53");
    }
    ids.scheme = LOCANT_IDS_TM;
    refuses(&ids, (locant_segment)VIDEO(2, 1, 1, NAN),
            "interval of segment 0 is nan, expected a number of at least 0, at "
            "most 2^53");
    refuses(&ids, (locant_segment)VIDEO(1 << 30, 1, 1, 1e15),
            "the ids of segment 0 pass 2^53");
    ids.rate = 0;
    refuses(&ids, (locant_segment)TEXT(1),
            "rate is 0, expected a number above 0, at most 2^53");
    ids = (locant_ids)LOCANT_IDS_INIT;
    ids.delta = -1;
    refuses(&ids, (locant_segment)TEXT(1),
            "delta is -1, expected a number of at least 0, at most 2^53");
    ids.delta = 1e300;
    refuses(&ids, (locant_segment)TEXT(1),
            "delta is 1e+300, expected a number of at least 0, at most 2^53");
    ids = (locant_ids)LOCANT_IDS_INIT;
    ids.scheme = (locant_ids_scheme)7;
    refuses(&ids, (locant_segment)TEXT(1),
            "scheme is 7, expected 0 (qwen3-vl) to 6 (qwen-image)");
    ids.struct_size = 8;
    {
        int64_t tokens, lanes;

        CHECK(locant_ids_shape(&tokens, &lanes, &ids, NULL, 0) ==
              LOCANT_ERR_PARAM);
        REFUSES(NULL, locant_ids_shape(&tokens, &lanes, NULL, NULL, 0),
                "ids is NULL");
    }
}

/* DINOv3: all patches move alike, the class token does not. */
TEST(augmentation_moves_all_patches_alike)
{
    locant_augment how = LOCANT_AUGMENT_INIT;
    locant_random random = { .seed = 5 }, same = { .seed = 5 };
    locant_grid grid = LOCANT_GRID_INIT;
    double x[7 * 2], was[7 * 2], s[2], j[2], r;

    grid.kind = LOCANT_GRID_LONGER;
    grid.rows = 2;
    grid.cols = 3;
    grid.prefix = 1;
    CHECK_OK(locant_positions_from_grid(VIEW(F64, was, 7, 2), &grid));
    CHECK(was[2] == -2. / 3 && was[8] == 0 && was[9] == -2. / 3);
    grid.kind = LOCANT_GRID_SHORTER;
    CHECK_OK(locant_positions_from_grid(VIEW(F64, x, 7, 2), &grid));
    CHECK(x[2] == -0.5 && x[3] == -0.5 && x[5] == 0.5 && x[7] == 1.5);
    memcpy(x, was, sizeof(x));
    CHECK_OK(locant_positions_augment(VIEW(F64, x, 7, 2), &how, &random));
    CHECK(memcmp(x, was, sizeof(x)) == 0 && random.index == 0);
    how = (locant_augment){ sizeof(how), 0.25, 2, 3, 1 };
    CHECK_OK(locant_positions_augment(VIEW(F64, x, 7, 2), &how, &random));
    for (int a = 0; a < 2; a++)
        s[a] = 0.25 * (2 * locant_random_uniform(&same) - 1);
    for (int a = 0; a < 2; a++)
        j[a] = pow(2, 2 * locant_random_uniform(&same) - 1);
    r = pow(3, 2 * locant_random_uniform(&same) - 1);
    CHECK(x[0] == 0 && x[1] == 0);
    for (int i = 2; i < 14; i++)
        CHECK(fabs(x[i] - (was[i] + s[i % 2]) * j[i % 2] * r) < 1e-14);
    how.jitter = 0.5;
    REFUSES(PARAM, locant_positions_augment(VIEW(F64, x, 7, 2), &how, &random),
            "jitter is 0.5, expected 1 .. 1e30");
    REFUSES(NULL, locant_positions_augment(VIEW(F64, x, 7, 2), NULL, &random),
            "augment is NULL");
    how.jitter = 1;
    REFUSES(SHAPE, locant_positions_augment(VIEW(F64, x, 2, 7), &how, &random),
            "coords has size 7 in dimension 1, expected at most 6");
}
