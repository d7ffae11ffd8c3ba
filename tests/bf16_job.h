/* bf16_job.h - attention problems in bfloat16, for tests of bf16 products */
#ifndef BF16_JOB_H
#define BF16_JOB_H
#include "attention/arithmetic.h"
#include "core/tensor.h"
#include "kernel/row.h"
#include "oracle/mixed.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The value of a bfloat16. */
static inline float number(uint32_t half)
{
    float x;

    half <<= 16;
    memcpy(&x, &half, sizeof(x));
    return x;
}

/* A problem of mixed.h, m, and the same in bfloat16. */
struct job {
    struct mixed m;
    locant_tensor q, k, v, out, lse, dout, dq, dk, dv;
    locant_attention a;
    locant_attention_gradients g;
};

/* x [B, H, T, D] as bfloat16, in memory at random [B, T, H, D]. */
static inline locant_tensor narrow(const locant_tensor *x)
{
    size_t n = mixed_size(x);
    locant_tensor y = test_tensor(LOCANT_BF16, 4, x->shape);

    lct_row_from_f32(y.data, LOCANT_BF16, x->data, n);
    if (test_rand() % 2) {
        y.stride[2] = y.shape[1] * y.shape[3];
        y.stride[1] = y.shape[3];
    }
    return y;
}

static inline void job_make(struct job *j)
{
    mixed_make(&j->m);
    for (size_t i = 0; i < mixed_size(&j->m.q); i++)
        oracle_put(&j->m.q, i, 3 * oracle_get(&j->m.q, i)); /* scores near 1 */
    j->q = narrow(&j->m.q);
    j->k = narrow(&j->m.k);
    j->v = narrow(&j->m.v);
    j->dout = narrow(&j->m.dout);
    j->dq = narrow(&j->m.q);
    j->dk = narrow(&j->m.k);
    j->dv = narrow(&j->m.v);
    j->out = test_tensor(LOCANT_BF16, 4, j->m.q.shape);
    j->lse = test_tensor(LOCANT_F32, 3, j->m.q.shape);
    j->a = j->m.a;
    j->a.q = &j->q;
    j->a.k = &j->k;
    j->a.v = &j->v;
    j->g = j->m.g;
    j->g.dq = &j->dq;
    j->g.dk = &j->dk;
    j->g.dv = &j->dv;
}

static inline void job_free(struct job *j)
{
    locant_tensor *all[] = { &j->q,    &j->k,  &j->v,  &j->out, &j->lse,
                             &j->dout, &j->dq, &j->dk, &j->dv };

    for (size_t i = 0; i < LEN(all); i++)
        test_tensor_free(all[i]);
    mixed_free(&j->m);
}

static double bf16_at(const locant_tensor *x, size_t i)
{
    return (double)number(((const uint16_t *)x->data)[i]);
}

/* Parameters' gradients start from 0. */
static inline void backward(struct job *j)
{
    for (int n = 0; n < j->m.n_params; n++)
        for (size_t i = 0; i < mixed_size(&j->m.dparams[n]); i++)
            oracle_put(&j->m.dparams[n], i, 0);
    test_backward(&j->g, &j->dout, &j->out, &j->lse, &j->a);
}

/* The elements of a tensor of any strides, in the order of its shape. */
static inline double *numbers_of(const locant_tensor *x)
{
    size_t n = mixed_size(x), left;
    double *y = malloc((n + 1) * sizeof(*y));
    int64_t at[LOCANT_MAX_RANK];

    assert_non_null(y);
    for (size_t i = 0; i < n; i++) {
        left = i;
        for (int k = x->rank - 1; k >= 0; k--) {
            at[k] = (int64_t)(left % (size_t)x->shape[k]);
            left /= (size_t)x->shape[k];
        }
        lct_row_to_f64(y + i, lct_at(x, at, x->rank), x->dtype, 1);
    }
    return y;
}

static const struct {
    const char *spec;
    bool rotates;
} encodings[] = {
    { "none", false },
    { "rope", true },
    { "rope(pairing=interleaved)", true },
    { "rope(dim=4,side=trailing)", true },
    { "alibi", false },
    { "t5", false },
    { "kerple", false },
    { "rope+alibi", true },
    { "window(size=40)+rope", true },
    { "window(size=9)+alibi", false },
};
#endif
