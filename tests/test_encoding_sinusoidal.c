/*
 * test_encoding_sinusoidal.c - arXiv:1706.03762v7, section 3.5, and the split
 * layout of Marian (exponent 2c/D, sines first).
 */
#include "oracle/near.h"
#include <math.h>
#include <string.h>

/* Ten printed decimals; the row is in double. */
#define PRINTED 0.51e-10

TEST(has_the_printed_values)
{
    static const double p1[8] = { 0.8414709848, 0.5403023059, 0.0998334166,
                                  0.9950041653, 0.0099998333, 0.9999500004,
                                  0.0009999998, 0.9999995000 };
    static const double p2[8] = { 0.9092974268, -0.4161468365, 0.1986693308,
                                  0.9800665778, 0.0199986667,  0.9998000067,
                                  0.0019999987, 0.9999980000 };
    static const double odd[5] = { 0.8414709848, 0.5403023059, 0.0251162229,
                                   0.9996845379, 0.0006309573 };
    double row[8];

    near_row(row, "sinusoidal", 1, 8);
    near_all(row, p1, 8, PRINTED);
    near_row(row, "sinusoidal", 2, 8);
    near_all(row, p2, 8, PRINTED);
    near_row(row, "sinusoidal", 1, 5);
    near_all(row, odd, 5, PRINTED);
}

TEST(split_lists_sines_then_cosines)
{
    static const double even[8] = { 0.8414709848, 0.0998334166, 0.0099998333,
                                    0.0009999998, 0.5403023059, 0.9950041653,
                                    0.9999500004, 0.9999995 };
    static const double odd[5] = { 0.8414709848, 0.0251162229, 0.0006309573,
                                   0.5403023059, 0.9996845379 };
    double row[8];

    near_row(row, "sinusoidal(form=split)", 1, 8);
    near_all(row, even, 8, PRINTED);
    near_row(row, "sinusoidal(form=split)", 1, 5);
    near_all(row, odd, 5, PRINTED);
}

/* M_3 P[5] = P[8], D = 4, with the printed blocks of M_3. */
TEST(shift_is_a_block_rotation)
{
    static const double p5[4] = { -0.9589242747, 0.2836621855, 0.0499791693,
                                  0.9987502604 };
    static const double p8[4] = { 0.9893582466, -0.1455000338, 0.0799146940,
                                  0.9968017063 };
    double a[4], b[4], moved[4];
    const double c0 = -0.9899924966, s0 = 0.1411200081;
    const double c1 = 0.9995500337, s1 = 0.0299955002;

    near_row(a, "sinusoidal", 5, 4);
    near_row(b, "sinusoidal", 8, 4);
    near_all(a, p5, 4, PRINTED);
    near_all(b, p8, 4, PRINTED);
    moved[0] = c0 * a[0] + s0 * a[1];
    moved[1] = -s0 * a[0] + c0 * a[1];
    moved[2] = c1 * a[2] + s1 * a[3];
    moved[3] = -s1 * a[2] + c1 * a[3];
    near_all(moved, b, 4, 2 * PRINTED);
}

/* The longest wavelength is 2 pi base^((D-2)/D), not 2 pi base. */
TEST(longest_wave_is_as_printed)
{
    static const int64_t D[] = { 64, 128, 512 };
    static const double wave[] = { 47117.24, 54410.14, 60611.48 };

    for (size_t i = 0; i < LEN(D); i++) {
        double row[512];

        near_row(row, "sinusoidal", 1, D[i]);
        /* Half a unit of the printed hundredths. */
        CHECK(fabs(2 * acos(-1) / asin(row[D[i] - 2]) - wave[i]) < 0.0051);
    }
}

TEST(canonical_spec_drops_defaults)
{
    locant_encoding *e =
        test_create(" sinusoidal ( form = interleaved , base = 1e4 ) ");

    CHECK(strcmp(locant_encoding_spec(e), "sinusoidal") == 0);
    locant_encoding_free(e);
    e = test_create("sinusoidal(form=split,base=500)");
    CHECK(strcmp(locant_encoding_spec(e), "sinusoidal(base=500,form=split)") ==
          0);
    locant_encoding_free(e);
}

TEST(refuses_bad_specs)
{
    locant_encoding *e = NULL;

    REFUSES(PARAM, locant_encoding_create(&e, "sinusoidal(base=0)"),
            "key 'base' of 'sinusoidal': '0' at byte 16 should be a number 1 "
            ".. 1e30");
    CHECK(e == NULL);
    REFUSES(PARAM, locant_encoding_create(&e, "sinusoidal(base=inf)"),
            "key 'base' of 'sinusoidal': 'inf' at byte 16 should be a number "
            "1 .. 1e30");
    REFUSES(PARAM, locant_encoding_create(&e, "sinusoidal(form=paper)"),
            "key 'form' of 'sinusoidal': 'paper' at byte 16 should be "
            "interleaved | split");
    REFUSES(PARAM, locant_encoding_create(&e, "sinusoidal(bas=3)"),
            "unknown key 'bas' of 'sinusoidal' at byte 11; did you mean "
            "'base'? known: base, form, spacing, start, learned");
}

TEST(refuses_bad_tensors)
{
    int64_t two = 2, pos[3] = { 0, 1, 2 };
    double data[12] = { 7, 7 };
    OWNED(locant_encoding) *e = test_create("sinusoidal");
    locant_tensor out = DENSE(F64, data, 3, 4), bad = out;
    locant_tensor p = DENSE(I64, pos, 3);
    locant_tensor p2 = DENSE(I64, pos, two);

    REFUSES(NULL, locant_encoding_table(NULL, e, &p, NULL), "out is NULL");
    REFUSES(NULL, locant_encoding_table(&out, NULL, &p, NULL), "e is NULL");
    REFUSES(NULL, locant_encoding_table(&out, e, NULL, NULL),
            "positions is NULL");
    REFUSES(SHAPE, locant_encoding_table(&out, e, &p2, NULL),
            "out has size 3 in dimension 0, expected 2");
    REFUSES(ALIAS, locant_encoding_table(&out, e, VIEW(I64, data, 3), NULL),
            "an output overlaps an input");
    bad.dtype = LOCANT_F16;
    REFUSES(DTYPE, locant_encoding_table(&bad, e, &p, NULL),
            "out is f16, expected f32 or f64");
    bad = out;
    bad.stride[1] = 2;
    REFUSES(LAYOUT, locant_encoding_table(&bad, e, &p, NULL),
            "last stride of out is 2, expected 1");
    bad = out;
    bad.stride[0] = 0;
    REFUSES(LAYOUT, locant_encoding_table(&bad, e, &p, NULL),
            "out has stride 0 in dimension 0: two elements of an output may "
            "not share memory");
    p2 = p;
    p2.dtype = LOCANT_I32;
    REFUSES(DTYPE, locant_encoding_table(&out, e, &p2, NULL),
            "positions is i32, expected i64");
    bad = out;
    bad.rank = 1;
    REFUSES(SHAPE, locant_encoding_table(&bad, e, &p, NULL),
            "out has rank 1, expected 2");
    CHECK(data[0] == 7 && data[1] == 7 && data[2] == 0);
}
