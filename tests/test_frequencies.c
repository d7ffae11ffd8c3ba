/*
 * test_frequencies.c - rotations recomputed from their channels and frequencies
 *
 * Positions are below 100, frequencies below 2 pi and within 2^-52 of
 * themselves, so angles err by 2 pi 100 2^-52 = 1.4e-13; with cosines within
 * 2^-51 and channels of magnitude 1 a result errs by 1e-12 at most.
 */
#include "locant/frequencies.h"
#include "testing.h"
#include <math.h>

enum { T = 5, D = 24, AXES = 4 };

static const struct {
    const char *spec;
    int64_t pairs, first;
    int interleaved, axes;
} rows[] = {
    { "rope", 12, 0, 0, 1 },
    { "rope(dim=6,pairing=interleaved)", 3, 0, 1, 1 },
    { "rope(dim=10,side=trailing)", 5, 14, 0, 1 },
    { "alibi+rope(base=500000)", 12, 0, 0, 1 },
    { "rope(scaling=yarn(factor=4,original=64))", 12, 0, 0, 1 },
    { "rope2d", 12, 0, 1, 2 },
    { "axes(widths=4:8:12,base=50)", 12, 0, 1, 3 },
    { "axes(widths=4:8:12,pairing=half)", 12, 0, 0, 3 },
    { "axes(widths=4:0:12:8,pairing=blocks,base=9)", 12, 0, 0, 4 },
};

/* y = x rotated by what the two functions say. */
static void rotate(double *y, const double *x, const double *at,
                   const locant_encoding *e, const locant_rotated *r)
{
    double f[AXES * D / 2];
    int64_t pair[D];

    CHECK_OK(locant_encoding_frequencies(VIEW(F64, f, r->axes, r->pairs),
                                         VIEW(I64, pair, r->pairs, 2), e, D,
                                         100));
    for (int i = 0; i < T * D; i++)
        y[i] = x[i];
    for (int t = 0; t < T; t++)
        for (int64_t c = 0; c < r->pairs; c++) {
            const int64_t i = t * D + pair[2 * c], j = t * D + pair[2 * c + 1];
            double angle = 0;

            for (int a = 0; a < r->axes; a++)
                angle += at[t * r->axes + a] * f[a * r->pairs + c];
            y[i] = r->magnitude * (x[i] * cos(angle) - x[j] * sin(angle));
            y[j] = r->magnitude * (x[i] * sin(angle) + x[j] * cos(angle));
        }
}

TEST(frequencies_and_channels_are_those_of_the_rotation)
{
    for (size_t n = 0; n < LEN(rows); n++) {
        OWNED(locant_encoding) *e = test_create(rows[n].spec);
        locant_rotated r = LOCANT_ROTATED_INIT;
        double x[T * D], y[T * D], want[T * D], at[T * AXES];

        CHECK_OK(locant_encoding_rotated(&r, e, D, 100));
        CHECK(r.pairs == rows[n].pairs && r.first == rows[n].first);
        CHECK(r.interleaved == rows[n].interleaved && r.axes == rows[n].axes);
        CHECK(!r.by_length);
        for (int i = 0; i < T * D; i++)
            x[i] = test_uniform();
        for (int i = 0; i < T * r.axes; i++)
            at[i] = 50 * test_uniform();
        CHECK_OK(locant_encoding_rotate(VIEW(F64, y, T, D), VIEW(F64, x, T, D),
                                        e, VIEW(F64, at, T, r.axes), NULL, 0));
        rotate(want, x, at, e, &r);
        for (int i = 0; i < T * D; i++)
            CHECK(fabs(y[i] - want[i]) < 1e-12);
    }
}

TEST(dynamic_frequencies_depend_on_the_length)
{
    OWNED(locant_encoding) *e =
        test_create("rope(scaling=dynamic(factor=2,original=64))");
    locant_rotated r = LOCANT_ROTATED_INIT;
    double near[D / 2], far[D / 2];

    CHECK_OK(locant_encoding_rotated(&r, e, D, 64));
    CHECK(r.by_length);
    CHECK_OK(
        locant_encoding_frequencies(VIEW(F64, near, 1, D / 2), NULL, e, D, 64));
    CHECK_OK(
        locant_encoding_frequencies(VIEW(F64, far, 1, D / 2), NULL, e, D, 256));
    CHECK(near[0] == 1 && far[0] == 1);
    CHECK(far[D / 2 - 1] < near[D / 2 - 1]);
}

TEST(other_encodings_rotate_nothing_or_are_refused)
{
    OWNED(locant_encoding) *alibi = test_create("alibi");
    OWNED(locant_encoding) *pope = test_create("pope");
    OWNED(locant_encoding) *wide = test_create("rope(dim=64)");
    OWNED(locant_encoding) *rope = test_create("rope");
    locant_rotated r = LOCANT_ROTATED_INIT;
    double f[D];

    CHECK_OK(locant_encoding_rotated(&r, alibi, D, 1));
    CHECK(r.pairs == 0 && r.magnitude == 1);
    CHECK_OK(
        locant_encoding_frequencies(VIEW(F64, f, 1, 0), NULL, alibi, D, 1));
    CHECK_REFUSED(locant_encoding_rotated(&r, pope, D, 1),
                  LOCANT_ERR_UNSUPPORTED,
                  "locant_encoding_rotated: pope is no plain rotation");
    CHECK(locant_encoding_rotated(&r, wide, D, 1) != LOCANT_OK);
    CHECK_REFUSED(
        locant_encoding_rotated(&r, rope, 0, 1), LOCANT_ERR_PARAM,
        "locant_encoding_rotated: head_dim is 0, expected at least 1");
    CHECK_REFUSED(locant_encoding_rotated(&r, NULL, D, 1), LOCANT_ERR_NULL,
                  "locant_encoding_rotated: e is NULL");
    CHECK_REFUSED(locant_encoding_rotated(NULL, rope, D, 1), LOCANT_ERR_NULL,
                  "locant_encoding_rotated: out is NULL");
    CHECK(locant_encoding_frequencies(VIEW(F64, f, 1, 3), NULL, rope, D, 1) ==
          LOCANT_ERR_SHAPE);
    r.struct_size = 1;
    CHECK(locant_encoding_rotated(&r, rope, D, 1) == LOCANT_ERR_PARAM);
}
