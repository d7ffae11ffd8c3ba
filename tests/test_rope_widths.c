/*
 * test_rope_widths.c - axes(widths=..), mrope of other numbers of sections, and
 * the options of DINOv3: the numbers of the models that have them.
 */
#include "oracle/near.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 256, AXES = 6 };

/* One row of doubles at real coordinates. */
static void rotate_at(double *y, const double *x, const char *spec,
                      const double *coords, int64_t D)
{
    OWNED(locant_encoding) *e = test_create(spec);
    double copy[MOST], where[AXES];
    const int64_t axes = locant_encoding_axes(e);

    memcpy(copy, x, (size_t)D * sizeof(*x));
    memcpy(where, coords, (size_t)axes * sizeof(*coords));
    CHECK_OK(locant_encoding_rotate(VIEW(F64, y, 1, D), VIEW(F64, copy, 1, D),
                                    e, VIEW(F64, where, 1, axes), NULL, 0));
}

/* The angle of the pair of channels a, b with this coordinate 1, the others 0.
 */
static double angle_at(const char *spec, int64_t D, int axis, int64_t a,
                       int64_t b)
{
    double x[MOST] = { 0 }, y[MOST], at[AXES] = { 0 };

    x[a] = 1;
    at[axis] = 1;
    rotate_at(y, x, spec, at, D);
    return atan2(y[b], y[a]);
}

/* The second frequency of an axis: its channels 2 and 3. */
TEST(models_have_their_frequencies)
{
    static const struct {
        const char *spec;
        int64_t D, first;
        int axis;
        double frequency;
    } row[] = {
        { "axes(widths=16:56:56)", 128, 0, 0, 0.3162277660 },
        { "axes(widths=16:56:56)", 128, 16, 1, 0.7196856730 },
        { "axes(widths=16:56:56)", 128, 72, 2, 0.7196856730 },
        { "axes(widths=44:42:42)", 128, 0, 0, 0.6579332247 },
        { "axes(widths=44:42:42)", 128, 44, 1, 0.6449466771 },
        { "axes", 128, 86, 2, 0.6449466771 },
        { "axes(widths=32:32:32:32,base=2000)", 128, 96, 3, 0.6218499808 },
        { "axes(widths=16:56:56,base=256)", 128, 0, 0, 0.5 },
        { "axes(widths=16:56:56,base=256)", 128, 16, 1, 0.8203353560 },
        { "axes(widths=32:48:48,base=256)", 128, 0, 0, 0.7071067812 },
        { "axes(widths=32:48:48,base=256)", 128, 32, 1, 0.7937005260 },
    };

    for (size_t i = 0; i < LEN(row); i++) {
        int64_t a = row[i].first + 2;

        near_all((double[]){ angle_at(row[i].spec, row[i].D, row[i].axis, a,
                                      a + 1) },
                 &row[i].frequency, 1, 1e-10);
        CHECK(angle_at(row[i].spec, row[i].D, (row[i].axis + 1) % 3, a,
                       a + 1) == 0);
    }
}

TEST(pairings_choose_channels)
{
    const double f[] = { 1, 0.01, 1, pow(50, -1. / 3), pow(50, -2. / 3) };
    static const int64_t half[][2] = {
        { 0, 5 }, { 1, 6 }, { 2, 7 }, { 3, 8 }, { 4, 9 }
    };
    static const int64_t blocks[][2] = {
        { 0, 2 }, { 1, 3 }, { 4, 7 }, { 5, 8 }, { 6, 9 }
    };

    for (int c = 0; c < 5; c++) {
        double got[2] = {
            angle_at("axes(widths=4:6,base=10000:50,pairing=half)", 12, c > 1,
                     half[c][0], half[c][1]),
            angle_at("axes(widths=4:6,base=10000:50,pairing=blocks)", 12, c > 1,
                     blocks[c][0], blocks[c][1])
        };

        near_all(got, (double[]){ f[c], f[c] }, 2, 1e-14);
    }
}

static void rotate_float(float *y, const float *x, const char *spec,
                         const int64_t *pos, int64_t n, int64_t D, int flags)
{
    OWNED(locant_encoding) *e = test_create(spec);

    CHECK_OK(locant_encoding_rotate(VIEW(F32, y, n, D),
                                    VIEW(F32, (void *)x, n, D), e,
                                    VIEW(I64, (void *)pos, n), NULL, flags));
}

