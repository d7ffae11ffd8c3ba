/* attend.c - see attend.h */
#include "attend.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t offset(const locant_tensor *t, size_t i)
{
    int64_t at = 0, rest = (int64_t)i;

    for (int r = t->rank - 1; r >= 0; r--) {
        at += rest % t->shape[r] * t->stride[r];
        rest /= t->shape[r];
    }
    return at;
}

void *attend_bytes(const locant_tensor *t, size_t *bytes)
{
    size_t n = oracle_count(t), size = locant_dtype_size(t->dtype);
    char *out = malloc(n * size + 1);

    assert_non_null(out);
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * size,
               (const char *)t->data + (size_t)offset(t, i) * size, size);
    *bytes = n * size;
    return out;
}

static const char *const specs[][7] = {
    { "alibi", "alibi", "alibi(symmetric=yes)" },
    { "kerple", "kerple(kind=log)", "kerple(kind=power)" },
    { "learned", "learned(length=200)", "learned(length=37)" },
    { "none", "none" },
    { "rope", "rope", "rope(pairing=interleaved)", "rope(base=128)",
      "rope(base=500000,pairing=interleaved,dim=%d)", "rope(dim=%d)" },
    { "sinusoidal", "sinusoidal", "sinusoidal(base=100,form=split)" },
    { "t5", "t5", "t5(bidirectional=yes)", "t5(buckets=8,distance=20)",
      "t5(buckets=12,distance=50,bidirectional=yes)", "t5(buckets=31)",
      "t5(buckets=30,distance=90,bidirectional=yes)" },
};

const struct oracle *attend_oracle(int i)
{
    return i < (int)LEN(specs) ? oracle_of(specs[i][0]) : NULL;
}

/* Where the spec names rotated channels: half of those there are. */
int attend_choose(struct attend *t, int i)
{
    const char *spec, *hole;
    size_t row = 0;

    while (strcmp(specs[row][0], t->o->name) != 0)
        row++;
    spec = i + 1 < (int)LEN(specs[row]) ? specs[row][i + 1] : NULL;
    if (spec == NULL)
        return 0;
    hole = strchr(spec, '%');
    if (hole == NULL)
        snprintf(t->spec, sizeof(t->spec), "%s", spec);
    else
        snprintf(t->spec, sizeof(t->spec), "%.*s%d)", (int)(hole - spec), spec,
                 (int)(t->D >= 4 ? t->D / 4 * 2 : 2));
    return 1;
}

void attend_sizes(struct attend *t, int64_t most)
{
    static const int64_t tokens[] = {
        1, 2, 7, 31, 32, 33, 63, 64, 65, 100, 130
    };
    static const int64_t channels[] = { 1, 2, 8, 16, 17, 32, 64, 80, 128 };

    t->B = test_range(1, 2);
    t->G = test_range(1, 2);
    t->H = t->G * test_range(1, 4);
    do {
        t->T = tokens[test_rand() % LEN(tokens)];
        t->S = tokens[test_rand() % LEN(tokens)];
    } while (t->T > most || t->S > most);
    t->D = channels[test_rand() % LEN(channels)];
    if (t->o->rotated != NULL && t->D % 2)
        t->D += t->D == 1 ? 1 : 3;
}

/* [B,H,T,D], in memory so or as [B,T,H,D], with some deviation. */
static locant_tensor vectors(const struct attend *t, int64_t H, int64_t T,
                             double deviation)
{
    int64_t shape[4] = { t->B, H, T, t->D };
    locant_tensor x = test_tensor(t->dtype, 4, shape);

    for (size_t i = 0; i < oracle_count(&x); i++) {
        double y = deviation * test_normal();

        if (t->dtype == LOCANT_F64)
            ((double *)x.data)[i] = y;
        else
            ((float *)x.data)[i] = (float)y;
    }
    if (test_rand() % 2) {
        x.stride[0] = T * H * t->D;
        x.stride[1] = t->D;
        x.stride[2] = H * t->D;
    }
    return x;
}

