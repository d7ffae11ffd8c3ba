/* case.c - random cases of one encoding, for the library and its oracle */
#include "case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Choose spec i and its sizes; 0 past the last spec. */
static int choose(struct oracle_case *c, struct oracle_run *r,
                  const struct oracle *o, int i)
{
    memset(c, 0, sizeof *c);
    c->run = r;
    c->o = o;
    c->call.D = oracle_run_range(r, 2, 8);
    c->call.W = oracle_run_range(r, 1, 24);
    if (o != NULL && !oracle_choose(&c->call, &c->low, &c->high, o, i))
        return 0;
    c->spec = c->call.spec;
    return 1;
}

static locant_status create(struct oracle_case *c, int layer)
{
    locant_status got = locant_encoding_create(&c->e, c->spec);

    if (got != LOCANT_OK)
        return got;
    c->call.layer = layer;
    c->leaf = locant_encoding_layer(&c->first, c->e, layer);
    c->doors = locant_encoding_doors(c->leaf);
    c->traits = locant_encoding_traits(c->leaf);
    c->axes = locant_encoding_axes(c->leaf);
    c->call.axes = c->axes;
    return got;
}

int oracle_case_describe(struct oracle_case *c, struct oracle_run *r,
                         const struct oracle *o, int i)
{
    int made = choose(c, r, o, i);

    if (made && create(c, 0) != LOCANT_OK)
        oracle_run_miss(r, locant_last_error());
    oracle_case_close(c);
    return made;
}

void oracle_case_open(struct oracle_case *c, struct oracle_run *r,
                      const struct oracle *o, int i, int layer)
{
    if (choose(c, r, o, i) && o != NULL && create(c, layer) != LOCANT_OK)
        oracle_run_miss(r, locant_last_error());
}

static void release(const struct oracle_case *c, void *memory, size_t bytes)
{
    if (c->run->memory != NULL)
        c->run->memory->release(memory, bytes);
    else
        locant_release(memory);
}

void oracle_case_close(struct oracle_case *c)
{
    for (; c->blocks > 0; c->blocks--)
        release(c, c->block[c->blocks - 1].data, c->block[c->blocks - 1].bytes);
    locant_encoding_free(c->e);
    c->e = NULL;
}

static void run_case(struct oracle_case *c, oracle_body body, int64_t n,
                     int what)
{
    if (setjmp(c->stop) == 0)
        body(c, n, what);
}

void oracle_case_each(struct oracle_run *r, const struct oracle *o, int i,
                      int layers, oracle_body body, int what)
{
    for (int64_t n = 0; n < r->cases; n++, r->row.cases++) {
        struct oracle_case c;

        oracle_case_open(&c, r, o, i,
                         layers ? (int)oracle_run_range(r, 0, 7) : 0);
        if (c.e != NULL || o == NULL)
            run_case(&c, body, n, what);
        oracle_case_close(&c);
    }
}

static _Noreturn void stop(struct oracle_case *c, const char *why)
{
    oracle_run_miss(c->run, why);
    longjmp(c->stop, 1);
}

void oracle_case_ok(struct oracle_case *c, locant_status s)
{
    if (s != LOCANT_OK)
        stop(c, locant_last_error());
}

void *oracle_case_alloc(struct oracle_case *c, size_t n, size_t size)
{
    size_t bytes = n * size;
    void *p = NULL;

    if (c->blocks < ORACLE_BLOCKS)
        p = c->run->memory != NULL ? c->run->memory->acquire(bytes)
                                   : locant_alloc(bytes + 1);
    if (p == NULL)
        stop(c, "no memory for a case");
    memset(p, 0, bytes);
    c->block[c->blocks].data = p;
    c->block[c->blocks++].bytes = bytes;
    return p;
}

/* ----------------------------------------------------------------- tensors */

/* IEEE 754 binary16: 1 sign bit, 5 of exponent, 10 of significand. */
static double half(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double x = exponent ? ldexp((bits & 1023) | 1024, exponent - 25)
                        : ldexp(bits & 1023, -24);

    if (exponent == 31)
        x = bits & 1023 ? NAN : INFINITY;
    return bits >> 15 ? -x : x;
}

/* bfloat16 is the upper half of a float32. */
static double bfloat(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float x;

    memcpy(&x, &wide, sizeof x);
    return (double)x;
}

