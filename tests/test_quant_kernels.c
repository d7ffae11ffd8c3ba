/*
 * test_quant_kernels.c - products with quantised rows have the bits of products
 * with what the rows hold, on every instruction set.
 */
#include "testing.h"
#include "kernel/kernels.h"
#include <math.h>
#include <string.h>

enum { MOST_ROWS = 70, MOST_CHANNELS = 160, MOST_QUERIES = 9 };

/* Rows of one kind at an address and a distance that are not aligned. */
struct rows {
    enum lct_stored kind;
    size_t channels, group, bytes, row;
    char *at; /* [MOST_ROWS, row] */
    size_t size;
};

static void set_scales(struct rows *r)
{
    for (size_t j = 0; j < MOST_ROWS; j++) {
        char *row = r->at + j * r->row;

        for (size_t g = 0; g < r->channels / r->group; g++) {
            float scale = (float)ldexp(1 + test_uniform(), -6);
            size_t at = r->kind == LCT_STORED_Q8_0
                            ? g * 34
                            : r->channels + g * sizeof(scale);

            if (r->kind == LCT_STORED_INT8)
                memcpy(row + at, &scale, sizeof(scale));
            else if (r->kind == LCT_STORED_Q8_0)
                lct_kernels()->narrow(row + at, LCT_STORED_F16, &scale, 1);
        }
    }
}

static struct rows rows_make(enum lct_stored kind)
{
    static const size_t groups[] = { 16, 48, 0 };
    struct rows r = { .kind = kind };

    r.channels = 16 * (size_t)test_range(1, 10);
    if (kind == LCT_STORED_Q8_0)
        r.channels = 32 * (size_t)test_range(1, 5);
    r.group = groups[test_rand() % 3];
    if (r.group == 0 || r.channels % r.group != 0)
        r.group = r.channels;
    if (kind == LCT_STORED_Q8_0)
        r.group = 32;
    r.bytes = kind == LCT_STORED_Q8_0 ? r.channels / 32 * 34
              : kind == LCT_STORED_INT8
                  ? r.channels + r.channels / r.group * sizeof(float)
                  : r.channels;
    r.row = r.bytes + (size_t)test_range(0, 3) * (size_t)test_range(0, 5);
    r.size = MOST_ROWS * r.row;
    r.at = test_guarded(r.size);
    for (size_t i = 0; i < r.size; i++) {
        uint8_t byte = (uint8_t)test_rand();

        /* no NaN of e4m3, no infinity or NaN of e5m2 */
        if (kind == LCT_STORED_E4M3 && (byte & 0x7f) == 0x7f)
            byte ^= 1;
        if (kind == LCT_STORED_E5M2 && (byte & 0x7f) >= 0x7c)
            byte ^= 0x40;
        r.at[i] = (char)byte;
    }
    set_scales(&r);
    return r;
}

static void fill(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)test_uniform();
}

/* Scores, or products with values, of the rows and of what they hold. */
static void compare(const struct rows *r, const float *wide, bool values)
{
    static float a[MOST_CHANNELS * (MOST_ROWS + MOST_QUERIES)];
    static float c[2][MOST_QUERIES * MOST_CHANNELS];
    const struct lct_kernels *k = lct_kernels();
    size_t n = (size_t)test_range(1, MOST_ROWS);
    size_t m = (size_t)test_range(1, MOST_QUERIES);
    struct lct_product x = { .c_row = MOST_CHANNELS,
                             .a = a,
                             .a_row = MOST_ROWS,
                             .a_col = values ? 1 : m,
                             .m = m,
                             .n = values ? r->channels : n,
                             .k = values ? n : r->channels,
                             .add = values,
                             .group = r->group,
                             .warm = test_range(0, 1) };

    fill(a, LEN(a));
    fill(c[0], LEN(c[0]));
    memcpy(c[1], c[0], sizeof(c[0]));
    for (int i = 0; i < 2; i++) {
        x.c = c[i];
        x.b = i == 0 ? (const float *)(const void *)r->at : wide;
        x.kind = i == 0 ? r->kind : LCT_STORED_F32;
        x.b_row = x.ahead_row = i == 0 ? r->row : r->channels;
        x.ahead = x.b;
        (values ? k->decode_values : k->decode_scores)(&x);
    }
    if (memcmp(c[0], c[1], sizeof(c[0])) != 0)
        FAIL("%s, kind %d, %s: %zu rows of %zu channels in groups of %zu, %zu "
             "apart, %zu queries",
             k->isa, (int)r->kind, values ? "values" : "scores", n, r->channels,
             r->group, r->row, m);
}

static void products(void)
{
    static float wide[MOST_ROWS * MOST_CHANNELS];

    for (int round = 0; round < test_cases(200); round++) {
        struct rows r = rows_make(
            (enum lct_stored)(LCT_STORED_INT8 + (int)(test_rand() % 4)));

        lct_kernels()->dequantize(
            &(struct lct_quant_rows){ .x = r.at,
                                      .x_row = (ptrdiff_t)r.row,
                                      .kind = r.kind,
                                      .group = r.group,
                                      .tile = wide,
                                      .width = r.channels,
                                      .rows = MOST_ROWS,
                                      .n = r.channels });
        compare(&r, wide, false);
        compare(&r, wide, true);
        test_guarded_free(r.at, r.size);
    }
}

TEST(products_have_the_bits_of_what_rows_hold)
{
    test_each_isa(products);
}

static void finds(void)
{
    enum { ROWS = 5, ROW = 150 };
    uint8_t x[ROWS * ROW];

    for (size_t n = 1; n < ROW; n += 7) {
        size_t at = (size_t)test_range(0, ROWS * ROW - 1);
        bool inside = at % ROW < n;

        for (size_t i = 0; i < sizeof(x); i++)
            x[i] = (uint8_t)test_rand() & 0xfe;
        CHECK(!lct_kernels()->has_e4m3_nan(x, ROW, ROWS, n));
        x[at] |= 0x7f;
        CHECK(lct_kernels()->has_e4m3_nan(x, ROW, ROWS, n) == inside);
    }
}

TEST(a_nan_of_e4m3_is_found_in_its_row_only)
{
    test_each_isa(finds);
}