static double *dense(const locant_tensor *x)
{
    size_t n = oracle_count(x);
    double *out = calloc(n + 1, sizeof(*out));

    assert_non_null(out);
    for (size_t i = 0; i < n; i++)
        out[i] = oracle_get(x, i);
    return out;
}

static void shuffle(int64_t *x, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = test_range(0, i), keep = x[i];

        x[i] = x[j];
        x[j] = keep;
    }
}

/* One batch row of positions: queries at the end of the keys. */
static void place(const struct attend *t, int64_t b, int64_t base)
{
    int64_t *qp = t->qp + b * t->T, *kp = t->kp + b * t->S, pads;

    for (int64_t j = 0; j < t->S; j++)
        kp[j] = t->kind == ATTEND_SCATTERED ? test_range(0, 1 << 17) : base + j;
    for (int64_t i = 0; i < t->T; i++)
        qp[i] = t->kind == ATTEND_SCATTERED ? test_range(0, 1 << 17)
                                            : base + t->S - t->T + i;
    if (t->kind == ATTEND_PERMUTED) {
        shuffle(kp, t->S);
        shuffle(qp, t->T);
    }
    if (t->kind != ATTEND_PADDED)
        return;
    pads = test_range(0, t->S - 1);
    for (int64_t j = 0; j < t->S; j++)
        kp[j] = j < pads ? 1 : j - pads;
    for (int64_t i = 0; i < t->T; i++)
        qp[i] = t->S - t->T + i < pads ? 1 : t->S - t->T + i - pads;
}

static void place_all(struct attend *t)
{
    int64_t base =
        t->kind == ATTEND_OFFSET ? test_range(-(1 << 20), 1 << 30) : 0;

    t->qp = calloc((size_t)(t->B * t->T), sizeof(int64_t));
    t->kp = calloc((size_t)(t->B * t->S), sizeof(int64_t));
    assert_non_null(t->qp);
    assert_non_null(t->kp);
    for (int64_t b = 0; b < t->B; b++) {
        if (t->kind == ATTEND_PERMUTED)
            base = test_range(-70, 70);
        if (t->kind == ATTEND_FAR)
            base = b % 2 ? INT32_MIN - 5LL : INT32_MAX - 5LL;
        place(t, b, base);
    }
}

/*
 * Positions for the library: one row each, or one row for all where the rows
 * agree; what is the default may be left out, of either side.
 */
static void hand_over_positions(struct attend *t)
{
    int64_t shape[2] = { t->B, t->T };
    int shared = t->kind == ATTEND_OFFSET || t->kind == ATTEND_DEFAULT;
    int q_rank = shared && test_rand() % 2 ? 1 : 2;
    int k_rank = shared && test_rand() % 2 ? 1 : 2;

    t->q_pos = locant_dense(t->qp, LOCANT_I64, q_rank, shape + 2 - q_rank);
    shape[1] = t->S;
    t->k_pos = locant_dense(t->kp, LOCANT_I64, k_rank, shape + 2 - k_rank);
    if (t->kind != ATTEND_DEFAULT || test_rand() % 3 == 0)
        t->a.q_pos = &t->q_pos;
    if (t->kind != ATTEND_DEFAULT || test_rand() % 3 == 0)
        t->a.k_pos = &t->k_pos;
}

/* One query at q and one key at k, as the oracle wants to see them. */
static struct oracle_call call_of(const struct attend *t, const int64_t *q,
                                  const int64_t *k)
{
    struct oracle_call w = { .spec = t->spec,
                             .B = 1,
                             .H = t->H,
                             .G = t->G,
                             .T = 1,
                             .S = 1,
                             .D = t->D,
                             .q_pos = q,
                             .k_pos = k,
                             .scale = 1 };

    for (int n = 0; n < t->p.n; n++)
        w.param[n] = t->p.x[n];
    return w;
}

/*
 * R(pos), remembered since it is asked for once a head: channel d of R x is
 * own[d] x[d] + other[d] x[mate[d]].
 */
enum { MAPS = 1021, CHANNELS = 160 };

struct map {
    int64_t pos;
    int made;
    double own[CHANNELS], other[CHANNELS];
    int mate[CHANNELS];
};
static struct map maps[MAPS];

