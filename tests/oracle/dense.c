/* dense.c - see dense.h */
#include "dense.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t count(const int64_t size[4])
{
    return (size_t)(size[0] * size[1] * size[2] * size[3]);
}

static void *zeros(const int64_t size[4], size_t item)
{
    void *p = calloc(count(size) + 1, item);

    assert_non_null(p);
    return p;
}

/* Element i of [B, H, T, S] in a tensor with sizes of 1. */
static size_t element(const locant_tensor *x, const int64_t size[4], size_t i)
{
    int64_t at = 0, step = 1;

    for (int n = 3; n >= 0; n--) {
        int64_t index = (int64_t)i % size[n];

        i /= (size_t)size[n];
        at += x->shape[n] == 1 ? 0 : index * step;
        step *= x->shape[n];
    }
    return (size_t)at;
}

/*
 * Guarded memory of x, whose strides are random: dense or with gaps, rows along
 * the keys or along the queries, in any order of heads and batch rows.
 */
static void allot(struct dense *d, int which, locant_tensor *x)
{
    static const int orders[][4] = {
        { 3, 2, 1, 0 }, { 3, 1, 2, 0 }, { 2, 3, 1, 0 }, { 1, 3, 2, 0 }
    };
    const int *order = orders[test_rand() % LEN(orders)];
    int64_t step = test_rand() % 3 ? 1 : test_range(2, 3), reach = 0;
    size_t item = locant_dtype_size(x->dtype);

    for (int n = 0; n < 4; n++) {
        int64_t size = x->shape[order[n]];

        x->stride[order[n]] = size == 1 ? test_range(-5, 5) : step;
        reach += (size - 1) * step;
        step *= size + (test_rand() % 4 ? 0 : test_range(1, 3));
    }
    d->bytes[which] = (size_t)(reach + 1) * item;
    x->data = d->memory[which] = test_guarded(d->bytes[which]);
    memset(x->data, 0xff, d->bytes[which]);
}

static locant_tensor shape_of(const int64_t size[4], locant_dtype dtype,
                              unsigned ones)
{
    int64_t shape[4];

    for (int n = 0; n < 4; n++)
        shape[n] = ones >> n & 1 ? 1 : size[n];
    return locant_dense(NULL, dtype, 4, shape);
}

/* Bits of -infinity or an eighth of a small integer. */
static uint16_t half(double x)
{
    int exponent;
    double fraction = frexp(fabs(x), &exponent);

    if (x == 0)
        return 0;
    if (isinf(x))
        return 0xfc00;
    return (uint16_t)((x < 0) << 15 | (exponent + 14) << 10 |
                      ((int)(fraction * 2048) & 1023));
}

static uint16_t bfloat(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return (uint16_t)(bits >> 16);
}

static void put(const locant_tensor *t, size_t i, double x)
{
    int64_t at = 0, left = (int64_t)i;

    for (int n = 3; n >= 0; left /= t->shape[n], n--)
        at += left % t->shape[n] * t->stride[n];
    if (t->dtype == LOCANT_F16)
        ((uint16_t *)t->data)[at] = half(x);
    else if (t->dtype == LOCANT_BF16)
        ((uint16_t *)t->data)[at] = bfloat((float)x);
    else
        oracle_put(t, i, x);
    CHECK(oracle_get(t, i) == x);
}

/* Rows and heads that are all hidden, and single hidden keys. */
static int is_hidden(const struct dense *d, size_t element)
{
    return (element / (size_t)d->size[3]) % 7 == 3 || test_rand() % 5 == 0;
}

/* Read it backwards along the keys. */
static void reverse(locant_tensor *x, int n)
{
    x->data = (char *)x->data + (x->shape[n] - 1) * x->stride[n] *
                                    (int64_t)locant_dtype_size(x->dtype);
    x->stride[n] = -x->stride[n];
}

void dense_bias(struct dense *d, const int64_t size[4], locant_dtype dtype,
                unsigned ones)
{
    memcpy(d->size, size, sizeof(d->size));
    d->bias = shape_of(size, dtype, ones);
    d->dbias = d->bias;
    if (dtype != LOCANT_F64 && test_rand() % 2)
        d->dbias.dtype = LOCANT_F32;
    allot(d, 0, &d->bias);
    allot(d, 1, &d->dbias);
    for (size_t i = 0; i < oracle_count(&d->bias); i++)
        put(&d->bias, i,
            is_hidden(d, i) ? -INFINITY : (double)test_range(-16, 16) / 8);
    if (d->bias.shape[3] > 1 && test_rand() % 4 == 0)
        reverse(&d->bias, 3);
    if (d->bias.shape[2] > 1 && test_rand() % 4 == 0)
        reverse(&d->bias, 2);
    d->full = zeros(size, sizeof(*d->full));
    d->want = zeros(size, sizeof(*d->want));
    d->sum = zeros(size, sizeof(*d->sum));
    for (size_t i = 0; i < count(size); i++)
        d->full[i] = oracle_get(&d->bias, element(&d->bias, size, i));
}

void dense_visible(struct dense *d, const int64_t size[4], unsigned ones)
{
    memcpy(d->size, size, sizeof(d->size));
    d->visible = shape_of(size, LOCANT_U8, ones);
    allot(d, 2, &d->visible);
    d->shown = zeros(size, 1);
    for (size_t i = 0; i < count(size); i++) {
        size_t left = element(&d->visible, size, i);
        char *at = d->visible.data;

        for (int n = 3; n >= 0; left /= (size_t)d->visible.shape[n], n--)
            at += (int64_t)(left % (size_t)d->visible.shape[n]) *
                  d->visible.stride[n];
        if (*at == (char)0xff) /* not chosen yet */
            *at = is_hidden(d, element(&d->visible, size, i))
                      ? 0
                      : (char)test_range(1, 254);
        d->shown[i] = *at != 0;
    }
}

void dense_free(struct dense *d)
{
    for (int n = 0; n < 3; n++)
        if (d->memory[n] != NULL)
            test_guarded_free(d->memory[n], d->bytes[n]);
    free(d->full);
    free(d->shown);
    free(d->want);
    free(d->sum);
    *d = (struct dense){ .full = NULL };
}

void dense_sum(struct dense *d)
{
    memset(d->sum, 0, oracle_count(&d->dbias) * sizeof(*d->sum));
    for (size_t i = 0; i < count(d->size); i++)
        d->sum[element(&d->dbias, d->size, i)] += d->want[i];
}

locant_tensor dense_part(const locant_tensor *x, int n, int64_t from,
                         int64_t to)
{
    locant_tensor out = *x;

    if (x->shape[n] == 1)
        return out;
    out.data = (char *)x->data +
               from * x->stride[n] * (int64_t)locant_dtype_size(x->dtype);
    out.shape[n] = to - from;
    return out;
}
