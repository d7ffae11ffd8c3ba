/*
 * test_nn_product.c - products with a matrix of weights and their gradients in
 * float: one chain of (fused) multiply-adds for each element, to the bit.
 */
/* needs: lab */
#include "testing.h"

#include "nn/nn.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Odd ones; whole vectors; more than one tile, panel, or depth of rows. */
static const struct lct_linear sizes[] = {
    { 1, 1, 1 },     { 63, 7, 5 },     { 64, 64, 64 },  { 65, 96, 40 },
    { 130, 24, 33 }, { 70, 130, 129 }, { 200, 17, 70 }, { 129, 24, 150 },
};

struct arrays {
    float *x, *w, *dy, *dw; /* given; dw is added to */
    float *packed, *turned;
    float *y, *dx;
};

static float *some(int64_t rows, int64_t columns)
{
    float *x = test_guarded((size_t)(rows * columns) * sizeof(*x));

    for (int64_t i = 0; i < rows * columns; i++)
        x[i] = (float)test_normal();
    return x;
}

static void make(struct arrays *a, const struct lct_linear *s)
{
    a->x = some(s->rows, s->in);
    a->dx = some(s->rows, s->in);
    a->y = some(s->rows, s->out);
    a->dy = some(s->rows, s->out);
    a->w = some(s->in, s->out);
    a->dw = some(s->in, s->out);
    a->packed = some(s->in, s->out);
    a->turned = some(s->in, s->out);
}

static void drop(struct arrays *a, const struct lct_linear *s)
{
    const size_t in = (size_t)(s->rows * s->in) * sizeof(float);
    const size_t out = (size_t)(s->rows * s->out) * sizeof(float);
    const size_t w = (size_t)(s->in * s->out) * sizeof(float);

    test_guarded_free(a->x, in);
    test_guarded_free(a->dx, in);
    test_guarded_free(a->y, out);
    test_guarded_free(a->dy, out);
    test_guarded_free(a->w, w);
    test_guarded_free(a->dw, w);
    test_guarded_free(a->packed, w);
    test_guarded_free(a->turned, w);
}

static bool fused; /* does the instruction set in use? */

/* One link of a chain. */
static float link(float a, float b, float sum)
{
    volatile float product = a * b;

    return fused ? fmaf(a, b, sum) : product + sum;
}

static void check_bits(const char *what, const struct lct_linear *s,
                       const float *got, float want, int64_t at)
{
    if (memcmp(&got[at], &want, sizeof(want)) != 0)
        fail_msg("%s of %dx%dx%d on %s: element %d is %.9g, want %.9g", what,
                 (int)s->rows, (int)s->in, (int)s->out, locant_isa(), (int)at,
                 (double)got[at], (double)want);
}

static void check_products(const struct arrays *a, const struct lct_linear *s,
                           bool add)
{
    const size_t bytes = (size_t)(s->rows * s->in) * sizeof(float);
    float *before = some(s->rows, s->in);

    memcpy(a->dx, before, bytes);
    lct_linear_pack(a->packed, a->turned, a->w, s->in, s->out);
    lct_linear_forward(a->y, a->x, a->packed, s);
    lct_linear_backward_input(a->dx, a->dy, a->turned, s, add);
    for (int64_t i = 0; i < s->rows; i++) {
        for (int64_t j = 0; j < s->out; j++) {
            float sum = 0;

            for (int64_t p = 0; p < s->in; p++)
                sum = link(a->x[i * s->in + p], a->w[p * s->out + j], sum);
            check_bits("y", s, a->y, sum, i * s->out + j);
        }
        for (int64_t j = 0; j < s->in; j++) {
            float sum = add ? before[i * s->in + j] : 0;

            for (int64_t p = 0; p < s->out; p++)
                sum = link(a->dy[i * s->out + p], a->w[j * s->out + p], sum);
            check_bits("dx", s, a->dx, sum, i * s->in + j);
        }
    }
    test_guarded_free(before, bytes);
}

static void check_weights(const struct arrays *a, const struct lct_linear *s)
{
    float *want = some(s->in, s->out);
    const size_t bytes = (size_t)(s->in * s->out) * sizeof(*want);

    memcpy(want, a->dw, bytes);
    for (int64_t p = 0; p < s->rows; p++)
        for (int64_t i = 0; i < s->in; i++)
            for (int64_t j = 0; j < s->out; j++)
                want[i * s->out + j] =
                    link(a->x[p * s->in + i], a->dy[p * s->out + j],
                         want[i * s->out + j]);
    for (int64_t t = 0; t < lct_linear_tiles(s->in, s->out); t++)
        lct_linear_backward_weight(a->dw, a->dy, a->x, s, t);
    for (int64_t at = 0; at < s->in * s->out; at++)
        check_bits("dw", s, a->dw, want[at], at);
    test_guarded_free(want, bytes);
}

static void on_this_isa(void)
{
    fused = strcmp(locant_isa(), "base") != 0;
    for (size_t n = 0; n < LEN(sizes); n++) {
        struct arrays a;

        make(&a, &sizes[n]);
        check_products(&a, &sizes[n], false);
        check_products(&a, &sizes[n], true);
        check_weights(&a, &sizes[n]);
        drop(&a, &sizes[n]);
    }
}

TEST(every_element_is_one_chain)
{
    test_each_isa(on_this_isa);
}
