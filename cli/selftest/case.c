/* case.c - one encoding for the library and for its oracle. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "selftest.h"

int st_case_open(struct st_case *c, struct selftest *t,
                 const struct whole_oracle *o, int i, int layer)
{
    memset(c, 0, sizeof *c);
    c->t    = t;
    c->o    = o;
    c->low  = -100;
    c->high = 100;
    c->w.D  = st_range(t, 2, 8);
    c->w.W  = st_range(t, 1, 24);
    if (!o->choose(c->spec, sizeof c->spec, i, &c->w.D, &c->w.W, &c->low,
                   &c->high))
        return 0;
    c->w.spec  = c->spec;
    c->w.layer = layer;
    if (!st_took(t, locant_encoding_create(&c->e, c->spec)))
        return 1;
    c->leaf   = locant_encoding_layer(&c->first, c->e, layer);
    c->doors  = locant_encoding_doors(c->leaf);
    c->traits = locant_encoding_traits(c->leaf);
    c->axes   = locant_encoding_axes(c->leaf);
    c->w.axes = c->axes;
    return 1;
}

void st_case_close(struct st_case *c)
{
    while (c->blocks > 0)
        locant_release(c->block[--c->blocks]);
    locant_encoding_free(c->e);
    c->e = NULL;
}

void *st_memory(struct st_case *c, size_t n, size_t size)
{
    void *p = c->blocks < ST_BLOCKS ? locant_alloc((n + 1) * size) : NULL;

    if (p == NULL) {
        c->t->row.worst = INFINITY;
        snprintf(c->t->row.refused, sizeof c->t->row.refused,
                 "no memory for %zu numbers", n);
        return NULL;
    }
    return c->block[c->blocks++] = p;
}

/* ----------------------------------------------------------------- tensors */

/* IEEE 754 binary16: 1 sign bit, 5 of exponent, 10 of significand. */
static double half(uint16_t bits)
{
    int    exponent = bits >> 10 & 31;
    double x = exponent ? ldexp((bits & 1023) | 1024, exponent - 25)
                        : ldexp(bits & 1023, -24);

    if (exponent == 31)
        x = bits & 1023 ? NAN : INFINITY;
    return bits >> 15 ? -x : x;
}

/* The upper half of a float32. */
static double bfloat(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float    x;

    memcpy(&x, &wide, sizeof x);
    return (double)x;
}

double st_get(const locant_tensor *t, size_t i)
{
    switch (t->dtype) {
    case LOCANT_F64:
        return ((const double *)t->data)[i];
    case LOCANT_F32:
        return (double)((const float *)t->data)[i];
    case LOCANT_F16:
        return half(((const uint16_t *)t->data)[i]);
    default:
        return bfloat(((const uint16_t *)t->data)[i]);
    }
}

static void put(const locant_tensor *t, size_t i, double x)
{
    if (t->dtype == LOCANT_F64)
        ((double *)t->data)[i] = x;
    else
        ((float *)t->data)[i] = (float)x;
}

/* Any sign and significand, an exponent of -5 .. 0. */
static uint16_t random_short(struct selftest *t, locant_dtype dtype)
{
    int64_t f16 = dtype == LOCANT_F16;
    int64_t exponent = st_range(t, -5, 0) + (f16 ? 15 : 127);

    return (uint16_t)(st_range(t, 0, 1) << 15 | exponent << (f16 ? 10 : 7) |
                      st_range(t, 0, f16 ? 1023 : 127));
}

locant_tensor st_tensor(struct st_case *c, locant_dtype dtype, int rank,
                        const int64_t *shape)
{
    locant_tensor t = locant_dense(NULL, dtype, rank, shape);
    size_t        n = cli_elements(&t);

    t.data = st_memory(c, n, locant_dtype_size(dtype));
    for (size_t i = 0; t.data != NULL && i < n; i++) {
        if (dtype == LOCANT_F16 || dtype == LOCANT_BF16)
            ((uint16_t *)t.data)[i] = random_short(c->t, dtype);
        else if (dtype != LOCANT_I64)
            put(&t, i, (double)(float)(2 * st_uniform(c->t)));
    }
    return t;
}

