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
    size_t bytes;
    void *scratch;

    CHECK_OK(locant_attention_workspace(&bytes, a));
    scratch = malloc(bytes);
    CHECK_OK(locant_attention_forward(out, &lse, a, scratch, bytes));
    free(scratch);
}

/* Both sequences at once, from the pool. */
static void from_pool(struct pool *p, const locant_encoding *e)
{
    const int64_t q_shape[] = { B, H, 1, D }, k_shape[] = { B, HKV, S, D };
    const int64_t one[] = { B, 1 }, all[] = { B, S };
    locant_tensor out = locant_dense(p->out, LOCANT_F32, 4, q_shape);
    locant_tensor q = locant_dense(p->q, LOCANT_F32, 4, q_shape);
    locant_tensor k = locant_dense(p->k, LOCANT_F32, 4, k_shape);
    locant_tensor v = locant_dense(p->v, LOCANT_F32, 4, k_shape);
    locant_tensor q_pos = locant_dense(p->q_pos, LOCANT_I64, 2, one);
    locant_tensor q_docs = locant_dense(p->q_docs, LOCANT_I64, 2, one);
    locant_tensor k_pos = locant_dense(p->k_pos, LOCANT_I64, 2, all);
    locant_tensor k_docs = locant_dense(p->k_docs, LOCANT_I64, 2, all);
    locant_attention a = LOCANT_ATTENTION_INIT;

    k.stride[0] = v.stride[0] = 0;
    a.q = &q;
    a.k = &k;
    a.v = &v;
    a.q_pos = &q_pos;
    a.q_docs = &q_docs;
    a.k_pos = &k_pos;
    a.k_docs = &k_docs;
    a.encoding = e;
    a.mask = LOCANT_MASK_CAUSAL;
    attend(&out, &a);
}

/* Sequence b alone, its keys copied into their order. */
static void in_order(float out[H * D], struct pool *p, int b,
                     const locant_encoding *e)
{
    const int64_t n = tokens[b];
    const int64_t q_shape[] = { 1, H, 1, D }, k_shape[] = { 1, HKV, n, D };
    float *keys = malloc((size_t)(HKV * n * D) * sizeof(*keys));
    float *values = malloc((size_t)(HKV * n * D) * sizeof(*values));
    locant_tensor to = locant_dense(out, LOCANT_F32, 4, q_shape);
    locant_tensor q = locant_dense(p->q + b * H * D, LOCANT_F32, 4, q_shape);
    locant_tensor k = locant_dense(keys, LOCANT_F32, 4, k_shape);
    locant_tensor v = locant_dense(values, LOCANT_F32, 4, k_shape);
    locant_attention a = LOCANT_ATTENTION_INIT;

    for (int h = 0; h < HKV; h++)
        for (int64_t t = 0; t < n; t++)
            for (int d = 0; d < D; d++) {
                const int64_t row = pages[b][t / PAGE] * PAGE + t % PAGE;
                const int64_t from = (h * S + row) * D + d;

                keys[(h * n + t) * D + d] = p->k[from];
                values[(h * n + t) * D + d] = p->v[from];
            }
    a.q = &q;
    a.k = &k;
    a.v = &v;
    a.encoding = e;
    a.mask = LOCANT_MASK_CAUSAL;
    attend(&to, &a);
    free(keys);
    free(values);
}

TEST(pages_are_as_good_as_rows_in_order)
{
    static const char *const specs[] = { "none", "rope", "alibi",
                                         "rope+alibi" };
    struct pool *p = calloc(1, sizeof(*p));

    fill(p);
    for (size_t i = 0; i < LEN(specs); i++) {
        locant_encoding *e;

        CHECK_OK(locant_encoding_create(&e, specs[i]));
        from_pool(p, e);
        for (int b = 0; b < B; b++) {
            float alone[H * D];
            double want[H * D];

            in_order(alone, p, b, e);
            for (int j = 0; j < H * D; j++)
                want[j] = alone[j];
            CHECK(test_relative_l2(p->out + b * H * D, want, H * D) < 1e-6);
        }
        locant_encoding_free(e);
    }
    free(p);
}