/* Channel d of R x for x = 'own' in channel d and a + b j in channels j. */
static double probe(const struct attend *t, const struct oracle_call *w,
                    int64_t d, double own, double a, double b)
{
    cx x[CHANNELS];

    for (int64_t j = 0; j < t->D; j++)
        x[j] = j == d ? own : a + b * (double)j;
    return creal(t->o->rotated(w, 0, 0, 0, 0, x, d));
}

static const struct map *map_of(const struct attend *t, int64_t pos)
{
    struct oracle_call w = call_of(t, &pos, &pos);
    struct map *m = &maps[(uint64_t)pos % MAPS];

    assert_true(t->D <= CHANNELS);
    if (m->made && m->pos == pos)
        return m;
    m->pos = pos;
    m->made = 1;
    for (int64_t d = 0; d < t->D; d++) {
        m->own[d] = probe(t, &w, d, 1, 0, 0);
        m->other[d] = probe(t, &w, d, 0, 1, 0);
        m->mate[d] = m->other[d] == 0
                         ? (int)d
                         : (int)lround(probe(t, &w, d, 0, 0, 1) / m->other[d]);
    }
    return m;
}

static void rotate(double *out, const double *x, int64_t pos, void *context)
{
    const struct attend *t = context;
    const struct map *m = map_of(t, pos);

    for (int64_t d = 0; d < t->D; d++)
        out[d] = m->own[d] * x[d] +
                 (m->mate[d] == d ? 0 : m->other[d] * x[m->mate[d]]);
}

static double bias(int64_t h, int64_t q, int64_t k, void *context)
{
    const struct attend *t = context;
    struct oracle_call w = call_of(t, &q, &k);

    return creal(t->o->bias(&w, 0, h, 0, 0));
}

/*
 * A bias of these encodings reads one entry of each parameter.  Moving all
 * entries by the same step gives its derivative; moving entry e by e + 1 steps
 * tells which one it is.
 */
static void bias_backward(int64_t h, int64_t q, int64_t k, double dout,
                          void *context)
{
    struct attend *t = context;
    struct oracle_call w = call_of(t, &q, &k);

    for (int n = 0; n < t->p.n; n++) {
        double slope[2], entry;

        for (int m = 0; m < 2; m++) {
            w.param[n] = t->p.moved[n][m];
            slope[m] = cimag(t->o->bias(&w, 0, h, 0, 0)) / ORACLE_STEP;
        }
        w.param[n] = t->p.x[n];
        if (slope[0] == 0)
            continue;
        entry = slope[1] / slope[0] - 1;
        CHECK(fabs(entry - nearbyint(entry)) < 1e-6);
        t->p.dx[n][(size_t)nearbyint(entry)] += dout * slope[0];
    }
}

static void make_params(struct attend *t)
{
    locant_sizes sizes = {
        .width = t->H * t->D, .heads = t->H, .kv_heads = t->G, .head_dim = t->D
    };

    t->drawn = (struct drawn){ .o = t->o, .spec = t->spec, .e = t->e };
    draw_params(&t->drawn, t->dtype, &sizes);
    t->p.n = t->drawn.params;
    for (int n = 0; n < t->p.n; n++) {
        size_t size = oracle_count(&t->drawn.param[n]);

        t->p.size[n] = size;
        t->p.value[n] = t->drawn.param[n];
        t->p.grad[n] = t->drawn.grad[n];
        t->p.dx[n] = calloc(size + 1, sizeof(double));
        t->p.x[n] = calloc(3 * size + 1, sizeof(cx));
        assert_non_null(t->p.dx[n]);
        assert_non_null(t->p.x[n]);
        t->p.moved[n][0] = t->p.x[n] + size;
        t->p.moved[n][1] = t->p.x[n] + 2 * size;
        for (size_t i = 0; i < size; i++) {
            double x = oracle_get(&t->p.value[n], i);

            t->p.x[n][i] = x;
            t->p.moved[n][0][i] = x + ORACLE_STEP * I;
            t->p.moved[n][1][i] = x + (double)(i + 1) * ORACLE_STEP * I;
        }
    }
}

