/* mixed.c - see mixed.h */
#include "mixed.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t mixed_size(const locant_tensor *t)
{
    size_t n = t->data == NULL ? 0 : 1;

    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    return n;
}

static void defaults(struct mixed *m)
{
    int64_t *sizes[] = { &m->B, &m->H, &m->G, &m->T, &m->S, &m->D };
    static const int64_t usual[] = { 2, 4, 2, 9, 13, 8 };

    for (size_t i = 0; i < LEN(sizes); i++)
        if (*sizes[i] == 0)
            *sizes[i] = usual[i];
}

static void make_params(struct mixed *m)
{
    locant_sizes sizes = { .width = m->W ? m->W : m->H * m->D,
                           .heads = m->H,
                           .kv_heads = m->G,
                           .head_dim = m->D };
    locant_param_info info;

    for (int i = 0; locant_encoding_param(&info, m->e, i, &sizes); i++) {
        CHECK(i < MIXED_PARAMS);
        m->params[i] = test_tensor(m->dtype, info.rank, info.shape);
        m->dparams[i] = test_tensor(m->dtype, info.rank, info.shape);
        CHECK_OK(locant_encoding_param_init(&m->params[i], m->e, i, 3));
        for (size_t n = 0; info.rate != 0 && n < mixed_size(&m->params[i]); n++)
            oracle_put(&m->params[i], n,
                       oracle_get(&m->params[i], n) + 0.1 * test_uniform());
        CHECK_OK(locant_encoding_param_project(&m->params[i], m->e, i));
        m->n_params++;
    }
}

static void make_tokens(struct mixed *m)
{
    m->q_pos = TENSOR(I64, m->B, m->T);
    m->k_pos = TENSOR(I64, m->B, m->S);
    m->q_docs = TENSOR(I64, m->B, m->T);
    m->k_docs = TENSOR(I64, m->B, m->S);
    if (m->axes > 0) {
        m->q_coords = TENSOR(F64, m->B, m->T, m->axes);
        m->k_coords = TENSOR(F64, m->B, m->S, m->axes);
        m->a.q_coords = &m->q_coords;
        m->a.k_coords = &m->k_coords;
    }
    for (int64_t b = 0; b < m->B; b++) {
        for (int64_t i = 0; i < m->T; i++) {
            ((int64_t *)m->q_pos.data)[b * m->T + i] = m->S - m->T + i;
            ((int64_t *)m->q_docs.data)[b * m->T + i] = 0;
        }
        for (int64_t j = 0; j < m->S; j++) {
            ((int64_t *)m->k_pos.data)[b * m->S + j] = j;
            ((int64_t *)m->k_docs.data)[b * m->S + j] = 0;
        }
    }
    m->a.q_pos = &m->q_pos;
    m->a.k_pos = &m->k_pos;
}

void mixed_make(struct mixed *m)
{
    int64_t q[4], k[4], x[3];

    defaults(m);
    if (m->e == NULL) {
        CHECK_OK(locant_encoding_create(&m->made, m->spec));
        m->e = m->made;
    }
    memcpy(q, (int64_t[]){ m->B, m->H, m->T, m->D }, sizeof(q));
    memcpy(k, (int64_t[]){ m->B, m->G, m->S, m->D }, sizeof(k));
    memcpy(x, (int64_t[]){ m->B, m->S, m->W }, sizeof(x));
    m->a = (locant_attention)LOCANT_ATTENTION_INIT;
    m->g = (locant_attention_gradients)LOCANT_ATTENTION_GRADIENTS_INIT;
    m->q = test_tensor(m->dtype, 4, q);
    m->k = test_tensor(m->dtype, 4, k);
    m->v = test_tensor(m->dtype, 4, k);
    m->dout = test_tensor(m->dtype, 4, q);
    m->out = test_tensor(m->dtype, 4, q);
    m->lse = test_tensor(m->dtype, 3, q);
    m->dq = test_tensor(m->dtype, 4, q);
    m->dk = test_tensor(m->dtype, 4, k);
    m->dv = test_tensor(m->dtype, 4, k);
    if (m->W > 0) {
        m->x = test_tensor(m->dtype, 3, x);
        m->dx = test_tensor(m->dtype, 3, x);
        m->a.x = &m->x;
        m->g.dx = &m->dx;
    }
    make_tokens(m);
    make_params(m);
    m->a.q = &m->q;
    m->a.k = &m->k;
    m->a.v = &m->v;
    m->a.encoding = m->e;
    m->a.params = m->n_params > 0 ? m->params : NULL;
    m->a.mask = m->mask;
    m->g.dq = &m->dq;
    m->g.dk = &m->dk;
    m->g.dv = &m->dv;
    m->g.dparams = m->n_params > 0 ? m->dparams : NULL;
}

