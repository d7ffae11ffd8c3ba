/*
 * test_real_positions.c - biases and factors of pairs at real coordinates, and
 * d loss / d coordinate, against an attention in double that is written here.
 *
 * Derivatives are central differences of that attention with h = 1e-5: they err
 * by some h^2 = 1e-10 times a third derivative and by 2^-52 / h = 2e-11 of the
 * loss, a sum of some 500 terms of magnitude 1.
 */
#include "real_case.h"
#include <stdlib.h>
#include <string.h>

enum { B = 2, G = 2, D = 6, SMALL = 5, KEYS = 7, PARAMS = 6 };
static const double STEP = 1e-5, ALLOWED = 1e-6;

struct problem {
    int64_t T, S;
    int rank;                               /* of coordinates */
    double *q, *k, *v, *dout, *q_at, *k_at; /* [B, H or G, T or S, D or 1] */
    double *x[PARAMS];
    locant_tensor param[PARAMS];
};

static double *numbers(int64_t n, double (*draw)(void))
{
    double *x = malloc((size_t)n * sizeof(*x));

    assert_non_null(x);
    for (int64_t i = 0; i < n; i++)
        x[i] = draw == NULL ? 0 : (float)draw();
    return x;
}

/* Of both sides of the threshold of fire. */
static double coordinate(void)
{
    return 6 + 6 * test_uniform();
}

static double positive(void)
{
    return 0.6 + 0.4 * test_uniform();
}

static double weight(void)
{
    return test_normal() / 2;
}

static struct problem *make(const locant_encoding *e, int64_t T, int64_t S,
                            int rank)
{
    const locant_sizes sizes = { .heads = H, .kv_heads = G, .head_dim = D };
    struct problem *p = calloc(1, sizeof(*p));
    locant_param_info info;

    assert_non_null(p);
    p->T = T;
    p->S = S;
    p->rank = rank;
    p->q = numbers(B * H * T * D, test_normal);
    p->k = numbers(B * G * S * D, test_normal);
    p->v = numbers(B * G * S * D, test_normal);
    p->dout = numbers(B * H * T * D, test_normal);
    p->q_at = numbers(B * H * T, coordinate);
    p->k_at = numbers(B * G * S, coordinate);
    for (int i = 0; locant_encoding_param(&info, e, i, &sizes); i++) {
        bool any = strstr(info.name, "w") != NULL;
        int64_t n = 1;

        for (int r = 0; r < info.rank; r++)
            n *= info.shape[r];
        p->x[i] = numbers(n, any ? weight : positive);
        p->param[i] = locant_dense(p->x[i], LOCANT_F64, info.rank, info.shape);
    }
    return p;
}

static void drop(struct problem **p)
{
    for (int i = 0; i < PARAMS; i++)
        free((*p)->x[i]);
    free((*p)->q);
    free((*p)->k);
    free((*p)->v);
    free((*p)->dout);
    free((*p)->q_at);
    free((*p)->k_at);
    free(*p);
}

/* Where the coordinate of a token stands. */
static int64_t place(const struct problem *p, int64_t b, int64_t h,
                     int64_t heads, int64_t i, int64_t n)
{
    return p->rank == 2   ? i
           : p->rank == 3 ? b * n + i
                          : (b * heads + h) * n + i;
}

static double score(const struct rule *rule, const struct pair *x,
                    const double *q, const double *k)
{
    double s = 0;

    for (int d = 0; d < D; d++)
        s += q[d] * k[d] / sqrt(D);
    return (rule->gain == NULL ? s : s * rule->gain(x)) + rule->bias(x);
}

/* out [D] of query b, h, i; causal: key j is seen up to j = S - T + i. */
static void attend(double *out, const struct problem *p,
                   const struct rule *rule, int64_t b, int64_t h, int64_t i)
{
    const int64_t g = h / (H / G), seen = p->S - p->T + i + 1;
    const double *q = p->q + ((b * H + h) * p->T + i) * D;
    double weight[128], most = -INFINITY, sum = 0;
    struct pair x = { .q = p->q_at[place(p, b, h, H, i, p->T)],
                      .h = (int)h,
                      .x = p->x };

    for (int64_t j = 0; j < seen; j++) {
        x.k = p->k_at[place(p, b, g, G, j, p->S)];
        x.d = x.q - x.k;
        x.n = fabs(x.d);
        weight[j] = score(rule, &x, q, p->k + ((b * G + g) * p->S + j) * D);
        most = fmax(most, weight[j]);
    }
    for (int64_t j = 0; j < seen; j++)
        sum += weight[j] = exp(weight[j] - most);
    memset(out, 0, D * sizeof(*out));
    for (int64_t j = 0; j < seen; j++) {
        x.k = p->k_at[place(p, b, g, G, j, p->S)];
        x.d = x.q - x.k;
        x.n = fabs(x.d);
        for (int d = 0; d < D; d++)
            out[d] += weight[j] / sum *
                      (rule->after == NULL ? 1 : rule->after(&x)) *
                      p->v[((b * G + g) * p->S + j) * D + d];
    }
}

