/*
 * test_attention_masks.c - documents, padding, and encodings that hide keys or
 * warm queries up.
 */
#include "encodings/encoding.h"
#include "oracle/mixed.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const specs[] = {
    "none", "rope", "t5", "alibi(dialect=mpt)", "xpos+kerple", "rope+alibi",
};

static int64_t *ids(const locant_tensor *t, int64_t b)
{
    return (int64_t *)t->data + b * t->shape[1];
}

/* Every token of a random document, some of none; positions count within it. */
static void pack(struct mixed *m, int64_t documents)
{
    for (int64_t b = 0; b < m->B; b++) {
        int64_t next[8] = { 0 };

        for (int64_t j = 0; j < m->S; j++) {
            /* First in stretches, then mixed; -1 is padding. */
            int64_t doc = j < m->S / 2 ? j * documents / m->S
                                       : test_range(-1, documents - 1);

            ids(&m->k_docs, b)[j] = doc * 5;
            ids(&m->k_pos, b)[j] = doc < 0 ? INT64_MAX : next[doc]++;
        }
        /* Queries are the last T tokens. */
        for (int64_t i = 0; i < m->T; i++) {
            int64_t j = m->S - m->T + i;

            ids(&m->q_docs, b)[i] = ids(&m->k_docs, b)[j];
            ids(&m->q_pos, b)[i] = ids(&m->k_pos, b)[j];
        }
    }
    m->a.q_docs = &m->q_docs;
    m->a.k_docs = &m->k_docs;
}

/* ------------------------------------------------------- separate documents */

/* Rows of x [B, n, ..] of one document of batch row b, gathered. */
static locant_tensor gather(const locant_tensor *x, int64_t b,
                            const int64_t *docs, int64_t doc)
{
    int64_t n = 0, shape[4] = { 1, x->shape[1], x->shape[2], x->shape[3] };
    locant_tensor out;

    for (int64_t i = 0; i < x->shape[2]; i++)
        n += docs[i] == doc;
    shape[2] = n;
    out = test_tensor(x->dtype, 4, shape);
    n = 0;
    for (int64_t h = 0; h < shape[1]; h++)
        for (int64_t i = 0; i < x->shape[2]; i++)
            for (int64_t d = 0; docs[i] == doc && d < shape[3]; d++)
                oracle_put(
                    &out, (size_t)n++,
                    oracle_get(x,
                               (size_t)(((b * shape[1] + h) * x->shape[2] + i) *
                                            shape[3] +
                                        d)));
    return out;
}

static locant_tensor gather_ids(const locant_tensor *x, int64_t b,
                                const int64_t *docs, int64_t doc)
{
    int64_t n = 0, count = 0;
    locant_tensor out;

    for (int64_t i = 0; i < x->shape[1]; i++)
        count += docs[i] == doc;
    out = TENSOR(I64, count);
    for (int64_t i = 0; i < x->shape[1]; i++)
        if (docs[i] == doc)
            ((int64_t *)out.data)[n++] = ids(x, b)[i];
    return out;
}

/* || a - b || and || b || of what was written for one document. */
static void near(const char *what, const locant_tensor *alone,
                 const locant_tensor *packed, int64_t b, const int64_t *docs,
                 int64_t doc, double tolerance)
{
    locant_tensor part = gather(packed, b, docs, doc);
    double error = 0, size = 0;

    for (size_t i = 0; i < mixed_size(&part); i++) {
        error += pow(oracle_get(&part, i) - oracle_get(alone, i), 2);
        size += pow(oracle_get(alone, i), 2);
    }
    if (!(sqrt(error) <= tolerance * sqrt(size)))
        FAIL("%s of document %d: error %.3g of %.3g\n", what, (int)doc,
             sqrt(error), sqrt(size));
    test_tensor_free(&part);
}

