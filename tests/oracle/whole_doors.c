/* whole_doors.c - table and bias of the public API against whole oracles. */
#include "whole_doors.h"
#include "judge.h"
#include "attend.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Half a unit in the last place, and what a chain of operations in double
 * loses: ten bits. */
double whole_rounding(const locant_tensor *t, double want, double largest)
{
    double own = 0x1p-43 * (1 + largest);

    switch (t->dtype) {
    case LOCANT_F32:
        return 0x1.01p-24 * fabs(want) + own;
    case LOCANT_F16: /* subnormal below 2^-14 */
        return 0x1.01p-11 * fabs(want) + 0x1p-25 + own;
    case LOCANT_BF16:
        return 0x1.01p-8 * fabs(want) + own;
    default:
        return own;
    }
}

locant_tensor whole_ints(const struct whole_case *c, int64_t n)
{
    locant_tensor t = test_tensor(LOCANT_I64, 1, &n);

    for (int64_t i = 0; i < n; i++)
        ((int64_t *)t.data)[i] = test_range(c->low, c->high);
    test_guarded_readonly(t.data, (size_t)n * sizeof(int64_t));
    return t;
}

locant_tensor whole_reals(const struct whole_case *c, int64_t n)
{
    int64_t shape[2] = { n, c->axes };
    int rank = c->axes > 1 || test_rand() % 2 ? 2 : 1;
    locant_tensor t = test_tensor(LOCANT_F64, rank, shape);

    for (size_t i = 0; i < attend_count(&t); i++)
        ((double *)t.data)[i] *= 9;
    return t;
}

/* ------------------------------------------------------------- input door */

struct table {
    struct whole_case c;
    int64_t N;
    locant_tensor pos, out, dout;
    int64_t *ids;    /* what the oracle reads as positions */
    double *coords;  /* or as coordinates */
};

/* Row n, channel d. */
static cx entry(struct table *t, int64_t n, int64_t d)
{
    struct whole w = t->c.w;

    w.B = w.T = 1;
    w.q_pos = t->ids + n;
    w.q_coords = t->coords != NULL ? t->coords + n * t->c.axes : NULL;
    return t->c.o->entry(&w, t->coords != NULL ? *w.q_coords
                                               : (double)t->ids[n], d);
}

static cx table_sum(void *context)
{
    struct table *t = context;
    cx sum = 0;

    for (int64_t i = 0; i < t->N * t->c.w.W; i++)
        sum += attend_get(&t->dout, (size_t)i) *
               entry(t, i / t->c.w.W, i % t->c.w.W);
    return sum;
}

static void table_make(struct table *t, locant_dtype dtype, int real)
{
    locant_sizes known = { .width = t->c.w.W };
    int64_t shape[2];

    t->N = test_range(0, 6);
    shape[0] = t->N;
    shape[1] = t->c.w.W;
    whole_params_make(&t->c, &known);
    t->pos = real ? whole_reals(&t->c, t->N) : whole_ints(&t->c, t->N);
    t->ids = calloc((size_t)t->N + 1, sizeof(*t->ids));
    assert_non_null(t->ids);
    if (real)
        t->coords = t->pos.data;
    else
        memcpy(t->ids, t->pos.data, (size_t)t->N * sizeof(*t->ids));
    t->out = test_tensor(dtype, 2, shape);
    t->dout = test_tensor(dtype, 2, shape);
}

static void table_drop(struct table *t)
{
    test_tensor_free(&t->pos);
    test_tensor_free(&t->out);
    test_tensor_free(&t->dout);
    free(t->ids);
    whole_case_close(&t->c);
}

static void table_check(struct table *t)
{
    for (int64_t i = 0; i < t->N * t->c.w.W; i++) {
        double want = creal(entry(t, i / t->c.w.W, i % t->c.w.W));

        whole_near(&t->c, "channel", (size_t)i,
                   attend_get(&t->out, (size_t)i), want,
                   whole_rounding(&t->out, want, fabs(want)));
    }
    if (t->c.params == 0)
        return;
    CHECK_OK(locant_encoding_table_backward(t->c.grad, &t->dout, t->c.e,
                                            &t->pos, t->c.value));
    /* Row after row is added. */
    whole_params_check(&t->c, table_sum, t, 1e-12, 6);
}