static double loss(const struct problem *p, const struct rule *rule)
{
    double sum = 0, out[D];

    for (int64_t r = 0; r < B * H * p->T; r++) {
        attend(out, p, rule, r / p->T / H, r / p->T % H, r % p->T);
        for (int d = 0; d < D; d++)
            sum += p->dout[r * D + d] * out[d];
    }
    return sum;
}

/* ------------------------------------------------------------------ library */

struct results {
    double *out, *dq_at, *dk_at, *dparam[PARAMS]; /* as in the problem */
};

static void drop_results(struct results *r)
{
    free(r->out);
    free(r->dq_at);
    free(r->dk_at);
    for (int i = 0; i < PARAMS; i++)
        free(r->dparam[i]);
}

static locant_tensor at_tensor(const struct problem *p, double *x,
                               int64_t heads, int64_t n)
{
    return p->rank == 2   ? DENSE(F64, x, n, 1)
           : p->rank == 3 ? DENSE(F64, x, B, n, 1)
                          : DENSE(F64, x, B, heads, n, 1);
}

/* A copy of n numbers as F64 or F32. */
static locant_tensor as(locant_dtype dtype, const double *x, int64_t heads,
                        int64_t n)
{
    locant_tensor t = test_tensor(dtype, 4, TEST_SHAPE(B, heads, n, D));

    for (int64_t i = 0; x != NULL && i < B * heads * n * D; i++)
        if (dtype == LOCANT_F64)
            ((double *)t.data)[i] = x[i];
        else
            ((float *)t.data)[i] = (float)x[i];
    return t;
}

static double get(const locant_tensor *t, int64_t i)
{
    return t->dtype == LOCANT_F64 ? ((double *)t->data)[i]
                                  : (double)((float *)t->data)[i];
}

static int64_t entries(const struct problem *p, int param)
{
    int64_t n = 1;

    for (int d = 0; d < p->param[param].rank; d++)
        n *= p->param[param].shape[d];
    return n;
}

/* Forward and backward by the engine of the dtype of q; parameters have no
 * gradient if 'alone'. */
static struct results run(struct problem *p, const locant_encoding *e,
                          locant_dtype dtype, bool alone)
{
    OWNED(locant_tensor) q = as(dtype, p->q, H, p->T);
    OWNED(locant_tensor) k = as(dtype, p->k, G, p->S);
    OWNED(locant_tensor) v = as(dtype, p->v, G, p->S);
    OWNED(locant_tensor) dout = as(dtype, p->dout, H, p->T);
    OWNED(locant_tensor) out = as(dtype, NULL, H, p->T);
    OWNED(locant_tensor)
    lse = test_tensor(dtype, 3, TEST_SHAPE(B, H, p->T));
    locant_tensor q_at = at_tensor(p, p->q_at, H, p->T);
    locant_tensor k_at = at_tensor(p, p->k_at, G, p->S);
    locant_tensor dq_at, dk_at, dparam[PARAMS];
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    struct results r = { .out = numbers(B * H * p->T * D, NULL),
                         .dq_at = numbers(B * H * p->T, test_normal),
                         .dk_at = numbers(B * G * p->S, test_normal) };

    a.q = &q;
    a.k = &k;
    a.v = &v;
    a.encoding = e;
    a.params = p->param;
    a.mask = LOCANT_MASK_CAUSAL;
    a.q_coords = &q_at;
    a.k_coords = &k_at;
    dq_at = at_tensor(p, r.dq_at, H, p->T);
    dk_at = at_tensor(p, r.dk_at, G, p->S);
    g.dq_coords = &dq_at;
    g.dk_coords = &dk_at;
    for (int i = 0; i < PARAMS && p->x[i] != NULL && !alone; i++) {
        dparam[i] = p->param[i];
        dparam[i].data = r.dparam[i] = numbers(entries(p, i), NULL);
    }
    g.dparams = alone ? NULL : dparam;
    test_forward(&out, &lse, &a);
    test_backward(&g, &dout, &out, &lse, &a);
    for (int64_t i = 0; i < B * H * p->T * D; i++)
        r.out[i] = get(&out, i);
    return r;
}