/* One document of batch row b attended to alone; parameters add up. */
static void alone(struct mixed *m, const struct mixed *packed, int64_t b,
                  int64_t doc, double tolerance)
{
    const int64_t *qd = ids(&packed->q_docs, b), *kd = ids(&packed->k_docs, b);
    FREED_BY(mixed_free) struct mixed one = { .e = m->e, .dtype = m->dtype };
    locant_tensor lse = packed->lse;

    one.q = gather(&packed->q, b, qd, doc);
    one.k = gather(&packed->k, b, kd, doc);
    one.v = gather(&packed->v, b, kd, doc);
    one.dout = gather(&packed->dout, b, qd, doc);
    one.out = gather(&packed->out, b, qd, doc);
    one.dq = gather(&packed->dq, b, qd, doc);
    one.dk = gather(&packed->dk, b, kd, doc);
    one.dv = gather(&packed->dv, b, kd, doc);
    one.lse = test_tensor(m->dtype, 3, one.q.shape);
    one.q_pos = gather_ids(&packed->q_pos, b, qd, doc);
    one.k_pos = gather_ids(&packed->k_pos, b, kd, doc);
    one.a = packed->a;
    one.a.q = &one.q;
    one.a.k = &one.k;
    one.a.v = &one.v;
    one.a.q_pos = &one.q_pos;
    one.a.k_pos = &one.k_pos;
    one.a.q_docs = one.a.k_docs = NULL;
    one.g = packed->g;
    one.g.dq = &one.dq;
    one.g.dk = &one.dk;
    one.g.dv = &one.dv;
    one.g.dparams = m->n_params > 0 ? m->dparams : NULL; /* adds to */
    mixed_run(&one);
    near("out", &one.out, &packed->out, b, qd, doc, tolerance);
    near("dq", &one.dq, &packed->dq, b, qd, doc, 10 * tolerance);
    near("dk", &one.dk, &packed->dk, b, kd, doc, 10 * tolerance);
    near("dv", &one.dv, &packed->dv, b, kd, doc, 10 * tolerance);
    lse.rank = 4;
    lse.shape[3] = 1;
    one.lse.rank = 4;
    one.lse.shape[3] = 1;
    near("lse", &one.lse, &lse, b, qd, doc, tolerance);
    one.lse.rank = 3;
}

static void packed_is_separate(const char *spec, locant_dtype dtype,
                               locant_mask mask)
{
    double tolerance = dtype == LOCANT_F64 ? 1e-14 : 1e-6;
    struct mixed m = {
        .spec = spec, .dtype = dtype, .mask = mask, .T = 150, .S = 200
    };
    FREED_BY(mixed_free) struct mixed sum = m;

    mixed_make(&m);
    mixed_make(&sum);
    for (int i = 0; i < m.n_params; i++)
        memset(sum.dparams[i].data, 0,
               mixed_size(&sum.dparams[i]) * locant_dtype_size(dtype));
    pack(&m, 3);
    mixed_run(&m);
    for (int64_t b = 0; b < m.B; b++)
        for (int64_t doc = 0; doc < 15; doc += 5)
            alone(&sum, &m, b, doc, tolerance);
    for (int i = 0; i < m.n_params; i++)
        for (size_t n = 0; n < mixed_size(&m.dparams[i]); n++) {
            double x = oracle_get(&m.dparams[i], n);
            double y = oracle_get(&sum.dparams[i], n);

            /* A term below 1 for each row of scores, 3600 at most. */
            CHECK(fabs(x - y) <= 10 * tolerance * (fabs(y) + 100));
        }
    mixed_free(&m);
}

TEST(packed_documents_are_separate_runs)
{
    for (size_t i = 0; i < LEN(specs); i++)
        for (int mask = 0; mask < 2; mask++) {
            packed_is_separate(specs[i], LOCANT_F32, (locant_mask)mask);
            packed_is_separate(specs[i], LOCANT_F64, (locant_mask)mask);
        }
}

/* ------------------------------------------------------------------ padding */

/* What padding holds, and where it sits. */
static void fill_padding(struct mixed *m, double x, int64_t pos)
{
    const locant_tensor *all[] = { &m->q, &m->k, &m->v, &m->dout };

    for (int n = 0; n < 4; n++) {
        const locant_tensor *docs = n == 1 || n == 2 ? &m->k_docs : &m->q_docs;

        for (size_t i = 0; i < mixed_size(all[n]); i++) {
            int64_t at = (int64_t)i / m->D, tokens = all[n]->shape[2];
            int64_t b = at / tokens / all[n]->shape[1];

            if (ids(docs, b)[at % tokens] < 0)
                oracle_put(all[n], i, x);
        }
    }
    for (int64_t b = 0; b < m->B; b++) {
        for (int64_t i = 0; i < m->T; i++)
            if (ids(&m->q_docs, b)[i] < 0)
                ids(&m->q_pos, b)[i] = pos;
        for (int64_t j = 0; j < m->S; j++)
            if (ids(&m->k_docs, b)[j] < 0)
                ids(&m->k_pos, b)[j] = pos;
    }
}