/* With one axis, or all coordinates alike, nothing but rope is left. */
TEST(one_axis_is_rope)
{
    static const char *const specs[][2] = {
        { "axes(widths=64)", "rope(pairing=interleaved)" },
        { "axes(widths=64,pairing=half)", "rope" },
        { "axes(widths=64,pairing=blocks,base=500)", "rope(base=500)" },
        { "axes(widths=32)", "rope(dim=32,pairing=interleaved)" },
        { "mrope(sections=32)", "rope" },
        { "mrope(sections=8:8:8:8)", "rope" },
        { "mrope(sections=8:12:12,layout=video)", "rope" },
    };
    float x[9 * 64], a[9 * 64], b[9 * 64], back[9 * 64];
    int64_t pos[9];

    for (size_t i = 0; i < LEN(specs); i++) {
        for (int t = 0; t < 9; t++)
            pos[t] = test_range(-100000, 100000);
        for (int k = 0; k < 9 * 64; k++)
            x[k] = (float)test_uniform();
        rotate_float(a, x, specs[i][0], pos, 9, 64, 0);
        rotate_float(b, x, specs[i][1], pos, 9, 64, 0);
        CHECK(memcmp(a, b, sizeof(a)) == 0);
        rotate_float(back, a, specs[i][0], pos, 9, 64, LOCANT_ROTATE_INVERSE);
        for (int k = 0; k < 9 * 64; k++)
            CHECK(fabsf(back[k] - x[k]) < 1e-6f);
    }
}

/* A permutation of channels makes blocks of interleaved pairs, to the bit. */
TEST(blocks_are_interleaved_pairs_elsewhere)
{
    static const int widths[3] = { 10, 0, 6 };
    const int64_t pos[3] = { 5, 111, 40 };
    float x[3 * 18], mixed[3 * 18], a[3 * 18], b[3 * 18];
    int at[18], n = 0;

    for (int w = 0, first = 0; w < 3; first += widths[w++])
        for (int d = 0; d < widths[w]; d++, n++)
            at[n] = first + (d % 2) * widths[w] / 2 + d / 2;
    for (; n < 18; n++)
        at[n] = n;
    for (int k = 0; k < 3 * 18; k++)
        x[k] = (float)test_uniform();
    for (int k = 0; k < 3 * 18; k++)
        mixed[k] = x[k / 18 * 18 + at[k % 18]];
    rotate_float(a, x, "axes(widths=10:0:6,pairing=blocks,grid=4:5)", pos, 3,
                 18, 0);
    rotate_float(b, mixed, "axes(widths=10:0:6,grid=4:5)", pos, 3, 18, 0);
    for (int k = 0; k < 3 * 18; k++)
        CHECK(b[k] == a[k / 18 * 18 + at[k % 18]]);
}

/* Position p of a grid is row-major, its first axis without end. */
TEST(flat_positions_are_row_major)
{
    static const struct {
        int64_t pos;
        double at[3];
    } row[] = { { 0, { 0, 0, 0 } },
                { 13, { 1, 0, 1 } },
                { 23, { 1, 3, 2 } },
                { -1, { -1, 3, 2 } } };

    for (size_t i = 0; i < LEN(row); i++) {
        double x[12], flat[12], at[12];

        for (int d = 0; d < 12; d++)
            x[d] = test_uniform();
        near_rotate(flat, x, "axes(grid=4:3)", row[i].pos, 12, 0);
        rotate_at(at, x, "axes(grid=4:3)", row[i].at, 12);
        CHECK(memcmp(flat, at, sizeof(at)) == 0);
    }
}

/* Keys of other axes are not rotated twice in one go. */
TEST(cached_keys_are_rotated_again)
{
    OWNED(locant_encoding) *e =
        test_create("axes(widths=4:6,pairing=blocks,base=100)");
    double x[10], there[10], again[10], want[10];
    double from[2] = { 3, -1.5 }, to[2] = { 0.5, 8 };

    for (int d = 0; d < 10; d++)
        x[d] = test_uniform();
    rotate_at(there, x, "axes(widths=4:6,pairing=blocks,base=100)", from, 10);
    rotate_at(want, x, "axes(widths=4:6,pairing=blocks,base=100)", to, 10);
    CHECK_OK(locant_encoding_rerotate(
        VIEW(F64, again, 1, 10), VIEW(F64, there, 1, 10), e,
        VIEW(F64, from, 1, 2), e, VIEW(F64, to, 1, 2)));
    near_all(again, want, 10, 1e-14);
    {
        OWNED(locant_encoding) *other =
            test_create("axes(widths=6:4,pairing=blocks)");

        REFUSES(PARAM,
                locant_encoding_rerotate(
                    VIEW(F64, again, 1, 10), VIEW(F64, there, 1, 10), e,
                    VIEW(F64, from, 1, 2), other, VIEW(F64, to, 1, 2)),
                "the keys have pairs in other bands of channels than 'to', "
                "expected the same widths of axes");
    }
}