size_t oracle_count(const locant_tensor *t)
{
    size_t n = 1;

    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    return n;
}

int64_t oracle_offset(const locant_tensor *t, size_t i)
{
    int64_t at = 0, left = (int64_t)i;

    for (int d = t->rank - 1; d >= 0; left /= t->shape[d], d--)
        at += left % t->shape[d] * t->stride[d];
    return at;
}

double oracle_get(const locant_tensor *t, size_t i)
{
    int64_t at = oracle_offset(t, i);

    switch (t->dtype) {
    case LOCANT_F64: return ((const double *)t->data)[at];
    case LOCANT_F32: return (double)((const float *)t->data)[at];
    case LOCANT_F16: return half(((const uint16_t *)t->data)[at]);
    default: return bfloat(((const uint16_t *)t->data)[at]);
    }
}

void oracle_put(const locant_tensor *t, size_t i, double x)
{
    int64_t at = oracle_offset(t, i);

    if (t->dtype == LOCANT_F64)
        ((double *)t->data)[at] = x;
    else
        ((float *)t->data)[at] = (float)x;
}

/* Any sign and significand, an exponent of -5 .. 0. */
static uint16_t random_short(struct oracle_run *r, locant_dtype dtype)
{
    int64_t f16 = dtype == LOCANT_F16;
    int64_t exponent = oracle_run_range(r, -5, 0) + (f16 ? 15 : 127);

    return (uint16_t)(oracle_run_range(r, 0, 1) << 15 |
                      exponent << (f16 ? 10 : 7) |
                      oracle_run_range(r, 0, f16 ? 1023 : 127));
}

locant_tensor oracle_case_tensor(struct oracle_case *c, locant_dtype dtype,
                                 int rank, const int64_t *shape)
{
    locant_tensor t = locant_dense(NULL, dtype, rank, shape);
    size_t n = oracle_count(&t);

    t.data = oracle_case_alloc(c, n, locant_dtype_size(dtype));
    for (size_t i = 0; i < n; i++) {
        if (dtype == LOCANT_F16 || dtype == LOCANT_BF16)
            ((uint16_t *)t.data)[i] = random_short(c->run, dtype);
        else if (dtype == LOCANT_F32)
            ((float *)t.data)[i] = (float)(2 * oracle_run_uniform(c->run));
        else if (dtype == LOCANT_F64)
            ((double *)t.data)[i] =
                (double)(float)(2 * oracle_run_uniform(c->run));
    }
    return t;
}

void oracle_case_seal(const struct oracle_case *c, const locant_tensor *t)
{
    if (c->run->memory != NULL)
        c->run->memory->seal(t->data,
                             oracle_count(t) * locant_dtype_size(t->dtype));
}

locant_tensor oracle_case_positions(struct oracle_case *c, int64_t n)
{
    locant_tensor t = oracle_case_tensor(c, LOCANT_I64, 1, &n);

    for (int64_t i = 0; i < n; i++)
        ((int64_t *)t.data)[i] = oracle_run_range(c->run, c->low, c->high);
    oracle_case_seal(c, &t);
    return t;
}

locant_tensor oracle_case_coordinates(struct oracle_case *c, int64_t n)
{
    const int64_t shape[] = { n, c->axes };
    int rank = c->axes > 1 || oracle_run_range(c->run, 0, 1) ? 2 : 1;
    locant_tensor t = oracle_case_tensor(c, LOCANT_F64, rank, shape);

    for (size_t i = 0; i < oracle_count(&t); i++)
        ((double *)t.data)[i] *= 5;
    return t;
}

cx *oracle_case_copy(struct oracle_case *c, const locant_tensor *t)
{
    size_t n = oracle_count(t);
    cx *out = oracle_case_alloc(c, n, sizeof *out);

    for (size_t i = 0; i < n; i++)
        out[i] = oracle_get(t, i);
    return out;
}

/* -------------------------------------------------------------- parameters */