/* Padded rows of out and gradients are 0, of lse -infinity. */
static void check_padding(const struct mixed *m)
{
    const locant_tensor *all[] = { &m->out, &m->dq, &m->dk, &m->dv };

    for (int n = 0; n < 4; n++) {
        const locant_tensor *docs = n < 2 ? &m->q_docs : &m->k_docs;

        for (size_t i = 0; i < mixed_size(all[n]); i++) {
            int64_t at = (int64_t)i / m->D, tokens = all[n]->shape[2];
            int64_t b = at / tokens / all[n]->shape[1];
            bool padded = ids(docs, b)[at % tokens] < 0;

            CHECK(isfinite(oracle_get(all[n], i)));
            if (padded)
                CHECK(oracle_get(all[n], i) == 0);
        }
    }
    for (size_t i = 0; i < mixed_size(&m->lse); i++) {
        int64_t b = (int64_t)i / m->T / m->H;

        CHECK((oracle_get(&m->lse, i) == -INFINITY) ==
              (ids(&m->q_docs, b)[(int64_t)i % m->T] < 0));
    }
}

TEST(padding_is_not_read)
{
    static const char *const limited[] = { "swin(height=10,width=20)", "rope",
                                           "t5", "xpos" };
    static const int64_t places[] = { INT64_MAX, INT64_MIN, -1, 0 };

    for (size_t i = 0; i < LEN(limited) * 2; i++) {
        struct mixed m = { .spec = limited[i / 2],
                           .mask = LOCANT_MASK_CAUSAL,
                           .dtype = i % 2 ? LOCANT_F64 : LOCANT_F32,
                           .T = 90,
                           .S = 130 };
        double *want = NULL;

        mixed_make(&m);
        pack(&m, 2);
        for (size_t n = 0; n < LEN(places); n++) {
            double *got;

            fill_padding(&m, n % 2 ? NAN : 1e30, places[n]);
            mixed_run(&m);
            check_padding(&m);
            got = mixed_results(&m);
            if (want != NULL)
                assert_memory_equal(got, want, mixed_count(&m) * sizeof(*got));
            free(want);
            want = got;
        }
        free(want);
        mixed_free(&m);
    }
}

TEST(all_may_be_padding)
{
    for (int f64 = 0; f64 < 2; f64++) {
        struct mixed m = { .spec = "t5+rope",
                           .T = 70,
                           .S = 70,
                           .dtype = f64 ? LOCANT_F64 : LOCANT_F32 };

        mixed_make(&m);
        pack(&m, 1);
        for (int64_t j = 0; j < m.S; j++)
            ids(&m.k_docs, 1)[j] = ids(&m.q_docs, 1)[j] = -1 - j;
        fill_padding(&m, NAN, INT64_MIN);
        mixed_run(&m);
        check_padding(&m);
        mixed_free(&m);
    }
}

/* -------------------------------------------------------------------- hooks */

/* Keys 0 .. 16 + head behind the query, and every 50th. */
static bool hides_one(int64_t head, int64_t q_pos, int64_t k_pos)
{
    return (k_pos > q_pos || k_pos < q_pos - 16 - head) && k_pos % 50 != 0;
}

static void hides(char *hidden, const locant_encoding *e,
                  const struct lct_head *head, const int64_t *q_pos, size_t n,
                  int64_t k_pos)
{
    (void)e;
    for (size_t i = 0; i < n; i++)
        hidden[i] |= hides_one(head->index, q_pos[i], k_pos);
}

static double temperature(const locant_encoding *e, int64_t q_pos)
{
    (void)e;
    return 1 + 0.25 * (double)(q_pos % 5);
}

static const struct lct_encoding hook_row = {
    .info = { .name = "hook" },
    .mask = { .hide = hides },
    .scale = { .of_query = temperature },
};

/* A value of that row, alone or with another encoding. */
static void make_hook(locant_encoding *hook, locant_encoding *sum,
                      locant_encoding *other)
{
    *hook = (locant_encoding){ .row = &hook_row, .parts = 1 };
    hook->part[0].e = hook;
    *sum = (locant_encoding){ .row = &lct_enc_sum,
                              .parts = 2,
                              .nested = { hook, other },
                              .doors = other->doors,
                              .traits = other->traits };
    sum->part[0].e = hook;
    sum->part[1].e = other;
}