bool mixed_make_layer(struct mixed *m, const char *spec, locant_dtype dtype,
                      int64_t B, int64_t T, int64_t S)
{
    locant_encoding *given = test_create(spec), *whole;

    CHECK_OK(locant_encoding_resolve(&whole, given, S));
    locant_encoding_free(given);
    *m = (struct mixed){ .dtype = dtype,
                         .mask = LOCANT_MASK_CAUSAL,
                         .B = B,
                         .H = 2,
                         .G = 2,
                         .T = T,
                         .S = S,
                         .D = 8 };
    m->e = locant_encoding_layer_of(NULL, whole, 0, 2);
    if (locant_encoding_traits(m->e) & LOCANT_TRAIT_READS_X)
        m->W = 16;
    if (locant_encoding_length_limit(m->e) < S ||
        (locant_encoding_doors(m->e) & ~LOCANT_DOOR_INPUT) == 0) {
        locant_encoding_free(whole);
        return false;
    }
    mixed_make(m);
    m->made = whole;
    return true;
}

void mixed_options(struct mixed *m, int64_t window)
{
    m->sinks = test_tensor(m->dtype, 1, &m->H);
    m->dsinks = test_tensor(m->dtype, 1, &m->H);
    m->a.window = window;
    m->a.softcap = 1.5;
    m->a.sinks = &m->sinks;
    m->g.dsinks = &m->dsinks;
}

static void add(const locant_tensor *t, int64_t by)
{
    for (size_t i = 0; i < mixed_size(t); i++)
        ((int64_t *)t->data)[i] += by;
}

void mixed_shift(struct mixed *m, int64_t by)
{
    add(&m->q_pos, by);
    add(&m->k_pos, by);
}

void mixed_cut(locant_tensor *t, int axis, int64_t first, int64_t end)
{
    if (t->data == NULL)
        return;
    t->data = (char *)t->data +
              first * t->stride[axis] * (int64_t)locant_dtype_size(t->dtype);
    t->shape[axis] = end - first;
}

void mixed_cut_queries(struct mixed *m, int64_t first, int64_t end)
{
    mixed_cut(&m->q, 2, first, end);
    mixed_cut(&m->out, 2, first, end);
    mixed_cut(&m->lse, 2, first, end);
    mixed_cut(&m->dout, 2, first, end);
    mixed_cut(&m->dq, 2, first, end);
    mixed_cut(&m->q_pos, 1, first, end);
    mixed_cut(&m->q_docs, 1, first, end);
    m->T = end - first;
    m->a.q = &m->q;
    m->a.q_pos = m->a.q_pos != NULL ? &m->q_pos : NULL;
    m->a.q_docs = m->a.q_docs != NULL ? &m->q_docs : NULL;
    m->g.dq = &m->dq;
}

void mixed_free(struct mixed *m)
{
    locant_tensor *all[] = { &m->q,        &m->k,      &m->v,      &m->x,
                             &m->dout,     &m->out,    &m->lse,    &m->dq,
                             &m->dk,       &m->dv,     &m->dx,     &m->q_pos,
                             &m->k_pos,    &m->q_docs, &m->k_docs, &m->q_coords,
                             &m->k_coords, &m->sinks,  &m->dsinks };

    for (size_t i = 0; i < LEN(all); i++)
        if (all[i]->data != NULL)
            test_tensor_free(all[i]);
    for (int i = 0; i < m->n_params; i++) {
        test_tensor_free(&m->params[i]);
        test_tensor_free(&m->dparams[i]);
    }
    locant_encoding_free(m->made);
}

/* ----------------------------------------------------------------- running */

/* What mixed_cut() leaves out of a tensor stays as it is. */
static void fill(const locant_tensor *t, int byte)
{
    const size_t size = locant_dtype_size(t->dtype);

    for (size_t i = 0; i < mixed_size(t); i++)
        memset((char *)t->data + oracle_offset(t, i) * (int64_t)size, byte,
               size);
}