/* Fractions are understood where the oracle says so, and refused elsewhere. */
static void one_table(const struct whole_oracle *o, int i, int round)
{
    struct table t = { .N = 0 };
    int real = round % 4 == 3;
    locant_status got;

    CHECK(whole_case_open(&t.c, o, i, 0));
    if (!real && t.c.traits & LOCANT_TRAIT_REAL)
        real = round % 2;
    table_make(&t, round % 2 ? LOCANT_F32 : LOCANT_F64, real);
    got = locant_encoding_table(&t.out, t.c.e, &t.pos,
                                whole_params_in(&t.c));
    if (real && !o->real) {
        CHECK(got == LOCANT_ERR_DTYPE || got == LOCANT_ERR_UNSUPPORTED ||
              got == LOCANT_ERR_SHAPE);
    } else {
        CHECK_OK(got);
        table_check(&t);
    }
    table_drop(&t);
}

/* -------------------------------------------------------------- score door */

struct score {
    struct whole_case c;
    locant_tensor q_pos, k_pos, out, dout;
};

static int asked(const struct score *s, int64_t i, int64_t j)
{
    const struct whole *w = &s->c.w;

    return !(s->c.traits & LOCANT_TRAIT_CAUSAL) || w->k_pos[j] <= w->q_pos[i];
}

static cx bias_at(const struct score *s, int64_t at)
{
    const struct whole *w = &s->c.w;

    return s->c.o->bias(w, 0, at / (w->T * w->S), at / w->S % w->T,
                        at % w->S);
}

static cx score_sum(void *context)
{
    struct score *s = context;
    const struct whole *w = &s->c.w;
    cx sum = 0;

    for (int64_t at = 0; at < w->H * w->T * w->S; at++)
        if (asked(s, at / w->S % w->T, at % w->S))
            sum += attend_get(&s->dout, (size_t)at) * bias_at(s, at);
    return sum;
}

static void score_make(struct score *s, locant_dtype dtype)
{
    struct whole *w = &s->c.w;
    locant_sizes known;
    int64_t shape[3];

    w->B = 1;
    w->H = w->G = test_range(1, 13);
    w->T = test_range(1, 6);
    w->S = test_range(1, 9);
    w->D = w->W = 0;
    w->scale = 1; /* unknown here: a bias inside of the scale comes bare */
    known = (locant_sizes){ .heads = w->H, .kv_heads = w->H };
    whole_params_make(&s->c, &known);
    s->q_pos = whole_ints(&s->c, w->T);
    s->k_pos = whole_ints(&s->c, w->S);
    w->q_pos = s->q_pos.data;
    w->k_pos = s->k_pos.data;
    memcpy(shape, (int64_t[]){ w->H, w->T, w->S }, sizeof(shape));
    s->out = test_tensor(dtype, 3, shape);
    s->dout = test_tensor(dtype, 3, shape);
    for (int64_t at = 0; at < w->H * w->T * w->S; at++) {
        if (asked(s, at / w->S % w->T, at % w->S))
            continue;
        if (dtype == LOCANT_F64)
            ((double *)s->dout.data)[at] = 0;
        else
            ((float *)s->dout.data)[at] = 0;
    }
}

static void score_drop(struct score *s)
{
    test_tensor_free(&s->q_pos);
    test_tensor_free(&s->k_pos);
    test_tensor_free(&s->out);
    test_tensor_free(&s->dout);
    whole_case_close(&s->c);
}