/* out of one row of scores, written down again. */
static void row_by_hand(double *out, const struct mixed *m, int64_t b,
                        int64_t h, int64_t i)
{
    int64_t g = h / (m->H / m->G), q_pos = ids(&m->q_pos, b)[i];
    const double *q = (double *)m->q.data + ((b * m->H + h) * m->T + i) * m->D;
    const double *k = (double *)m->k.data + (b * m->G + g) * m->S * m->D;
    const double *v = (double *)m->v.data + (b * m->G + g) * m->S * m->D;
    double sum = 0;

    memset(out, 0, (size_t)m->D * sizeof(*out));
    for (int64_t j = 0; j < m->S; j++) {
        int64_t k_pos = ids(&m->k_pos, b)[j];
        double s = 0, w;

        if (hides_one(h, q_pos, k_pos) ||
            (m->mask == LOCANT_MASK_CAUSAL && k_pos > q_pos))
            continue;
        for (int64_t d = 0; d < m->D; d++)
            s += q[d] * k[j * m->D + d];
        w = exp(s / sqrt((double)m->D) * temperature(NULL, q_pos));
        sum += w;
        for (int64_t d = 0; d < m->D; d++)
            out[d] += w * v[j * m->D + d];
    }
    for (int64_t d = 0; d < m->D; d++)
        out[d] = sum == 0 ? 0 : out[d] / sum;
}

TEST(hooks_are_asked)
{
    locant_encoding hook, sum, *other;

    CHECK_OK(locant_encoding_create(&other, "none"));
    make_hook(&hook, &sum, other);
    for (int mask = 0; mask < 2; mask++) {
        struct mixed m = { .e = &hook,
                           .dtype = LOCANT_F64,
                           .T = 90,
                           .S = 150,
                           .mask = (locant_mask)mask };
        double want[8];

        mixed_make(&m);
        mixed_run(&m);
        for (int64_t row = 0; row < m.B * m.H * m.T; row++) {
            row_by_hand(want, &m, row / m.T / m.H, row / m.T % m.H, row % m.T);
            for (int64_t d = 0; d < m.D; d++)
                CHECK(fabs(oracle_get(&m.out, (size_t)(row * m.D + d)) -
                           want[d]) <= 1e-13);
        }
        mixed_free(&m);
    }
    locant_encoding_free(other);
}

TEST(hooks_combine_with_every_door)
{
    for (size_t i = 0; i < LEN(specs); i++)
        for (int mask = 0; mask < 2; mask++) {
            locant_encoding hook, sum, *other;
            struct mixed m = { .dtype = LOCANT_F32,
                               .T = 90,
                               .S = 200,
                               .mask = (locant_mask)mask };
            struct mixed small = { .dtype = LOCANT_F64,
                                   .S = 60,
                                   .mask = (locant_mask)mask };

            CHECK_OK(locant_encoding_create(&other, specs[i]));
            make_hook(&hook, &sum, other);
            if (other->parts > 1) { /* sums do not nest */
                locant_encoding_free(other);
                continue;
            }
            m.e = small.e = &sum;
            mixed_make(&m);
            mixed_judge_fast(&m);
            pack(&m, 3);
            mixed_judge_fast(&m);
            mixed_free(&m);
            mixed_make(&small);
            mixed_judge_differences(&small);
            mixed_free(&small);
            locant_encoding_free(other);
        }
}

/* ----------------------------------------------------------------- refusals */

TEST(documents_are_refused)
{
    FREED_BY(mixed_free)
    struct mixed m = { .spec = "alibi", .dtype = LOCANT_F64 };
    locant_tensor q_docs, k_docs;
    size_t bytes;
    void *keep;

    mixed_make(&m);
    m.a.q_docs = &m.q_docs;
    REFUSES(NULL, locant_attention_workspace(&bytes, &m.a),
            "k_docs is NULL while q_docs is given, expected both or neither");
    m.a.k_docs = &m.q_docs;
    REFUSES(SHAPE, locant_attention_workspace(&bytes, &m.a),
            "k_docs has size 9 in dimension 1, expected 13");
    m.a.k_docs = &m.k_docs;
    m.k_docs.dtype = LOCANT_I32;
    REFUSES(DTYPE, locant_attention_workspace(&bytes, &m.a),
            "k_docs is i32, expected i64");
    m.k_docs.dtype = LOCANT_I64;
    keep = m.k_docs.data;
    m.k_docs.data = m.out.data;
    CHECK(locant_attention_reference(&m.out, &m.lse, &m.a) == LOCANT_ERR_ALIAS);
    m.k_docs.data = keep;
    /* One row of documents for all batch rows is as good. */
    q_docs = m.q_docs;
    k_docs = m.k_docs;
    m.q_docs.rank = m.k_docs.rank = 1;
    m.q_docs.shape[0] = m.T;
    m.k_docs.shape[0] = m.S;
    m.q_docs.stride[0] = m.k_docs.stride[0] = 1;
    CHECK_OK(locant_attention_reference(&m.out, &m.lse, &m.a));
    m.q_docs = q_docs;
    m.k_docs = k_docs;
}
