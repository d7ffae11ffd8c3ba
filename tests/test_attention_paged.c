/*
 * test_attention_paged.c - a pool of pages that two sequences share, as
 * attention.h says, gives what each sequence gives alone with its keys in
 * order.  Sums are in another order: relative L2 errors of float32, 1e-6.
 */
#include "testing.h"

#include "locant.h"
#include <stdlib.h>

enum { B = 2, H = 4, HKV = 2, D = 32, PAGE = 16, PAGES = 12, S = PAGE * PAGES };

/* Pages of each sequence, in its order; the others hold what is not read. */
static const int pages[B][5] = { { 7, 2, 11, 0, 5 }, { 9, 1, 6, 3, -1 } };
static const int64_t tokens[B] = { 77, 60 };

struct pool {
    float q[B * H * D], k[HKV * S * D], v[HKV * S * D], out[B * H * D];
    int64_t q_pos[B], q_docs[B], k_pos[B * S], k_docs[B * S];
};

static void draw(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)test_uniform();
}

static void fill(struct pool *p)
{
    draw(p->q, LEN(p->q));
    draw(p->k, LEN(p->k));
    draw(p->v, LEN(p->v));
    for (int i = 0; i < B * S; i++)
        p->k_docs[i] = -1;
    for (int b = 0; b < B; b++) {
        p->q_pos[b] = tokens[b] - 1;
        for (int64_t t = 0; t < tokens[b]; t++) {
            const int64_t row = pages[b][t / PAGE] * PAGE + t % PAGE;

            p->k_pos[b * S + row] = t;
            p->k_docs[b * S + row] = 0;
        }
    }
}

static void attend(locant_tensor *out, const locant_attention *a)
{
    float sums[B * H];
    locant_tensor lse = locant_dense(sums, LOCANT_F32, 3, out->shape);
    test_forward(out, &lse, a);
}

/* Both sequences at once, from the pool. */
static void from_pool(struct pool *p, const locant_encoding *e)
{
    locant_tensor k = DENSE(F32, p->k, B, HKV, S, D);
    locant_tensor v = DENSE(F32, p->v, B, HKV, S, D);
    locant_attention a = LOCANT_ATTENTION_INIT;

    k.stride[0] = v.stride[0] = 0;
    a.q = VIEW(F32, p->q, B, H, 1, D);
    a.k = &k;
    a.v = &v;
    a.q_pos = VIEW(I64, p->q_pos, B, 1);
    a.q_docs = VIEW(I64, p->q_docs, B, 1);
    a.k_pos = VIEW(I64, p->k_pos, B, S);
    a.k_docs = VIEW(I64, p->k_docs, B, S);
    a.encoding = e;
    a.mask = LOCANT_MASK_CAUSAL;
    attend(VIEW(F32, p->out, B, H, 1, D), &a);
}

/* Sequence b alone, its keys copied into their order. */
static void in_order(float out[H * D], struct pool *p, int b,
                     const locant_encoding *e)
{
    const int64_t n = tokens[b];
    FREED_BY(free_memory)
    float *keys = malloc((size_t)(HKV * n * D) * sizeof(*keys));
    FREED_BY(free_memory)
    float *values = malloc((size_t)(HKV * n * D) * sizeof(*values));
    locant_attention a = LOCANT_ATTENTION_INIT;

    for (int h = 0; h < HKV; h++)
        for (int64_t t = 0; t < n; t++)
            for (int d = 0; d < D; d++) {
                const int64_t row = pages[b][t / PAGE] * PAGE + t % PAGE;
                const int64_t from = (h * S + row) * D + d;

                keys[(h * n + t) * D + d] = p->k[from];
                values[(h * n + t) * D + d] = p->v[from];
            }
    a.q = VIEW(F32, p->q + b * H * D, 1, H, 1, D);
    a.k = VIEW(F32, keys, 1, HKV, n, D);
    a.v = VIEW(F32, values, 1, HKV, n, D);
    a.encoding = e;
    a.mask = LOCANT_MASK_CAUSAL;
    attend(VIEW(F32, out, 1, H, 1, D), &a);
}

TEST(pages_are_as_good_as_rows_in_order)
{
    static const char *const specs[] = { "none", "rope", "alibi",
                                         "rope+alibi" };
    FREED_BY(free_memory) struct pool *p = calloc(1, sizeof(*p));

    fill(p);
    for (size_t i = 0; i < LEN(specs); i++) {
        OWNED(locant_encoding) *e = test_create(specs[i]);

        from_pool(p, e);
        for (int b = 0; b < B; b++) {
            float alone[H * D];
            double want[H * D];

            in_order(alone, p, b, e);
            for (int j = 0; j < H * D; j++)
                want[j] = alone[j];
            CHECK(test_relative_l2(p->out + b * H * D, want, H * D) < 1e-6);
        }
    }
}