/* Entries nobody asks about are finite all the same. */
static void one_bias(const struct whole_oracle *o, int i, int round)
{
    struct score s;
    const struct whole *w = &s.c.w;

    CHECK(whole_case_open(&s.c, o, i, 0));
    score_make(&s, round % 2 ? LOCANT_F32 : LOCANT_F64);
    CHECK_OK(locant_encoding_bias(&s.out, s.c.e, &s.q_pos, &s.k_pos,
                                  whole_params_in(&s.c)));
    for (int64_t at = 0; at < w->H * w->T * w->S; at++) {
        double got = attend_get(&s.out, (size_t)at), want;

        CHECK(isfinite(got));
        if (!asked(&s, at / w->S % w->T, at % w->S))
            continue;
        want = creal(bias_at(&s, at));
        /* A sum of up to 64 cosines, each to 2^-43, times 1.6 at most. */
        whole_near(&s.c, "bias", (size_t)at, got, want,
                   whole_rounding(&s.out, want, fabs(want) + 64));
    }
    if (s.c.params > 0) {
        CHECK_OK(locant_encoding_bias_backward(s.c.grad, &s.dout, s.c.e,
                                               &s.q_pos, &s.k_pos,
                                               s.c.value));
        whole_params_check(&s.c, score_sum, &s, 1e-11, 1);
    }
    score_drop(&s);
}

/* -------------------------------------------------------------- all of them */

/* A door the encoding lacks refuses; without any, the bias is 0. */
static void shut_doors(const struct whole_oracle *o, int i)
{
    struct whole_case c;
    int64_t shape[3] = { 2, 2, 4 }, two = 2, ids[2] = { 0, 1 };
    double data[16] = { 5 }, x[16] = { 0 };
    locant_tensor out = locant_dense(data, LOCANT_F64, 3, shape);
    locant_tensor row = locant_dense(data, LOCANT_F64, 2, shape);
    locant_tensor in = locant_dense(x, LOCANT_F64, 3, shape);
    locant_tensor pos = locant_dense(ids, LOCANT_I64, 1, &two), bias = out;
    unsigned doors;

    CHECK(whole_case_open(&c, o, i, 0));
    doors = locant_encoding_doors(c.e);
    bias.shape[2] = 2;
    if (!(doors & LOCANT_DOOR_INPUT))
        CHECK(locant_encoding_table(&row, c.e, &pos, NULL) ==
              LOCANT_ERR_UNSUPPORTED);
    if (!(doors & LOCANT_DOOR_ROTATE))
        CHECK(locant_encoding_rotate(&out, &in, c.e, &pos, NULL, 0) ==
              LOCANT_ERR_UNSUPPORTED);
    if (doors != 0 && !(doors & LOCANT_DOOR_SCORE))
        CHECK(locant_encoding_bias(&bias, c.e, &pos, &pos, NULL) ==
              LOCANT_ERR_UNSUPPORTED);
    CHECK(data[0] == 5);
    whole_case_close(&c);
}

/* Initial values are finite and where projection would leave them. */
static void initial_values(const struct whole_oracle *o, int i)
{
    locant_sizes known = { 24, 2, 2, 8 };
    struct whole_case c;

    CHECK(whole_case_open(&c, o, i, 0));
    known.head_dim = c.w.D;
    known.width = c.doors & LOCANT_DOOR_INPUT ? c.w.W : 2 * c.w.D;
    whole_params_make(&c, &known);
    for (int k = 0; k < c.params; k++) {
        locant_tensor *t = &c.grad[k];
        size_t bytes;
        char *before;

        CHECK_OK(locant_encoding_param_init(t, c.e, k, test_rand()));
        before = attend_bytes(t, &bytes);
        for (size_t n = 0; n < c.p[k].size; n++)
            CHECK(isfinite(oracle_get(t, n)));
        CHECK_OK(locant_encoding_param_project(t, c.e, k));
        CHECK(memcmp(before, t->data, bytes) == 0);
        free(before);
    }
    whole_case_close(&c);
}

void whole_judge_doors(const struct whole_oracle *o, int usual)
{
    int cases = judge_cases(usual);
    struct whole_case c;

    for (int i = 0; whole_case_open(&c, o, i, 0); i++) {
        unsigned doors = locant_encoding_doors(c.e);

        whole_case_close(&c);
        shut_doors(o, i);
        initial_values(o, i);
        for (int round = 0; round < cases; round++) {
            if (doors & LOCANT_DOOR_INPUT && o->entry != NULL)
                one_table(o, i, round);
            if (doors & LOCANT_DOOR_ROTATE && o->turned != NULL)
                whole_judge_turn(o, i, round);
            if (doors & LOCANT_DOOR_SCORE && o->bias != NULL)
                one_bias(o, i, round);
        }
    }
}