/* Coordinates [B, T, axes]: each row as alone. */
TEST(rows_have_coordinates_of_their_own)
{
    OWNED(locant_encoding) *e = test_create("axes(widths=2:4:2,pairing=half)");
    enum { B = 3, H = 2, T = 4, D = 10 };
    float x[B * H * T * D], all[B * H * T * D], one[H * T * D], dx[H * T * D];
    float dall[B * H * T * D];
    double at[B * T * 3];
    locant_rotation r = LOCANT_ROTATION_INIT;
    locant_tensor whole = DENSE(F64, at, B, T, 3);

    for (int i = 0; i < B * H * T * D; i++)
        x[i] = (float)test_uniform();
    for (int i = 0; i < B * T * 3; i++)
        at[i] = 20 * test_uniform();
    r.encoding = e;
    r.positions = &whole;
    CHECK_OK(locant_encoding_rotate_ragged(VIEW(F32, all, B, H, T, D),
                                           VIEW(F32, x, B, H, T, D), &r));
    CHECK_OK(locant_encoding_rotate_ragged_backward(
        VIEW(F32, dall, B, H, T, D), NULL, VIEW(F32, x, B, H, T, D), NULL, &r));
    for (int b = 0; b < B; b++) {
        locant_tensor *mine = VIEW(F64, at + b * T * 3, T, 3);
        locant_tensor *row = VIEW(F32, x + b * H * T * D, 1, H, T, D);

        CHECK_OK(locant_encoding_rotate(VIEW(F32, one, 1, H, T, D), row, e,
                                        mine, NULL, 0));
        CHECK(memcmp(one, all + b * H * T * D, sizeof(one)) == 0);
        CHECK_OK(locant_encoding_rotate_backward(
            VIEW(F32, dx, 1, H, T, D), NULL, row, NULL, e, mine, NULL, 0));
        CHECK(memcmp(dx, dall + b * H * T * D, sizeof(dx)) == 0);
        r.positions = mine; /* the same for all rows */
        CHECK_OK(
            locant_encoding_rotate_ragged(VIEW(F32, one, 1, H, T, D), row, &r));
        CHECK(memcmp(one, all + b * H * T * D, sizeof(one)) == 0);
    }
    r.positions = VIEW(F64, at, B, T, 2);
    REFUSES(SHAPE,
            locant_encoding_rotate_ragged(VIEW(F32, all, B, H, T, D),
                                          VIEW(F32, x, B, H, T, D), &r),
            "positions has size 2 in dimension 2, expected 3");
}

/* Of one axis the last dimension may be left out; lengths still matter. */
TEST(rows_have_real_positions_of_their_own)
{
    OWNED(locant_encoding) *e =
        test_create("rope(scaling=dynamic(factor=2,original=4))");
    float x[2 * 3 * 4], a[2 * 3 * 4], b[3 * 4];
    double at[6] = { 0, 2.5, 3, 0, 9.5, 20 };
    locant_rotation r = LOCANT_ROTATION_INIT;

    for (int i = 0; i < 24; i++)
        x[i] = (float)test_uniform();
    r.encoding = e;
    for (int dims = 2; dims <= 3; dims++) {
        locant_tensor two = DENSE(F64, at, 2, 3);
        locant_tensor three = DENSE(F64, at, 2, 3, 1);

        r.positions = dims == 2 ? &two : &three;
        CHECK_OK(locant_encoding_rotate_ragged(VIEW(F32, a, 2, 3, 4),
                                               VIEW(F32, x, 2, 3, 4), &r));
        for (int i = 0; i < 2; i++) {
            CHECK_OK(locant_encoding_rotate(VIEW(F32, b, 3, 4),
                                            VIEW(F32, x + 12 * i, 3, 4), e,
                                            VIEW(F64, at + 3 * i, 3), NULL, 0));
            CHECK(memcmp(b, a + 12 * i, sizeof(b)) == 0);
        }
    }
}

