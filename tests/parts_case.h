/*
 * parts_case.h - an attention problem by blocks of keys, with the state of each
 * query carried from call to call.
 */
#ifndef PARTS_CASE_H
#define PARTS_CASE_H
#include "oracle/mixed.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 };

/* ---------------------------------------------------------- calls by blocks */

/* One part of a call: some keys, with their gradients. */
struct part {
    struct mixed m;
    locant_attention_part keys;
    locant_tensor state;
    double *sum, *size; /* of dparams, one after another: of all parts, and of
                           their absolute values; NULL: not wanted */
};

/* Keys first .. end - 1 of the problem; a->k and a->v are views. */
static inline void part_set(struct part *x, const struct mixed *m,
                            int64_t first, int64_t end)
{
    x->m = *m;
    mixed_cut(&x->m.k, 2, first, end);
    mixed_cut(&x->m.v, 2, first, end);
    mixed_cut(&x->m.dk, 2, first, end);
    mixed_cut(&x->m.dv, 2, first, end);
    x->m.a.k = &x->m.k;
    x->m.a.v = &x->m.v;
    x->m.g.dk = &x->m.dk;
    x->m.g.dv = m->g.dv != NULL ? &x->m.dv : NULL;
    x->m.g.dx = NULL;
    x->keys = (locant_attention_part)LOCANT_ATTENTION_PART_INIT;
    x->keys.first = first;
    x->keys.keys = m->S;
    x->keys.last = end == m->S;
    x->keys.state = &x->state;
}

/* Workspace of exactly the size asked for, filled with NaN. */
static inline void *workspace_of(const struct part *x, size_t *bytes,
                                 int64_t *width)
{
    void *memory;

    CHECK_OK(locant_attention_part_workspace(bytes, width, &x->m.a, &x->keys));
    memory = malloc(*bytes + 1);
    assert_non_null(memory);
    memset(memory, 0xff, *bytes);
    return memory;
}

static inline void forward_part(struct part *x)
{
    const bool last = x->keys.last;
    size_t bytes;
    void *memory = workspace_of(x, &bytes, NULL);

    CHECK_OK(locant_attention_forward_part(last ? &x->m.out : NULL,
                                           last ? &x->m.lse : NULL, &x->m.a,
                                           &x->keys, memory, bytes));
    free(memory);
}

/* Move dparams to the sums, so that the next part begins from 0. */
static inline void take_params(struct part *x)
{
    size_t at = 0;

    for (int i = 0; i < x->m.n_params && x->sum != NULL; i++)
        for (size_t n = 0; n < mixed_size(&x->m.dparams[i]); n++, at++) {
            x->sum[at] += oracle_get(&x->m.dparams[i], n);
            x->size[at] += fabs(oracle_get(&x->m.dparams[i], n));
            oracle_put(&x->m.dparams[i], n, 0);
        }
}

static inline void backward_part(struct part *x)
{
    size_t bytes;
    void *memory = workspace_of(x, &bytes, NULL);

    if (!x->keys.last)
        x->m.g.dq = NULL;
    CHECK_OK(locant_attention_backward_part(&x->m.g, &x->m.dout, &x->m.out,
                                            &x->m.lse, &x->m.a, &x->keys,
                                            memory, bytes));
    free(memory);
    take_params(x);
}

static inline locant_tensor zeros(const struct mixed *m, int64_t width)
{
    locant_tensor state = TENSOR(F32, m->B, m->H, m->T, width);

    memset(state.data, 0, mixed_size(&state) * sizeof(float));
    return state;
}

/* All blocks of keys for the queries of m; x->sum and x->size are kept. */
static inline void run_all(struct part *x, const struct mixed *m,
                           void (*run)(struct part *x), int64_t width)
{
    x->state = zeros(m, width);
    for (int64_t first = 0; first < m->S; first += BLOCK) {
        part_set(x, m, first, first + BLOCK < m->S ? first + BLOCK : m->S);
        run(x);
    }
    test_tensor_free(&x->state);
}

static inline void run_blocks(const struct mixed *m,
                              void (*run)(struct part *x), int64_t width)
{
    struct part x = { .sum = NULL };

    run_all(&x, m, run, width);
}

static inline int64_t dq_width(const struct mixed *m)
{
    struct part x;
    size_t bytes;
    int64_t width;

    part_set(&x, m, 0, m->S);
    CHECK_OK(locant_attention_part_workspace(&bytes, &width, &x.m.a, &x.keys));
    return width;
}

/* mixed_make_layer(), but dx is not asked for. */
static inline bool parts_make(struct mixed *m, const char *spec,
                              locant_dtype dtype, int64_t B, int64_t T,
                              int64_t S)
{
    if (!mixed_make_layer(m, spec, dtype, B, T, S))
        return false;
    if (m->dx.data != NULL)
        test_tensor_free(&m->dx);
    m->dx = (locant_tensor){ .data = NULL };
    m->g.dx = NULL;
    return true;
}
#endif