static void draw_param(struct oracle_case *c, int k, locant_dtype dtype,
                       const locant_param_info *info)
{
    struct oracle_param *p = &c->p[k];
    double low = -1, high = 1;

    if (c->o->range != NULL)
        c->o->range(&low, &high, c->spec, k);
    c->value[k] = oracle_case_tensor(c, dtype, info->rank, info->shape);
    c->grad[k] = oracle_case_tensor(c, dtype, info->rank, info->shape);
    p->rate = info->rate;
    p->size = oracle_count(&c->value[k]);
    p->x = oracle_case_alloc(c, p->size, sizeof *p->x);
    p->before = oracle_case_alloc(c, p->size, sizeof *p->before);
    for (size_t i = 0; i < p->size; i++) {
        double x = low + (high - low) * locant_random_uniform(&c->run->random);

        if (c->o->integers >> k & 1)
            x = (double)oracle_run_range(c->run, (int64_t)low, (int64_t)high);
        oracle_put(&c->value[k], i, x);
        p->x[i] = oracle_get(&c->value[k], i);
        p->before[i] = oracle_get(&c->grad[k], i);
    }
    oracle_case_seal(c, &c->value[k]);
    c->call.param[k] = p->x;
}

void oracle_case_params(struct oracle_case *c, const locant_sizes *sizes)
{
    locant_dtype dtype =
        oracle_run_range(c->run, 0, 1) ? LOCANT_F64 : LOCANT_F32;
    locant_param_info info;

    while (c->params < ORACLE_PARAMS &&
           locant_encoding_param(&info, c->e, c->params, sizes)) {
        draw_param(c, c->params, dtype, &info);
        c->params++;
    }
}

const locant_tensor *oracle_case_params_in(const struct oracle_case *c)
{
    return c->params > c->first ? c->value + c->first : NULL;
}

/* --------------------------------------------------------------- comparing */

void oracle_case_near(struct oracle_case *c, const char *what, size_t at,
                      double got, double want, double allowed)
{
    const struct oracle_call *call = &c->call;
    char *text = c->run->row.miss;
    int first = text[0] == '\0';
    size_t n;

    if (!oracle_run_near(c->run, what, at, got, want, allowed) || !first)
        return;
    n = strlen(text);
    snprintf(text + n, sizeof c->run->row.miss - n,
             " [B %d, H %d/%d, T %d, S %d, D %d, W %d]%s%s%s layer %d",
             (int)call->B, (int)call->H, (int)call->G, (int)call->T,
             (int)call->S, (int)call->D, (int)call->W,
             call->causal ? " causal" : "", call->sinks != NULL ? " sinks" : "",
             call->q_coords != NULL ? " coordinates" : "", call->layer);
}

void oracle_sum_add(struct oracle_sum *s, double weight, cx f)
{
    s->sum += weight * f;
    s->gross += fabs(weight) * fabs(cimag(f)) / ORACLE_STEP;
}

double oracle_slope(double *gross, cx *x, oracle_sum_fn fn, void *context)
{
    cx keep = *x;
    struct oracle_sum s;

    *x = keep + ORACLE_STEP * I;
    s = fn(context);
    *x = keep;
    *gross = s.gross;
    return cimag(s.sum) / ORACLE_STEP;
}

int64_t oracle_entries(const struct oracle_case *c, int64_t size)
{
    int64_t most = c->run->entries;

    return most > 0 && most < size ? most : size;
}

int64_t oracle_entry(const struct oracle_case *c, int64_t k, int64_t size)
{
    return oracle_entries(c, size) == size
               ? k
               : oracle_run_range(c->run, 0, size - 1);
}

/* The library adds to the previous contents, which count as a term. */
void oracle_case_params_check(struct oracle_case *c, oracle_sum_fn fn,
                              void *context, double error, int times)
{
    for (int k = 0; k < c->params; k++) {
        const struct oracle_param *p = &c->p[k];
        int64_t size = p->rate != 0 ? (int64_t)p->size : 0;
        double once =
            c->grad[k].dtype == LOCANT_F32 ? 1.01 * ORACLE_HALF_F32 : 0x1p-53;

        for (int64_t n = 0; n < oracle_entries(c, size); n++) {
            size_t i = (size_t)oracle_entry(c, n, size);
            double gross, want = oracle_slope(&gross, &p->x[i], fn, context);
            double terms = gross + fabs(want) + fabs(p->before[i]) + 1e-3;

            oracle_case_near(c, "gradient of a parameter", i,
                             oracle_get(&c->grad[k], i), p->before[i] + want,
                             (error + times * once) * terms);
        }
    }
}
