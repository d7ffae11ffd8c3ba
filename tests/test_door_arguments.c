/*
 * test_door_arguments.c - arguments of the doors: outputs that overlap inputs,
 * tensors without elements, positions that every path refuses.
 */
#include "testing.h"
#include <math.h>
#include <string.h>

static locant_tensor view(void *data, locant_dtype dtype, int rank, int64_t a,
                          int64_t b, int64_t c, int64_t d)
{
    const int64_t shape[4] = { a, b, c, d };

    return locant_dense(data, dtype, rank, shape);
}

/* The gradient would be written over the positions still to be read. */
TEST(table_gradients_keep_off_positions)
{
    OWNED(locant_encoding) *e = test_create("learned(length=4)");
    int64_t memory[4] = { 0, 1, 0, 1 };
    double table[4] = { 0 }, rows[4] = { 0 };
    locant_tensor pos = view(memory, LOCANT_I64, 1, 4, 0, 0, 0);
    locant_tensor p = view(table, LOCANT_F64, 2, 4, 1, 0, 0);
    locant_tensor dout = view(rows, LOCANT_F64, 2, 4, 1, 0, 0);
    locant_tensor over = view(memory, LOCANT_F64, 2, 4, 1, 0, 0);

    CHECK(locant_encoding_table_backward(&over, &dout, e, &pos, &p) ==
          LOCANT_ERR_ALIAS);
}