/* The same outputs, a query at a time, in float32. */
static void decode(double *out, struct problem *p, const locant_encoding *e)
{
    OWNED(locant_tensor) q = as(LOCANT_F32, p->q, H, p->T);
    OWNED(locant_tensor) k = as(LOCANT_F32, p->k, G, p->S);
    OWNED(locant_tensor) v = as(LOCANT_F32, p->v, G, p->S);
    locant_tensor q_at = at_tensor(p, p->q_at, H, p->T);
    locant_tensor k_at = at_tensor(p, p->k_at, G, p->S);

    for (int64_t i = 0; i < p->T; i++) {
        OWNED(locant_tensor) to = as(LOCANT_F32, NULL, H, 1);
        OWNED(locant_tensor)
        lse = test_tensor(LOCANT_F32, 3, TEST_SHAPE(B, H, 1));
        locant_attention a = LOCANT_ATTENTION_INIT;
        locant_tensor one = q, at = q_at, pos;
        int64_t where = p->S - p->T + i;

        one.shape[2] = 1;
        one.data = (float *)q.data + i * D;
        at.shape[at.rank - 2] = 1;
        at.data = p->q_at + i;
        pos = DENSE(I64, &where, 1);
        a.q = &one;
        a.k = &k;
        a.v = &v;
        a.encoding = e;
        a.params = p->param;
        a.mask = LOCANT_MASK_CAUSAL;
        a.q_pos = &pos;
        a.q_coords = &at;
        a.k_coords = &k_at;
        test_forward(&to, &lse, &a);
        for (int64_t r = 0; r < B * H; r++)
            for (int d = 0; d < D; d++)
                out[(r * p->T + i) * D + d] = get(&to, r * D + d);
    }
}

static int64_t queries(const struct problem *p)
{
    return p->T * (p->rank == 2 ? 1 : p->rank == 3 ? B : B * H);
}

static int64_t keys(const struct problem *p)
{
    return p->S * (p->rank == 2 ? 1 : p->rank == 3 ? B : B * G);
}

static void judge(double *x, int64_t n, const double *got,
                  const struct problem *p, const struct rule *rule)
{
    for (int64_t i = 0; i < n; i++) {
        double keep = x[i], up, down;

        x[i] = keep + STEP;
        up = loss(p, rule);
        x[i] = keep - STEP;
        down = loss(p, rule);
        x[i] = keep;
        if (!(fabs(got[i] - (up - down) / (2 * STEP)) < ALLOWED))
            FAIL("%s: %lld of %lld is %.9g, want %.9g\n", rule->spec,
                 (long long)i, (long long)n, got[i], (up - down) / (2 * STEP));
    }
}

/* Only differences of coordinates matter to most of these, so all gradients of
 * coordinates sum to 0. */
TEST(gradients_are_those_of_differences)
{
    for (size_t n = 0; n < LEN(rules); n++)
        for (int rank = 2; rank <= 4; rank++) {
            OWNED(locant_encoding) *e = test_create(rules[n].spec);
            FREED_BY(drop) struct problem *p = make(e, SMALL, KEYS, rank);
            FREED_BY(drop_results)
            struct results r = run(p, e, LOCANT_F64, rank == 3);
            double out[D], sum = 0;

            for (int64_t i = 0; i < B * H * SMALL; i++) {
                attend(out, p, &rules[n], i / SMALL / H, i / SMALL % H,
                       i % SMALL);
                for (int d = 0; d < D; d++) /* some 50 operations of size 1 */
                    CHECK(fabs(r.out[i * D + d] - out[d]) < 1e-13);
            }
            judge(p->q_at, queries(p), r.dq_at, p, &rules[n]);
            judge(p->k_at, keys(p), r.dk_at, p, &rules[n]);
            for (int i = 0; i < PARAMS && r.dparam[i] != NULL; i++)
                judge(p->x[i], entries(p, i), r.dparam[i], p, &rules[n]);
            for (int64_t i = 0; i < queries(p); i++)
                sum += r.dq_at[i];
            for (int64_t i = 0; i < keys(p); i++)
                sum += r.dk_at[i];
            CHECK(rules[n].absolute || fabs(sum) < 1e-12);
        }
}