/* A grid of 2 x 3; 8 channels have the periods 1 and 10. */
TEST(dinov3_divides_by_a_side)
{
    static const struct {
        const char *normalize;
        double y[2], x[3];
    } row[] = { { "separate", { -0.5, 0.5 }, { -2. / 3, 0, 2. / 3 } },
                { "max", { -2. / 3, 0 }, { -2. / 3, 0, 2. / 3 } },
                { "min", { -0.5, 0.5 }, { -0.5, 0.5, 1.5 } } };
    const double turn = 2 * acos(-1);

    for (size_t i = 0; i < LEN(row); i++)
        for (int64_t p = 0; p < 6; p++) {
            double at[2] = { row[i].y[p / 3], row[i].x[p % 3] };
            double x[8], flat[8], want[8];
            char spec[96];

            snprintf(spec, sizeof(spec),
                     "rope2d(form=dinov3,width=3,height=2,normalize=%s)",
                     row[i].normalize);
            for (int d = 0; d < 8; d++)
                x[d] = test_uniform();
            near_rotate(flat, x, spec, p, 8, 0);
            rotate_at(want, x, spec, at, 8);
            near_all(flat, want, 8, 1e-14);
        }
    near_all(
        (double[]){ angle_at("rope2d(form=dinov3,periods=4:64)", 12, 0, 0, 6),
                    angle_at("rope2d(form=dinov3,periods=4:64)", 12, 0, 1, 7),
                    angle_at("rope2d(form=dinov3,periods=4:64)", 12, 0, 2, 8) },
        (double[]){ turn / 4, turn / 16, turn / 64 }, 3, 1e-14);
}

/* The first pairs alternate h and w; t has the lowest frequencies or none. */
TEST(video_layouts_give_time_low_frequencies)
{
    const char *video = "mrope(layout=video)", *hope = "mrope(layout=hope)";

    CHECK(angle_at(video, 128, 1, 0, 64) == 1);
    CHECK(angle_at(video, 128, 2, 0, 64) == 0);
    CHECK(angle_at(video, 128, 2, 1, 65) > 0.8);
    CHECK(angle_at(video, 128, 2, 47, 111) > 0);
    CHECK(angle_at(video, 128, 0, 48, 112) > 0);
    CHECK(angle_at(hope, 128, 2, 47, 111) > 0);
    for (int64_t c = 0; c < 64; c++)
        CHECK(angle_at(hope, 128, 0, c, c + 64) == 0);
}

/* The released code and the paper, on the channels 1 .. 4 of one axis. */
TEST(vjepa2_turns_channels_of_a_pair_apart)
{
    static const double x[14] = { 1, 2, 3, 4 }, at[3] = { 1, 0, 0 };
    static const double released[4] = { -1.1426396637, 2.0098998342,
                                        -1.7449770216, 4.0297995017 };
    static const double right[4] = { -1.1426396637, 1.9220755965, 2.9598506679,
                                     4.0297995017 };
    double y[14];

    rotate_at(y, x, "vjepa2", at, 14);
    near_all(y, released, 4, 1e-10);
    rotate_at(y, x, "rope3d", at, 14);
    near_all(y, right, 4, 1e-10);
}

/* Largest difference of forward from the reference, with T queries at the end
 * of S keys; T is 1 to decode. */
static double engines_apart(const char *spec, locant_dtype dtype, int64_t T,
                            int64_t S)
{
    enum { H = 2, D = 64, MOST_KEYS = 300 };
    static float q[H * MOST_KEYS * D], k[H * MOST_KEYS * D];
    static float v[H * MOST_KEYS * D], o[H * MOST_KEYS * D];
    static double want[H * MOST_KEYS * D], lse[H * MOST_KEYS];
    static float lse32[H * MOST_KEYS];
    OWNED(locant_encoding) *e = test_create(spec);
    const int64_t few[4] = { 1, H, T, D }, all[4] = { 1, H, S, D };
    locant_tensor tq = locant_dense(q, dtype, 4, few);
    locant_tensor tk = locant_dense(k, dtype, 4, all);
    locant_tensor tv = locant_dense(v, dtype, 4, all);
    locant_tensor to = locant_dense(o, dtype, 4, few);
    locant_tensor exact = locant_dense(want, LOCANT_F64, 4, few);
    locant_attention a = LOCANT_ATTENTION_INIT;
    double most = 0;
    size_t bytes;
    void *scratch;

    for (size_t i = 0; i < LEN(q); i++) {
        q[i] = (float)test_uniform();
        k[i] = (float)test_uniform();
        v[i] = (float)test_uniform();
    }
    for (size_t i = 0; dtype == LOCANT_BF16 && i < 2 * LEN(q); i++) {
        ((uint16_t *)(void *)q)[i] =
            (uint16_t)(0x3f00 | (test_rand() & 0x80ff));
        ((uint16_t *)(void *)k)[i] =
            (uint16_t)(0x3f00 | (test_rand() & 0x80ff));
        ((uint16_t *)(void *)v)[i] =
            (uint16_t)(0x3f00 | (test_rand() & 0x80ff));
    }
    a.q = &tq;
    a.k = &tk;
    a.v = &tv;
    a.encoding = e;
    a.mask = LOCANT_MASK_CAUSAL;
    CHECK_OK(locant_attention_reference(&exact, VIEW(F64, lse, 1, H, T), &a));
    CHECK_OK(locant_attention_workspace(&bytes, &a));
    scratch = malloc(bytes + 1);
    CHECK_OK(locant_attention_forward(&to, VIEW(F32, lse32, 1, H, T), &a,
                                      scratch, bytes));
    free(scratch);
    for (size_t i = 0; i < (size_t)(H * T * D); i++) {
        uint32_t bits = (uint32_t)((uint16_t *)(void *)o)[i] << 16;
        float got = o[i];

        if (dtype == LOCANT_BF16)
            memcpy(&got, &bits, sizeof(got));
        most = fmax(most, fabs((double)got - want[i]));
    }
    return most;
}

