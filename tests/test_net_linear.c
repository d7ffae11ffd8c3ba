/* needs: lab */
/*
 * test_net_linear.c - products with matrices of bfloat16 that are longer than a
 * piece: near those in double, and the bits of a row do not depend on others
 */
#include "../src/families/net_linear.h"
#include "../src/families/net_math.h"
#include "../src/files/number.h"
#include "oracle/case.h"
#include "testing.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { OUT = 500, MOST = 200 };

/* Sizes of a row: less than a piece, one, two and a rest; all in pairs. */
static const int64_t widths[] = { 6, 2048, 4130 };

struct product {
    struct lct_net n;
    struct lct_weight weight;
    struct lct_net_linear linear;
    struct lct_net_room room;
    int64_t in;
    uint16_t *w;
    float *x, *y;
};

static struct product *make(int64_t in)
{
    struct product *p = calloc(1, sizeof(*p));

    CHECK(p != NULL);
    p->in = in;
    p->w = malloc((size_t)(OUT * in) * sizeof(*p->w));
    p->x = malloc((size_t)(MOST * in) * sizeof(*p->x));
    p->y = malloc((size_t)(MOST * OUT) * sizeof(*p->y));
    CHECK(p->w != NULL && p->x != NULL && p->y != NULL);
    for (int64_t i = 0; i < OUT * in; i++) /* +-[2^-3, 1) */
        p->w[i] = (uint16_t)((test_rand() & 0x807f) | 0x3e00 |
                             (test_rand() & 0x0100));
    for (int64_t i = 0; i < MOST * in; i++)
        p->x[i] = (float)(2 * test_uniform() - 1);
    p->n = (struct lct_net){ .dtype = LOCANT_F32,
                             .math = &lct_net_math_f32,
                             .round_weights = true };
    p->weight = (struct lct_weight){ .name = "w",
                                     .type = lct_number_safetensors("BF16"),
                                     .rank = 2,
                                     .shape = { OUT, in },
                                     .data = (const unsigned char *)p->w,
                                     .bytes = (size_t)(OUT * in) * 2 };
    p->linear.w = (struct lct_net_matrix){ .weight = &p->weight,
                                           .out = OUT,
                                           .in = in,
                                           .row = in,
                                           .group = 1,
                                           .step = 1 };
    CHECK_OK(lct_net_linear_begin(&p->room, &p->n));
    return p;
}

static void end(struct product *p)
{
    lct_net_room_end(&p->room);
    free(p->w);
    free(p->x);
    free(p->y);
    free(p);
}

/* Rows first .. first + rows - 1. */
static void multiply(struct product *p, int64_t first, int64_t rows)
{
    lct_net_linear_forward(p->y, p->x + first * p->in, rows, &p->linear,
                           &p->room);
}

/*
 * x rounds to 8 bits, w has them: products are exact in float, and a sum of n
 * of them in any order is within n 2^-24 of the sum of their sizes.
 */
static void check_row(struct product *p, int64_t row, const float *y)
{
    locant_tensor x = TENSOR(BF16, p->in);
    const locant_tensor w = DENSE(BF16, p->w, OUT, p->in);

    p->n.math->narrow(x.data, p->x + row * p->in, p->in);
    for (int64_t o = 0; o < OUT; o++) {
        double sum = 0, size = 0;

        for (int64_t i = 0; i < p->in; i++) {
            const double one = oracle_get(&x, (size_t)i) *
                               oracle_get(&w, (size_t)(o * p->in + i));

            sum += one;
            size += fabs(one);
        }
        if (fabs((double)y[o] - sum) > (double)p->in * 0x1p-24 * size)
            FAIL("%d numbers, row %d: %d is %g, not %g", (int)p->in, (int)row,
                 (int)o, (double)y[o], sum);
    }
    test_tensor_free(&x);
}

static void check_rows(void)
{
    static const int64_t counts[] = { 1, 2, 7, 64, 65, 129, MOST };

    for (size_t i = 0; i < LEN(widths); i++) {
        struct product *p = make(widths[i]);
        float *all = malloc((size_t)(MOST * OUT) * sizeof(*all));

        CHECK(all != NULL);
        multiply(p, 0, MOST);
        memcpy(all, p->y, (size_t)(MOST * OUT) * sizeof(*all));
        check_row(p, 0, all);
        check_row(p, MOST - 1, all + (MOST - 1) * OUT);
        for (size_t k = 0; k < LEN(counts); k++) {
            const int64_t first = MOST - counts[k];

            multiply(p, first, counts[k]);
            if (memcmp(p->y, all + first * OUT,
                       (size_t)(counts[k] * OUT) * sizeof(*all)) != 0)
                FAIL("%d numbers: %d rows have other bits than %d", (int)p->in,
                     (int)counts[k], (int)MOST);
        }
        free(all);
        end(p);
    }
}

TEST(rows_are_near_double_and_do_not_depend_on_others)
{
    test_each_isa(check_rows);
}

/* Rows are then rounded for each tile of the matrix. */
TEST(without_memory_for_rounded_rows_the_bits_are_the_same)
{
    for (size_t i = 0; i < LEN(widths); i++) {
        struct product *p = make(widths[i]);
        const size_t bytes = (size_t)(MOST * OUT) * sizeof(*p->y);
        float *all = malloc(bytes);

        CHECK(all != NULL);
        test_memory_fail(1);
        multiply(p, 0, MOST);
        CHECK(test_memory_asked() > 0 && !p->room.failed);
        test_memory_end();
        memcpy(all, p->y, bytes);
        multiply(p, 0, MOST);
        CHECK(memcmp(all, p->y, bytes) == 0);
        free(all);
        end(p);
    }
}