static void make_oracle(struct attend *t, locant_mask mask)
{
    size_t nq = oracle_count(&t->q), nk = oracle_count(&t->k);

    t->in[0] = dense(&t->q);
    t->in[1] = dense(&t->k);
    t->in[2] = dense(&t->v);
    t->in[3] = dense(&t->dout);
    t->want_out = calloc(nq + 1, sizeof(double));
    t->want_dq = calloc(nq + 1, sizeof(double));
    t->want_lse = calloc(nq + 1, sizeof(double));
    t->want_dk = calloc(nk + 1, sizeof(double));
    t->want_dv = calloc(nk + 1, sizeof(double));
    t->oracle = (struct oracle_attention){
        .B = t->B,
        .H = t->H,
        .G = t->G,
        .T = t->T,
        .S = t->S,
        .D = t->D,
        .q = t->in[0],
        .k = t->in[1],
        .v = t->in[2],
        .q_pos = t->qp,
        .k_pos = t->kp,
        .causal = mask == LOCANT_MASK_CAUSAL,
        .scale = 1 / sqrt((double)t->D),
        .context = t,
        .rotate = t->o->rotated ? rotate : NULL,
        .bias = t->o->bias ? bias : NULL,
        .bias_backward = t->o->bias ? bias_backward : NULL,
    };
}

/* Pages of 1 to 40 tokens, of documents 0, 1 or nobody's. */
static int64_t *documents(const struct attend *t, int64_t tokens)
{
    int64_t *docs = calloc((size_t)(t->B * tokens), sizeof(*docs));
    int64_t left = 0, doc = 0;

    assert_non_null(docs);
    for (int64_t i = 0; i < t->B * tokens; i++, left--) {
        if (left == 0) {
            left = test_range(1, 40);
            doc = test_range(-1, 3) / 2;
            doc = test_rand() % 6 ? doc : -1;
        }
        docs[i] = doc;
    }
    return docs;
}

static void make_dense(struct attend *t)
{
    const int64_t size[4] = { t->B, t->H, t->T, t->S };
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F16, LOCANT_BF16,
                                           LOCANT_F64 };

    if (t->options & ATTEND_BIAS) {
        dense_bias(&t->dense, size,
                   dtypes[test_rand() % (t->dtype == LOCANT_F64 ? 4 : 3)],
                   test_rand() % 16);
        t->a.bias = &t->dense.bias;
        t->g.dbias = &t->dense.dbias;
        t->oracle.dense = t->dense.full;
        t->oracle.ddense = t->dense.want;
    }
    if (t->options & ATTEND_VISIBLE) {
        dense_visible(&t->dense, size, test_rand() % 16);
        t->a.visible = &t->dense.visible;
        t->oracle.shown = t->dense.shown;
    }
}

static void make_options(struct attend *t)
{
    static const int64_t windows[] = { 1, 2, 20, 63, 64, 65, 100, INT64_MAX };
    static const double caps[] = { 0.5, 3, 50 };

    t->sinks = test_tensor(t->dtype, 1, &t->H);
    t->dsinks = test_tensor(t->dtype, 1, &t->H);
    memset(t->dsinks.data, 0, (size_t)t->H * locant_dtype_size(t->dtype));
    for (int64_t h = 0; h < t->H; h++) {
        double x = t->sharp * (double)test_range(-2, 5);

        if (t->dtype == LOCANT_F64)
            ((double *)t->sinks.data)[h] += x;
        else
            ((float *)t->sinks.data)[h] += (float)x;
    }
    t->in[4] = dense(&t->sinks);
    t->want_dsinks = calloc((size_t)t->H, sizeof(double));
    assert_non_null(t->want_dsinks);
    if (t->options & ATTEND_WINDOW)
        t->a.window = t->oracle.window = windows[test_rand() % LEN(windows)];
    if (t->options & ATTEND_SOFTCAP)
        t->a.softcap = t->oracle.softcap =
            t->sharp * caps[test_rand() % LEN(caps)];
    if (t->options & ATTEND_SINKS) {
        t->a.sinks = &t->sinks;
        t->g.dsinks = &t->dsinks;
        t->oracle.sinks = t->in[4];
    }
    make_dense(t);
    if (!(t->options & ATTEND_DOCUMENTS))
        return;
    t->oracle.q_docs = t->q_doc = documents(t, t->T);
    t->oracle.k_docs = t->k_doc = documents(t, t->S);
    t->q_docs = DENSE(I64, t->q_doc, t->B, t->T);
    t->k_docs = DENSE(I64, t->k_doc, t->B, t->S);
    t->a.q_docs = &t->q_docs;
    t->a.k_docs = &t->k_docs;
}