/* Decode and tiles, with bands of pairs.  Outputs are means of values up to 2:
 * float32 sums of 300 of them are within 300 2^-24 of these, bfloat16 results
 * and rotated rows within some 2^-8 of scores of about 1.  Pairs of the wrong
 * channels are 0.1 off and more. */
TEST(all_engines_know_bands)
{
    static const char *const specs[] = {
        "axes(widths=24:20:18,pairing=blocks,grid=5:6)",
        "axes(widths=24:20:20,pairing=half)", "mrope(sections=8:8:8:8)"
    };
    static const int64_t queries[] = { 1, 3, 150 };

    for (size_t i = 0; i < LEN(specs); i++)
        for (size_t n = 0; n < LEN(queries); n++) {
            CHECK(engines_apart(specs[i], LOCANT_F32, queries[n], 300) < 5e-5);
            CHECK(engines_apart(specs[i], LOCANT_BF16, queries[n], 300) < 0.04);
        }
}

TEST(bad_axes_are_refused)
{
    static const char *const row[][2] = {
        { "axes(widths=3:4)", "width 0 of axes is 3, expected an even number" },
        { "axes(widths=0:0)",
          "widths of axes are all 0, expected channels to rotate" },
        { "axes(widths=2:2:2:2:2:2:2)",
          "widths of axes are 7, expected 1 .. 6" },
        { "axes(widths=2:2,base=10:20:30)",
          "bases of axes are 3, expected 1 or 2" },
        { "axes(grid=4)", "grid of axes has 1 sizes, expected 2: of all axes "
                          "but the first" },
        { "axes(grid=4:1.5)", "size 1 of the grid of axes is 1.5, expected a "
                              "whole number" },
        { "mrope(sections=1:1,layout=video)",
          "sections of mrope are 2, expected 3" },
        { "mrope(sections=1:2:3,layout=hope)",
          "sections h and w of mrope are 2 and 3, expected equal ones for "
          "hope" },
        { "mrope(sections=1:1:1:1:1:1:1)",
          "sections of mrope are 7, expected 1 .. 6" },
        { "rope2d(periods=1:2)",
          "periods of rope2d is given, expected form=dinov3 to use it" },
        { "rope2d(normalize=max)",
          "normalize of rope2d is given, expected form=dinov3 to use it" },
        { "rope2d(form=dinov3,periods=2:1)",
          "periods of rope2d are 2 numbers, expected 2 that do not decrease" },
        { "rope2d(form=dinov3,periods=1:2,base=3)",
          "base and periods of rope2d are both given, expected one of them" },
    };
    OWNED(locant_encoding) *axes = test_create("axes");
    OWNED(locant_encoding) *wide = test_create("axes(widths=4:6)");
    double x[9];
    int64_t pos[1] = { 0 };

    for (size_t i = 0; i < LEN(row); i++) {
        locant_encoding *e;
        char want[200];

        snprintf(want, sizeof(want), "locant_encoding_create: %s", row[i][1]);
        CHECK_REFUSED(locant_encoding_create(&e, row[i][0]), LOCANT_ERR_PARAM,
                      want);
    }
    REFUSES(SHAPE,
            locant_encoding_rotate(VIEW(F64, x, 1, 9), VIEW(F64, x, 1, 9), axes,
                                   VIEW(I64, pos, 1), NULL, 0),
            "heads have 9 channels, expected an even number for axes");
    REFUSES(SHAPE,
            locant_encoding_rotate(VIEW(F64, x, 1, 8), VIEW(F64, x, 1, 8), wide,
                                   VIEW(I64, pos, 1), NULL, 0),
            "the widths of axes are 10 channels, found heads of 8");
}
