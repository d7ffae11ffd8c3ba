/* test_encoding_learned.c - a table and its length limit. */
#include "oracle/draw.h"
#include <math.h>
#include <string.h>

/* A row of the same type comes out with its own bits. */
TEST(rows_are_copied_bit_for_bit)
{
    int64_t pos[3] = { 36, 0, 36 };
    OWNED(locant_encoding) *e = test_create("learned(length=37)");
    OWNED(locant_tensor) table = TENSOR(F32, 37, 13);
    OWNED(locant_tensor) out = TENSOR(F32, 3, 13);

    CHECK_OK(locant_encoding_table(&out, e, VIEW(I64, pos, 3), &table));
    for (int i = 0; i < 3; i++)
        CHECK(memcmp((float *)out.data + i * 13,
                     (float *)table.data + pos[i] * 13,
                     13 * sizeof(float)) == 0);
}

/* Counts of ones are exact in float32: row 2 is used twice, row 0 once. */
TEST(repeated_positions_add_up)
{
    int64_t pos[3] = { 2, 0, 2 };
    float ones[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 }, grad[12] = { 0 };
    float table[12] = { 0 };
    static const float want[12] = { 1, 1, 1, 0, 0, 0, 2, 2, 2, 0, 0, 0 };
    OWNED(locant_encoding) *e = test_create("learned(length=4)");

    CHECK_OK(locant_encoding_table_backward(
        VIEW(F32, grad, 4, 3), VIEW(F32, ones, 3, 3), e, VIEW(I64, pos, 3),
        VIEW(F32, table, 4, 3)));
    CHECK(memcmp(grad, want, sizeof(want)) == 0);
}

struct table {
    locant_encoding *e;
    int64_t pos[2];
    float data[6], table[12];
    locant_tensor out, p, t;
};

static void make(struct table *w)
{
    memset(w, 0, sizeof(*w));
    w->e = test_create("learned(length=4)");
    w->out = DENSE(F32, w->data, 2, 3);
    w->p = DENSE(I64, w->pos, 2);
    w->t = DENSE(F32, w->table, 4, 3);
    w->data[0] = 7;
}

TEST(limit_names_the_position)
{
    struct table w;

    make(&w);
    w.pos[1] = 4;
    REFUSES(PARAM, locant_encoding_table(&w.out, w.e, &w.p, &w.t),
            "position 4 (index 1) is outside the table of learned, which has "
            "positions 0 to 3");
    w.pos[1] = -1;
    REFUSES(PARAM, locant_encoding_table(&w.out, w.e, &w.p, &w.t),
            "position -1 (index 1) is outside the table of learned, which "
            "has positions 0 to 3");
    w.pos[1] = INT64_MAX;
    REFUSES(PARAM,
            locant_encoding_table_backward(&w.t, &w.out, w.e, &w.p, &w.t),
            "position 9223372036854775807 (index 1) is outside the table of "
            "learned, which has positions 0 to 3");
    CHECK(w.data[0] == 7 && w.table[0] == 0);
    locant_encoding_free(w.e);
}

TEST(refuses_bad_tables)
{
    locant_encoding *e = NULL;
    struct table w;

    make(&w);
    REFUSES(NULL, locant_encoding_table(&w.out, w.e, &w.p, NULL),
            "learned has a learned parameter 'table' [rows, width], none was "
            "given");
    w.t.shape[0] = 3;
    REFUSES(SHAPE, locant_encoding_table(&w.out, w.e, &w.p, &w.t),
            "table has size 3 in dimension 0, expected 4");
    w.t.shape[0] = 4;
    w.t.shape[1] = 2;
    REFUSES(SHAPE, locant_encoding_table(&w.out, w.e, &w.p, &w.t),
            "table has size 2 in dimension 1, expected 3");
    w.t.shape[1] = 3;
    w.t.dtype = LOCANT_I32;
    REFUSES(DTYPE, locant_encoding_table(&w.out, w.e, &w.p, &w.t),
            "table is i32, expected f32 or f64");
    REFUSES(PARAM, locant_encoding_create(&e, "learned(length=0)"),
            "key 'length' of 'learned': '0' at byte 15 should be an integer "
            "1 .. 1000000000");
    REFUSES(PARAM, locant_encoding_create(&e, "learned(length=1.5)"),
            "key 'length' of 'learned': '1.5' at byte 15 should be an "
            "integer 1 .. 1000000000");
    CHECK(w.data[0] == 7);
    locant_encoding_free(w.e);
}

/* Left out, the length is what the model is trained on. */
TEST(length_is_resolved)
{
    locant_encoding *open = test_create("learned"), *made = NULL;
    const locant_sizes sizes = { .width = 48, .heads = 4 };
    locant_param_info info;

    CHECK(strcmp(locant_encoding_spec(open), "learned") == 0);
    CHECK_OK(locant_encoding_resolve(&made, open, 128));
    CHECK(strcmp(locant_encoding_spec(made), "learned(length=128)") == 0);
    CHECK(locant_encoding_param(&info, made, 0, &sizes) == 1);
    CHECK(info.rank == 2 && info.shape[0] == 128 && info.shape[1] == 48);
    CHECK(strcmp(info.name, "table") == 0);
    CHECK(strcmp(info.dims, "[rows, width]") == 0);
    locant_encoding_free(open);
    CHECK_OK(locant_encoding_resolve(&open, made, 64));
    CHECK(strcmp(locant_encoding_spec(open), "learned(length=128)") == 0);
    locant_encoding_free(open);
    locant_encoding_free(made);
}

/* Normal with deviation 0.02, as GPT-2 and BERT: mean and deviation of 25 600
 * draws are within 5 standard errors (0.02 / 160; 0.02 / 226). */
TEST(starts_small_and_normal)
{
    OWNED(locant_encoding) *e = test_create("learned(length=200)");
    OWNED(locant_tensor) a = TENSOR(F64, 200, 128);
    OWNED(locant_tensor) b = TENSOR(F64, 200, 128);
    double sum = 0, square = 0, n = 25600;

    CHECK_OK(locant_encoding_param_init(&a, e, 0, 1));
    CHECK_OK(locant_encoding_param_init(&b, e, 0, 1));
    CHECK(memcmp(a.data, b.data, 25600 * sizeof(double)) == 0);
    for (size_t i = 0; i < 25600; i++) {
        sum += oracle_get(&a, i);
        square += oracle_get(&a, i) * oracle_get(&a, i);
    }
    CHECK(fabs(sum / n) < 5 * 0.02 / 160);
    CHECK(fabs(sqrt(square / n) - 0.02) < 5 * 0.02 / 226);
    CHECK_OK(locant_encoding_param_init(&b, e, 0, 2));
    CHECK(memcmp(a.data, b.data, 25600 * sizeof(double)) != 0);
}