void attend_make(struct attend *t, locant_mask mask)
{
    int64_t lse[3] = { t->B, t->H, t->T };

    t->e = test_create(t->spec);
    memset(maps, 0, sizeof(maps));
    make_params(t);
    t->q = vectors(t, t->H, t->T, t->sharp);
    t->k = vectors(t, t->G, t->S, 1);
    t->v = vectors(t, t->G, t->S, 1);
    t->dout = vectors(t, t->H, t->T, 1);
    t->out = vectors(t, t->H, t->T, 1);
    t->dq = vectors(t, t->H, t->T, 1);
    t->dk = vectors(t, t->G, t->S, 1);
    t->dv = vectors(t, t->G, t->S, 1);
    t->lse = test_tensor(t->dtype, 3, lse);
    place_all(t);
    t->a = (locant_attention)LOCANT_ATTENTION_INIT;
    t->a.q = &t->q;
    t->a.k = &t->k;
    t->a.v = &t->v;
    t->a.encoding = t->e;
    t->a.params = draw_params_in(&t->drawn);
    t->a.mask = mask;
    hand_over_positions(t);
    t->g = (locant_attention_gradients){ .struct_size = sizeof(t->g),
                                         .dq = &t->dq,
                                         .dk = &t->dk,
                                         .dv = &t->dv,
                                         .dparams = t->p.n ? t->p.grad : NULL };
    make_oracle(t, mask);
    if (t->options != 0)
        make_options(t);
}

void attend_free(struct attend *t)
{
    locant_tensor *all[] = { &t->q,  &t->k,  &t->v,  &t->dout, &t->out,
                             &t->dq, &t->dk, &t->dv, &t->lse };

    for (size_t i = 0; i < LEN(all); i++)
        test_tensor_free(all[i]);
    if (t->options != 0) {
        test_tensor_free(&t->sinks);
        test_tensor_free(&t->dsinks);
    }
    dense_free(&t->dense);
    for (int i = 0; i < 5; i++)
        free(t->in[i]);
    free(t->q_doc);
    free(t->k_doc);
    free(t->want_dsinks);
    free(t->want_out);
    free(t->want_lse);
    free(t->want_dq);
    free(t->want_dk);
    free(t->want_dv);
    free(t->qp);
    free(t->kp);
    for (int n = 0; n < t->drawn.params; n++) {
        free(t->p.dx[n]);
        free(t->p.x[n]);
    }
    draw_free(&t->drawn);
}

void attend_forward(struct attend *t)
{
    test_forward(&t->out, &t->lse, &t->a);
}

void attend_backward(struct attend *t)
{
    test_backward(&t->g, &t->dout, &t->out, &t->lse, &t->a);
}

void attend_oracle_forward(struct attend *t)
{
    oracle_attention_forward(t->want_out, t->want_lse, &t->top, &t->oracle);
}

void attend_oracle_backward(struct attend *t, int gross)
{
    for (int k = 0; k < t->p.n; k++)
        memset(t->p.dx[k], 0, t->p.size[k] * sizeof(double));
    t->oracle.gross = gross;
    oracle_attention_backward(t->want_dq, t->want_dk, t->want_dv,
                              t->want_dsinks, t->in[3], &t->oracle);
    if (t->g.dbias != NULL)
        dense_sum(&t->dense);
    t->oracle.gross = 0;
}