void mixed_forget(struct mixed *m)
{
    const locant_tensor *all[] = { &m->out, &m->lse, &m->dq,
                                   &m->dk,  &m->dv,  &m->dx };

    for (size_t i = 0; i < LEN(all); i++)
        fill(all[i], 0xff); /* NaN of any type */
    fill(&m->dsinks, 0);
    for (int i = 0; i < m->n_params; i++)
        fill(&m->dparams[i], 0);
}

void mixed_run(struct mixed *m)
{
    mixed_forget(m);
    test_forward(&m->out, &m->lse, &m->a);
    test_backward(&m->g, &m->dout, &m->out, &m->lse, &m->a);
}

void mixed_run_part(struct mixed *m, int64_t from, int64_t n)
{
    locant_tensor *all[] = { &m->q, &m->out, &m->lse, &m->q_pos,
                             &m->k, &m->v,   &m->x,   &m->k_pos };
    locant_tensor keep[LEN(all)];

    for (size_t i = 0; i < LEN(all); i++) {
        int axis = all[i]->rank == 2 || i == 6 ? 1 : 2;
        int64_t begin = i < 4 ? from - (m->S - m->T) : 0;

        keep[i] = *all[i];
        mixed_cut(all[i], axis, begin, i < 4 ? begin + n - from : n);
    }
    test_forward(&m->out, &m->lse, &m->a);
    for (size_t i = 0; i < LEN(all); i++)
        *all[i] = keep[i];
}

/* mixed_run() by the public reference. */
static void run_reference(struct mixed *m)
{
    mixed_forget(m);
    CHECK_OK(locant_attention_reference(&m->out, &m->lse, &m->a));
    CHECK_OK(locant_attention_reference_backward(&m->g, &m->dout, &m->out,
                                                 &m->lse, &m->a));
}

/* ----------------------------------------------------------------- results */

enum { FIXED = 7, TENSORS = FIXED + MIXED_PARAMS };

static const locant_tensor *result(const struct mixed *m, int i)
{
    const locant_tensor *fixed[] = { &m->out, &m->lse, &m->dq,    &m->dk,
                                     &m->dv,  &m->dx,  &m->dsinks };

    return i < FIXED ? fixed[i] : &m->dparams[i - FIXED];
}

size_t mixed_count(const struct mixed *m)
{
    size_t n = 0;

    for (int i = 0; i < TENSORS; i++)
        n += mixed_size(result(m, i));
    return n;
}

double *mixed_results(const struct mixed *m)
{
    double *out = malloc((mixed_count(m) + 1) * sizeof(*out)), *to = out;

    assert_non_null(out);
    for (int i = 0; i < TENSORS; i++)
        for (size_t n = 0; n < mixed_size(result(m, i)); n++)
            *to++ = oracle_get(result(m, i), n);
    return out;
}

/*
 * Tensor i of both, as far apart as 'tolerance' of its length and 'least';
 * -infinity equals itself.
 */
static void near_tensor(const char *what, int i, const double *got,
                        const double *want, size_t n, double tolerance,
                        double least)
{
    static const char *const names[] = { "out", "lse", "dq",    "dk",
                                         "dv",  "dx",  "dsinks" };
    double error = 0, size = 0;

    for (size_t k = 0; k < n; k++) {
        if (got[k] == want[k])
            continue;
        error += (got[k] - want[k]) * (got[k] - want[k]);
    }
    for (size_t k = 0; k < n; k++)
        size += isfinite(want[k]) ? want[k] * want[k] : 0;
    if (!(sqrt(error) <= tolerance * sqrt(size) + least))
        FAIL("%s: %s %d: error %.3g of %.3g\n", what,
             i < FIXED ? names[i] : "parameter", i < FIXED ? 0 : i - FIXED,
             sqrt(error), sqrt(size));
}

/* || a - b || <= tolerance * || b || for each tensor of results on its own,
 * ten times that for gradients. */
static void near(const struct mixed *m, const char *what, const double *got,
                 const double *want, double tolerance)
{
    for (int i = 0; i < TENSORS; i++) {
        size_t n = mixed_size(result(m, i));

        /*
         * Gradients are sums of many terms of both signs; those of parameters,
         * and of sinks, may cancel altogether, and are as good as one term for
         * each row of scores, whose gradients are below 1 in sum.
         */
        double rows = (double)(m->B * m->H * m->T);

        near_tensor(what, i, got, want, n, i < 2 ? tolerance : 10 * tolerance,
                    i < FIXED - 1 ? 0 : tolerance / 10 * rows);
        got += n;
        want += n;
    }
}