/* Adds |got - want| and |want| of n numbers. */
static void compare(double total[2], const double *got, const double *want,
                    int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        total[0] += fabs(got[i] - want[i]);
        total[1] += fabs(want[i]);
    }
}

/*
 * Tiles in float32: dS has an error of some 2^-24 times the 12 nats of a score,
 * and a gradient sums dS that cancel to a tenth: 1e-5 of it.
 */
TEST(tiles_have_the_gradients_of_rows)
{
    for (size_t n = 0; n < LEN(rules); n++) {
        int rank = 2 + (int)n % 3;
        OWNED(locant_encoding) *e = test_create(rules[n].spec);
        FREED_BY(drop) struct problem *p = make(e, 70, 90, rank);
        FREED_BY(drop_results)
        struct results want = run(p, e, LOCANT_F64, false);
        FREED_BY(drop_results)
        struct results got = run(p, e, LOCANT_F32, false);
        FREED_BY(drop_results)
        struct results alone = run(p, e, LOCANT_F32, true);
        double out[2] = { 0 }, at[2] = { 0 }, params[2] = { 0 };

        compare(out, got.out, want.out, B * H * 70 * D);
        compare(at, got.dq_at, want.dq_at, queries(p));
        compare(at, got.dk_at, want.dk_at, keys(p));
        for (int i = 0; i < PARAMS && p->x[i] != NULL; i++)
            compare(params, got.dparam[i], want.dparam[i], entries(p, i));
        CHECK(out[0] < 1e-6 * out[1]);
        CHECK(at[0] < 1e-5 * at[1]);
        CHECK(params[0] <= 1e-5 * params[1]);
        assert_memory_equal(got.dq_at, alone.dq_at,
                            (size_t)queries(p) * sizeof(double));
        assert_memory_equal(got.dk_at, alone.dk_at,
                            (size_t)keys(p) * sizeof(double));
    }
}

/* A query at a time, by the engine for decoding, has the bits of the whole; and
 * no gradient depends on the number of threads. */
TEST(bits_do_not_depend_on_the_way)
{
    for (size_t n = 0; n < LEN(rules); n++) {
        OWNED(locant_encoding) *e = test_create(rules[n].spec);
        FREED_BY(drop) struct problem *p = make(e, 70, 90, 3);
        FREED_BY(drop_results) struct results one, three;
        double *out = numbers(B * H * 70 * D, NULL);
        int threads = locant_threads();

        CHECK_OK(locant_set_threads(1));
        one = run(p, e, LOCANT_F32, false);
        CHECK_OK(locant_set_threads(3));
        three = run(p, e, LOCANT_F32, false);
        decode(out, p, e);
        CHECK_OK(locant_set_threads(threads));
        assert_memory_equal(one.dq_at, three.dq_at, 2 * 70 * sizeof(double));
        assert_memory_equal(one.dk_at, three.dk_at, 2 * 90 * sizeof(double));
        assert_memory_equal(one.out, out, B * H * 70 * D * sizeof(double));
        free(out);
    }
}

/* At n = 0, where |d| has a kink and powers below 1 have a pole, pairs have no
 * gradient: all tokens at one place. */
TEST(derivatives_at_kinks_are_zero)
{
    static const char *const specs[] = { "kerple",
                                         "kerple(kind=power)",
                                         "alibi(symmetric=yes)",
                                         "scale-invariant",
                                         "formula(bias=-sqrt(n)-n^0.5)",
                                         "fire(hidden=4,length=600)" };

    for (size_t n = 0; n < LEN(specs); n++) {
        OWNED(locant_encoding) *e = test_create(specs[n]);
        FREED_BY(drop) struct problem *p = make(e, SMALL, KEYS, 2);
        FREED_BY(drop_results) struct results r = { .out = NULL };

        for (int i = 0; i < KEYS; i++)
            p->q_at[i] = p->k_at[i] = 3;
        r = run(p, e, LOCANT_F32, true);
        for (int i = 0; i < KEYS; i++)
            CHECK(r.dk_at[i] == 0 && (i >= SMALL || r.dq_at[i] == 0));
    }
}