TEST(bias_gradients_keep_off_inputs)
{
    OWNED(locant_encoding) *e = test_create("alibi(learned=yes)");
    int64_t memory[2] = { 0, 1 };
    double slope[2] = { 0 }, rows[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    locant_tensor pos = view(memory, LOCANT_I64, 1, 2, 0, 0, 0);
    locant_tensor p = view(slope, LOCANT_F64, 1, 2, 0, 0, 0);
    locant_tensor dout = view(rows, LOCANT_F64, 3, 2, 2, 2, 0);
    locant_tensor over_dout = view(rows, LOCANT_F64, 1, 2, 0, 0, 0);
    locant_tensor over_pos = view(memory, LOCANT_F64, 1, 2, 0, 0, 0);

    CHECK(locant_encoding_bias_backward(&over_dout, &dout, e, &pos, &pos, &p) ==
          LOCANT_ERR_ALIAS);
    CHECK(locant_encoding_bias_backward(&over_pos, &dout, e, &pos, &pos, &p) ==
          LOCANT_ERR_ALIAS);
}

/* A map: dx is no view of dout (twice as wide), nor of the parameters. */
TEST(map_gradients_keep_off_inputs)
{
    OWNED(locant_encoding) *e = test_create("pope");
    int64_t at[1] = { 1 };
    double row[2] = { 1, 2 }, wide[4] = { 1, 1, 1, 1 }, phase[2] = { 0 };
    locant_tensor pos = view(at, LOCANT_I64, 1, 1, 0, 0, 0);
    locant_tensor x = view(row, LOCANT_F64, 3, 1, 1, 2, 0);
    locant_tensor dout = view(wide, LOCANT_F64, 3, 1, 1, 4, 0);
    locant_tensor p = view(phase, LOCANT_F64, 2, 1, 2, 0, 0);
    locant_tensor over_params = view(phase, LOCANT_F64, 3, 1, 1, 2, 0);
    locant_tensor over_dout = view(wide, LOCANT_F64, 3, 1, 1, 2, 0);

    CHECK(locant_encoding_rotate_backward(&over_params, NULL, &dout, &x, e,
                                          &pos, &p, LOCANT_ROTATE_KEY) ==
          LOCANT_ERR_ALIAS);
    CHECK(locant_encoding_rotate_backward(&over_dout, NULL, &dout, &x, e, &pos,
                                          &p, LOCANT_ROTATE_KEY) ==
          LOCANT_ERR_ALIAS);
    CHECK(locant_encoding_rotate_backward(&x, NULL, &dout, &x, e, &pos, &p,
                                          LOCANT_ROTATE_KEY) ==
          LOCANT_ERR_ALIAS);
}

/* Arrays of dparams that are wanted, over each thing a map reads. */
TEST(map_parameters_keep_off_inputs)
{
    OWNED(locant_encoding) *e = test_create("pope");
    int64_t at[2] = { 1, 0 };
    double row[2] = { 1, 2 }, wide[4] = { 1, 1, 1, 1 }, phase[2] = { 0 };
    double dx_row[2], sum[2] = { 0 };
    void *const over[] = { at, row, wide, phase, dx_row };
    locant_tensor pos = view(at, LOCANT_I64, 1, 1, 0, 0, 0);
    locant_tensor x = view(row, LOCANT_F64, 3, 1, 1, 2, 0);
    locant_tensor dx = view(dx_row, LOCANT_F64, 3, 1, 1, 2, 0);
    locant_tensor dout = view(wide, LOCANT_F64, 3, 1, 1, 4, 0);
    locant_tensor p = view(phase, LOCANT_F64, 2, 1, 2, 0, 0);
    locant_tensor d = view(sum, LOCANT_F64, 2, 1, 2, 0, 0);

    CHECK_OK(locant_encoding_rotate_backward(&dx, &d, &dout, &x, e, &pos, &p,
                                             LOCANT_ROTATE_KEY));
    for (size_t n = 0; n < LEN(over); n++) {
        d.data = over[n];
        CHECK(locant_encoding_rotate_backward(&dx, &d, &dout, &x, e, &pos, &p,
                                              LOCANT_ROTATE_KEY) ==
              LOCANT_ERR_ALIAS);
    }
}

/* shape[i] == 0 is legal (core.h), whatever locant_dense() makes of it. */
TEST(parameters_may_have_no_elements)
{
    OWNED(locant_encoding) *e = test_create("t5");
    const locant_sizes none = { 0 };
    locant_param_info info;
    int64_t at[2] = { 0, 1 };
    locant_tensor pos = view(at, LOCANT_I64, 1, 2, 0, 0, 0);
    locant_tensor p, out = view(NULL, LOCANT_F64, 3, 0, 2, 2, 0);

    CHECK(locant_encoding_param(&info, e, 0, &none));
    p = view(NULL, LOCANT_F64, 2, info.shape[0], 0, 0, 0);
    CHECK_OK(locant_encoding_bias(&out, e, &pos, &pos, &p));
}

/*
 * encoding.h: gradients are added in the dtype of dparams, one row after the
 * other.  2^24 + 1 lies between two floats and rounds to the even one, 2^24,
 * every time; from 0, and in double, each sum of ones is exact.
 */
TEST(repeated_positions_add_up_row_by_row)
{
    enum { N = 1000 };
    OWNED(locant_encoding) *e = test_create("learned(length=1)");
    static int64_t at[N];
    static float ones[N];
    float table = 0, sum = 16777216, zero = 0;
    double wide_table = 0, wide = 16777216;
    locant_tensor pos = view(at, LOCANT_I64, 1, N, 0, 0, 0);
    locant_tensor p = view(&table, LOCANT_F32, 2, 1, 1, 0, 0);
    locant_tensor d = view(&sum, LOCANT_F32, 2, 1, 1, 0, 0);
    locant_tensor wide_p = view(&wide_table, LOCANT_F64, 2, 1, 1, 0, 0);
    locant_tensor wide_d = view(&wide, LOCANT_F64, 2, 1, 1, 0, 0);
    locant_tensor dout = view(ones, LOCANT_F32, 2, N, 1, 0, 0);

    for (int i = 0; i < N; i++)
        ones[i] = 1;
    CHECK_OK(locant_encoding_table_backward(&d, &dout, e, &pos, &p));
    CHECK(sum == 16777216);
    d.data = &zero;
    CHECK_OK(locant_encoding_table_backward(&d, &dout, e, &pos, &p));
    CHECK(zero == N);
    CHECK_OK(locant_encoding_table_backward(&wide_d, &dout, e, &pos, &wide_p));
    CHECK(wide == 16777216 + N);
}

/* Flat positions that no double holds; rope2d and rope3d refuse them. */
TEST(grids_of_the_input_door_refuse_far_positions)
{
    static const char *const specs[] = {
        "sincos2d(width=3)", "sincos2d(width=1)", "sincos3d(width=3,height=5)",
        "sincos2d(form=detr,width=1,height=1)"
    };
    static const int64_t far[] = { INT64_MIN, INT64_MAX, (1LL << 53) + 1 };
    double row[8];
    locant_tensor out = view(row, LOCANT_F64, 2, 1, 8, 0, 0);

    for (size_t n = 0; n < LEN(specs); n++)
        for (size_t i = 0; i < LEN(far); i++) {
            OWNED(locant_encoding) *e = test_create(specs[n]);
            int64_t at = far[i];
            locant_tensor pos = view(&at, LOCANT_I64, 1, 1, 0, 0, 0);

            CHECK(locant_encoding_table(&out, e, &pos, NULL) ==
                  LOCANT_ERR_PARAM);
        }
}

/* Every entry of a bias is finite where the parameters are. */
TEST(learned_slopes_stay_finite)
{
    OWNED(locant_encoding) *e = test_create("alibi(learned=yes)");
    int64_t at[2] = { 0, 1 };
    double slope[1] = { 800 }, b[4];
    locant_tensor pos = view(at, LOCANT_I64, 1, 2, 0, 0, 0);
    locant_tensor p = view(slope, LOCANT_F64, 1, 1, 0, 0, 0);
    locant_tensor out = view(b, LOCANT_F64, 3, 1, 2, 2, 0);

    CHECK_OK(locant_encoding_param_project(&p, e, 0));
    CHECK_OK(locant_encoding_bias(&out, e, &pos, &pos, &p));
    for (int i = 0; i < 4; i++)
        CHECK(isfinite(b[i]));
}

/* xpos at integers this far is refused; so must real coordinates be. */
TEST(attention_refuses_coordinates_as_rotate_does)
{
    OWNED(locant_encoding) *e = test_create("xpos");
    double x[16] = { 1, 1, 1 }, o[16], l[2], at[2] = { 3e5, 3e5 + 1 };
    locant_tensor q = view(x, LOCANT_F64, 4, 1, 1, 2, 8);
    locant_tensor out = view(o, LOCANT_F64, 4, 1, 1, 2, 8);
    locant_tensor lse = view(l, LOCANT_F64, 3, 1, 1, 2, 0);
    locant_tensor coords = view(at, LOCANT_F64, 2, 2, 1, 0, 0);
    locant_attention a = LOCANT_ATTENTION_INIT;

    a.q = a.k = a.v = &q;
    a.encoding = e;
    a.q_coords = a.k_coords = &coords;
    CHECK(locant_attention_reference(&out, &lse, &a) == LOCANT_ERR_PARAM);
}

/* Padding is never seen: where it is said to sit changes nothing. */
TEST(coordinates_of_padding_change_nothing)
{
    OWNED(locant_encoding) *e =
        test_create("rope(scaling=dynamic(factor=2,original=4))");
    double x[32], o[2][32], l[4], at[4] = { 0, 1, 2, 0 };
    int64_t ids[4] = { 0, 0, 0, -1 };
    locant_tensor q = view(x, LOCANT_F64, 4, 1, 1, 4, 8), out = q;
    locant_tensor lse = view(l, LOCANT_F64, 3, 1, 1, 4, 0);
    locant_tensor coords = view(at, LOCANT_F64, 2, 4, 1, 0, 0);
    locant_tensor docs = view(ids, LOCANT_I64, 1, 4, 0, 0, 0);
    locant_attention a = LOCANT_ATTENTION_INIT;

    for (int i = 0; i < 32; i++)
        x[i] = sin(i);
    a.q = a.k = a.v = &q;
    a.encoding = e;
    a.q_coords = a.k_coords = &coords;
    a.q_docs = a.k_docs = &docs;
    for (int n = 0; n < 2; n++) {
        out.data = o[n];
        at[3] = 1000 * n;
        CHECK_OK(locant_attention_reference(&out, &lse, &a));
    }
    CHECK(memcmp(o[0], o[1], 24 * sizeof(double)) == 0);
}