void mixed_judge_fast(struct mixed *m)
{
    const char *what = m->spec != NULL ? m->spec : "encoding";
    double *fast, *plain, unit = m->dtype == LOCANT_F64 ? 1e-14 : 1e-6;
    double top = 0;

    mixed_run(m);
    fast = mixed_results(m);
    run_reference(m);
    plain = mixed_results(m);
    for (size_t i = 0; i < mixed_size(&m->lse); i++)
        if (isfinite(oracle_get(&m->lse, i)))
            top = fmax(top, fabs(oracle_get(&m->lse, i)));
    near(m, what, fast, plain, unit * (1 + top / 8));
    free(fast);
    free(plain);
}

/* ------------------------------------------------------------- differences */

/* Every input that has a gradient, and its gradient. */
static int inputs(const struct mixed *m, const locant_tensor *in[],
                  const locant_tensor *d[])
{
    const locant_tensor *fixed[] = { &m->q, &m->k, &m->v, &m->x };
    const locant_tensor *grads[] = { &m->dq, &m->dk, &m->dv, &m->dx };
    int n = 0;

    for (int i = 0; i < 4; i++) {
        in[n] = fixed[i];
        d[n++] = grads[i];
    }
    for (int i = 0; i < m->n_params; i++) {
        locant_param_info info;

        CHECK(locant_encoding_param(&info, m->e, i, NULL));
        if (info.rate == 0)
            continue; /* given, not learned */
        in[n] = &m->params[i];
        d[n++] = &m->dparams[i];
    }
    return n;
}

static void step(const locant_tensor *x, const double *way, double h)
{
    for (size_t i = 0; i < mixed_size(x); i++)
        oracle_put(x, i, oracle_get(x, i) + h * way[i]);
}

static double loss(struct mixed *m)
{
    double sum = 0;

    CHECK_OK(locant_attention_reference(&m->out, &m->lse, &m->a));
    for (size_t i = 0; i < mixed_size(&m->out); i++)
        sum += oracle_get(&m->out, i) * oracle_get(&m->dout, i);
    return sum;
}

enum { DIRECTIONS = TEST_SANITIZED ? 1 : 3 };

/* One input along a random direction. */
static void differ(struct mixed *m, int which, const locant_tensor *in,
                   const locant_tensor *d)
{
    const double h = 0x1p-17;
    size_t n = mixed_size(in);
    double *way = malloc((n + 1) * sizeof(*way)), slope = 0, size = 0, up, down;

    assert_non_null(way);
    for (size_t i = 0; i < n; i++) {
        way[i] = test_uniform();
        slope += way[i] * oracle_get(d, i);
        size += fabs(way[i] * oracle_get(d, i));
    }
    step(in, way, h);
    up = loss(m);
    step(in, way, -2 * h);
    down = loss(m);
    step(in, way, h);
    if (!(fabs((up - down) / (2 * h) - slope) <= 1e-7 * (size + 1e-2)))
        FAIL("%s: input %d: slope %.12g, difference %.12g\n",
             m->spec != NULL ? m->spec : "encoding", which, slope,
             (up - down) / (2 * h));
    free(way);
}

void mixed_judge_differences(struct mixed *m)
{
    const locant_tensor *in[4 + MIXED_PARAMS], *d[4 + MIXED_PARAMS];
    int n = inputs(m, in, d);

    CHECK(m->dtype == LOCANT_F64);
    run_reference(m);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < DIRECTIONS && mixed_size(in[i]) > 0; k++)
            differ(m, i, in[i], d[i]);
}

void mixed_judge_threads(struct mixed *m)
{
    static const int threads[] = { 1, 2, 3, 7 };
    double *want = NULL;

    for (size_t n = 0; n < LEN(threads); n++) {
        double *got;

        CHECK_OK(locant_set_threads(threads[n]));
        mixed_run(m);
        got = mixed_results(m);
        if (want != NULL &&
            memcmp(got, want, mixed_count(m) * sizeof(*got)) != 0)
            FAIL("%s: %d threads differ\n", m->spec ? m->spec : "a sum",
                 threads[n]);
        free(want);
        want = got;
    }
    free(want);
    CHECK_OK(locant_set_threads(0));
}
