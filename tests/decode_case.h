/* decode_case.h - attention of a step of decoding: the last queries of many */
#ifndef DECODE_CASE_H
#define DECODE_CASE_H
#include "testing.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 24, PAGE = 16 }; /* other queries of the long run; keys a page */

struct step {
    const char *spec;
    int64_t H, Hkv, D, T, S;
    bool documents, rotated; /* keys are given rotated */
    locant_dtype dtype;
    locant_encoding *e;
    locant_tensor q, k, v; /* q: MANY + T rows */
    locant_tensor rotated_k;
    int64_t *k_pos, *k_docs, *q_pos, *q_docs;
};

/* Positions in order; pages of keys of two documents, some of none. */
static inline void place(struct step *s)
{
    int64_t Q = MANY + s->T;

    s->k_pos = malloc((size_t)s->S * sizeof(int64_t));
    s->k_docs = malloc((size_t)s->S * sizeof(int64_t));
    s->q_pos = malloc((size_t)Q * sizeof(int64_t));
    s->q_docs = malloc((size_t)Q * sizeof(int64_t));
    for (int64_t j = 0; j < s->S; j++) {
        s->k_pos[j] = j;
        s->k_docs[j] = j / PAGE % 7 == 3 ? -1 : j / (5 * PAGE) % 2;
    }
    for (int64_t i = 0; i < Q; i++) {
        s->q_pos[i] = s->S - Q + i < 0 ? 0 : s->S - Q + i;
        s->q_docs[i] = i % 5 == 4 ? 7 : i % 2; /* 7: sees no key */
    }
}

/* F32 in [-1, 1); F16 of magnitude 1/2 to 1, BF16 of 1/2 to 2. */
static inline locant_tensor numbers(locant_dtype dtype, const int64_t *shape)
{
    locant_tensor t = test_tensor(dtype, 4, shape);
    int64_t n = shape[0] * shape[1] * shape[2] * shape[3];
    unsigned exponent = dtype == LOCANT_F16 ? 0x3800 : 0x3f00;
    unsigned rest = dtype == LOCANT_F16 ? 0x83ff : 0x80ff;

    for (int64_t i = 0; dtype != LOCANT_F32 && i < n; i++) {
        unsigned bits = (unsigned)(int)(test_uniform() * 0x7fffffff) >> 8;

        ((uint16_t *)t.data)[i] = (uint16_t)((bits & rest) | exponent);
    }
    return t;
}

static inline void step_make(struct step *s)
{
    const int64_t q[4] = { 1, s->H, MANY + s->T, s->D };
    const int64_t k[4] = { 1, s->Hkv, s->S, s->D };

    s->e = test_create(s->spec);
    s->q = numbers(s->dtype, q);
    s->k = numbers(s->dtype, k);
    s->v = numbers(s->dtype, k);
    s->rotated_k = numbers(s->dtype, k);
    place(s);
}

static inline void step_free(struct step *s)
{
    test_tensor_free(&s->q);
    test_tensor_free(&s->k);
    test_tensor_free(&s->v);
    test_tensor_free(&s->rotated_k);
    free(s->k_pos);
    free(s->k_docs);
    free(s->q_pos);
    free(s->q_docs);
    locant_encoding_free(s->e);
}

static inline float *filled(size_t n)
{
    float *x = malloc(n * sizeof(*x));

    CHECK(x != NULL);
    for (size_t i = 0; i < n; i++)
        x[i] = 77;
    return x;
}

/* Replace n elements of 16 bits at x by floats: their bits as numbers. */
static inline void spread(float *x, size_t n)
{
    const uint16_t *half = (const uint16_t *)x;
    FREED_BY(free_memory) uint16_t *copy = malloc(n * sizeof(*copy) + 1);

    CHECK(copy != NULL);
    memcpy(copy, half, n * sizeof(*copy));
    for (size_t i = 0; i < n; i++)
        x[i] = copy[i];
}

/*
 * Attention of queries 'from' .. 'from + T - 1' of s: out [H, T, D], then lse
 * [H, T].  A 16-bit element of 'out' becomes its bits as a number.
 */
static inline float *run(const struct step *s, int64_t from, int64_t T,
                         bool reference)
{
    const int64_t rows[4] = { 1, s->H, T, s->D };
    size_t n = (size_t)(s->H * T), D = (size_t)s->D, bytes;
    float *result = filled(n * (D + 1));
    locant_tensor q = s->q, out, lse, params[8];
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_param_info info;
    const locant_sizes sizes = { .width = s->H * s->D,
                                 .heads = s->H,
                                 .kv_heads = s->Hkv,
                                 .head_dim = s->D };
    int learned = 0;
    void *workspace;

    q.data =
        (char *)q.data + (size_t)(from * s->D) * locant_dtype_size(s->dtype);
    q.shape[2] = T;
    out = locant_dense(result, s->dtype, 4, rows);
    lse = locant_dense(result + n * D, LOCANT_F32, 3, rows);
    a.q = &q;
    a.k = s->rotated ? &s->rotated_k : &s->k;
    a.v = &s->v;
    a.q_pos = VIEW(I64, s->q_pos + from, T);
    a.k_pos = VIEW(I64, s->k_pos, s->S);
    a.q_docs = s->documents ? VIEW(I64, s->q_docs + from, T) : NULL;
    a.k_docs = s->documents ? VIEW(I64, s->k_docs, s->S) : NULL;
    a.encoding = s->e;
    a.mask = LOCANT_MASK_CAUSAL;
    a.flags = s->rotated ? LOCANT_ATTENTION_KEYS_ROTATED : 0;
    for (; locant_encoding_param(&info, s->e, learned, &sizes); learned++) {
        CHECK(learned < (int)LEN(params));
        params[learned] = test_tensor(LOCANT_F32, info.rank, info.shape);
        CHECK_OK(
            locant_encoding_param_init(&params[learned], s->e, learned, 1));
    }
    a.params = learned > 0 ? params : NULL;
    if (reference) {
        CHECK_OK(locant_attention_reference(&out, &lse, &a));
    } else { /* as test_forward(), without filling the workspace: faster */
        CHECK_OK(locant_attention_workspace(&bytes, &a));
        workspace = test_guarded(bytes);
        CHECK_OK(locant_attention_forward(&out, &lse, &a, workspace, bytes));
        test_guarded_free(workspace, bytes);
    }
    while (learned > 0)
        test_tensor_free(&params[--learned]);
    if (s->dtype != LOCANT_F32)
        spread(result, n * D);
    return result;
}
#endif