locant_tensor st_positions(struct st_case *c, int64_t n)
{
    locant_tensor t = st_tensor(c, LOCANT_I64, 1, &n);

    for (int64_t i = 0; t.data != NULL && i < n; i++)
        ((int64_t *)t.data)[i] = st_range(c->t, c->low, c->high);
    return t;
}

locant_tensor st_coordinates(struct st_case *c, int64_t n)
{
    const int64_t shape[] = { n, c->axes };
    locant_tensor t = st_tensor(c, LOCANT_F64, 2, shape);

    for (size_t i = 0; t.data != NULL && i < cli_elements(&t); i++)
        ((double *)t.data)[i] *= 5;
    return t;
}

cx *st_copy(struct st_case *c, const locant_tensor *t)
{
    size_t n = cli_elements(t);
    cx    *out = st_memory(c, n, sizeof *out);

    for (size_t i = 0; out != NULL && t->data != NULL && i < n; i++)
        out[i] = st_get(t, i);
    return out;
}

/* -------------------------------------------------------------- parameters */

static int draw(struct st_case *c, int k, locant_dtype dtype,
                const locant_param_info *info)
{
    struct st_param *p = &c->p[k];
    double low = -1, high = 1;

    if (c->o->range != NULL)
        c->o->range(&low, &high, c->spec, k);
    c->value[k] = st_tensor(c, dtype, info->rank, info->shape);
    c->grad[k]  = st_tensor(c, dtype, info->rank, info->shape);
    p->rate   = info->rate;
    p->size   = cli_elements(&c->value[k]);
    p->x      = st_memory(c, p->size, sizeof *p->x);
    p->before = st_memory(c, p->size, sizeof *p->before);
    if (c->value[k].data == NULL || c->grad[k].data == NULL || p->x == NULL ||
        p->before == NULL)
        return 0;
    for (size_t i = 0; i < p->size; i++) {
        double x = low + (high - low) * locant_random_uniform(&c->t->random);

        if (c->o->integers >> k & 1)
            x = (double)st_range(c->t, (int64_t)low, (int64_t)high);
        put(&c->value[k], i, x);
        p->x[i]      = st_get(&c->value[k], i);
        p->before[i] = st_get(&c->grad[k], i);
    }
    c->w.param[k] = p->x;
    return 1;
}

int st_params(struct st_case *c, locant_dtype dtype, const locant_sizes *sizes)
{
    locant_param_info info;

    while (c->params < WHOLE_PARAMS &&
           locant_encoding_param(&info, c->e, c->params, sizes)) {
        if (!draw(c, c->params, dtype, &info))
            return 0;
        c->params++;
    }
    return 1;
}

const locant_tensor *st_params_in(const struct st_case *c)
{
    return c->params > c->first ? c->value + c->first : NULL;
}

/* --------------------------------------------------------------- gradients */

void st_add(struct st_sum *s, double weight, cx f)
{
    s->sum += weight * f;
    s->gross += fabs(weight) * fabs(cimag(f)) / ST_STEP;
}

double st_slope(double *gross, cx *x, st_sum_fn fn, void *context)
{
    cx            keep = *x;
    struct st_sum s;

    *x = keep + ST_STEP * I;
    s  = fn(context);
    *x = keep;
    *gross = s.gross;
    return cimag(s.sum) / ST_STEP;
}

/* The library adds to what was there: that counts as a term. */
void st_check_params(struct st_case *c, st_sum_fn fn, void *context, int most)
{
    for (int k = 0; k < c->params; k++) {
        const struct st_param *p = &c->p[k];

        for (int n = 0; n < most && p->rate != 0 && p->size > 0; n++) {
            size_t i = (size_t)st_range(c->t, 0, (int64_t)p->size - 1);
            double gross, want = st_slope(&gross, &p->x[i], fn, context);

            st_error(c->t, st_get(&c->grad[k], i), p->before[i] + want,
                     gross + fabs(want) + fabs(p->before[i]) + 1e-3);
        }
    }
}
