/* bench_operands.c - tensors, positions and parameters of a case */
#include "bench.h"
#include <math.h>

locant_status bench_no_memory(void)
{
    return locant_fail(LOCANT_ERR_NOMEM, "no memory for the operands");
}

void *bench_alloc(size_t bytes)
{
    void *memory = locant_alloc(bytes);

    if (memory == NULL)
        (void)bench_no_memory();
    return memory;
}

bool bench_tensor(locant_tensor *out, locant_dtype dtype, int rank,
                  const int64_t *shape)
{
    size_t bytes = locant_dtype_size(dtype);

    for (int i = 0; i < rank; i++)
        if (__builtin_mul_overflow(bytes, (size_t)shape[i], &bytes))
            bytes = SIZE_MAX; /* makes locant_alloc() return NULL */
    *out = locant_dense(bench_alloc(bytes), dtype, rank, shape);
    return out->data != NULL;
}

void bench_release(locant_tensor *t, int n)
{
    for (int i = 0; i < n; i++)
        locant_release(t[i].data);
}

bool bench_count(locant_tensor *out, int64_t first, int64_t n)
{
    if (!bench_tensor(out, LOCANT_I64, 1, &n))
        return false;
    for (int64_t i = 0; i < n; i++)
        ((int64_t *)out->data)[i] = first + i;
    return true;
}

int64_t bench_elements(const locant_tensor *t)
{
    int64_t n = 1;

    for (int i = 0; i < t->rank; i++)
        n *= t->shape[i];
    return n;
}

size_t bench_case_elements(const struct bench_case *c)
{
    return (size_t)(c->heads * c->tokens * c->dim);
}

double bench_roundoff(locant_dtype dtype)
{
    return dtype == LOCANT_BF16  ? 0x1p-8
           : dtype == LOCANT_F16 ? 0x1p-11
                                 : 0x1p-24;
}

/* A copy of t in F32, which the caller releases. */
static float *widened(const locant_tensor *t)
{
    size_t n = (size_t)bench_elements(t);
    float *x = bench_alloc(n * sizeof(*x));

    if (x != NULL)
        bench_widen(x, t->data, t->dtype, n);
    return x;
}

bool bench_as_double(locant_tensor *out, const locant_tensor *t)
{
    float *x = widened(t);
    bool good = x != NULL && bench_tensor(out, LOCANT_F64, t->rank, t->shape);

    for (int64_t i = 0; good && i < bench_elements(t); i++)
        ((double *)out->data)[i] = (double)x[i];
    locant_release(x);
    return good;
}

double bench_distance(const locant_tensor *t, const locant_tensor *want)
{
    float *x = widened(t);
    double worst = x == NULL ? INFINITY : 0;

    for (int64_t i = 0; x != NULL && i < bench_elements(t); i++) {
        double d = fabs((double)x[i] - ((double *)want->data)[i]);

        worst = d > worst || isnan(d) ? d : worst;
        if (isnan(d))
            break;
    }
    locant_release(x);
    return worst;
}

static locant_status make_params(struct bench_encoding *x,
                                 const locant_sizes *sizes)
{
    locant_param_info info;

    for (int i = 0; locant_encoding_param(&info, x->e, i, sizes); i++) {
        locant_status status;

        if (i == BENCH_PARAMS)
            return locant_fail(LOCANT_ERR_UNSUPPORTED,
                               "bench: %s has more than %d parameters",
                               info.name, BENCH_PARAMS);
        if (!bench_tensor(&x->values[i], LOCANT_F32, info.rank, info.shape) ||
            !bench_tensor(&x->gradients[i], LOCANT_F32, info.rank, info.shape))
            return LOCANT_ERR_NOMEM;
        status = locant_encoding_param_init(&x->values[i], x->e, i, 1);
        if (status != LOCANT_OK)
            return status;
        x->params = x->values;
        x->dparams = x->gradients;
    }
    return LOCANT_OK;
}

locant_status bench_encoding_open(struct bench_encoding *out, const char *spec,
                                  int64_t length, const locant_sizes *sizes)
{
    locant_encoding *as_typed = NULL;
    locant_status status = locant_encoding_create(&as_typed, spec);

    *out = (struct bench_encoding){ 0 };
    if (status == LOCANT_OK)
        status = locant_encoding_resolve(&out->e, as_typed, length);
    locant_encoding_free(as_typed);
    if (status == LOCANT_OK)
        status = make_params(out, sizes);
    if (status != LOCANT_OK)
        bench_encoding_close(out);
    return status;
}

void bench_encoding_close(struct bench_encoding *encoding)
{
    bench_release(encoding->values, BENCH_PARAMS);
    bench_release(encoding->gradients, BENCH_PARAMS);
    locant_encoding_free(encoding->e);
    *encoding = (struct bench_encoding){ 0 };
}
