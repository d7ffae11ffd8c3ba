/*
 * traits_run.h - calls of every door on random inputs of a subject, in double,
 * and positions of every order of magnitude.
 */
#ifndef TRAITS_RUN_H
#define TRAITS_RUN_H

#include "traits_case.h"

enum { RUN_T = 6, RUN_S = 12, RUN_FAR = 1 << 30 };

struct run {
    const struct subject *s;
    int64_t T, S;
    locant_mask mask;
    int with_x;
    int64_t q_pos[RUN_T], k_pos[RUN_S];
    double q[SUBJECT_HEADS * RUN_T * SUBJECT_DIM];
    double k[SUBJECT_HEADS * RUN_S * SUBJECT_DIM];
    double v[SUBJECT_HEADS * RUN_S * SUBJECT_DIM];
    double x[RUN_S * SUBJECT_WIDTH];
    double out[SUBJECT_HEADS * RUN_T * SUBJECT_DIM];
    double lse[SUBJECT_HEADS * RUN_T];
};

/* A number 0 .. max; every order of magnitude is equally likely. */
static inline int64_t run_log(int64_t max)
{
    int bits = 0;

    while (bits < 62 && (int64_t)1 << bits <= max)
        bits++;
    bits = (int)test_range(0, bits);
    return test_range(0, (int64_t)1 << bits > max ? max
                                                  : ((int64_t)1 << bits) - 1);
}

/* The positions of this subject stay below this. */
static inline int64_t run_limit(const struct subject *s)
{
    return s->length_limit < RUN_FAR ? s->length_limit : RUN_FAR;
}

/* Keys below 'limit', consecutive or with gaps; queries at some of them. */
static inline void run_place(struct run *r, int64_t limit)
{
    int64_t gap, at;

    r->S = test_range(1, limit < RUN_S ? limit : RUN_S);
    r->T = test_range(1, RUN_T);
    gap = test_rand() % 2 ? 1 : 1 + run_log(limit / r->S - 1);
    at = run_log(limit - r->S * gap);
    for (int64_t j = 0; j < r->S; j++) {
        r->k_pos[j] = at;
        at += test_range(gap > 1 && j > 0 ? 1 : gap, gap);
    }
    for (int64_t i = 0; i < r->T; i++)
        r->q_pos[i] = r->k_pos[test_range(0, r->S - 1)];
}

static inline void run_normal(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = test_normal();
}

/* Copy the used part of a run, which is faster than all of it. */
static inline void run_copy(struct run *to, const struct run *r)
{
    const struct subject *s = r->s;
    size_t q = (size_t)(s->H * r->T * s->D) * sizeof(double);
    size_t k = (size_t)(s->G * r->S * s->D) * sizeof(double);

    memcpy(to, r, offsetof(struct run, q));
    memcpy(to->q, r->q, q);
    memcpy(to->k, r->k, k);
    memcpy(to->v, r->v, k);
    memcpy(to->x, r->x, (size_t)(r->S * s->W) * sizeof(double));
    memcpy(to->out, r->out, q);
}

static inline void run_draw(struct run *r, const struct subject *s)
{
    r->s = s;
    r->mask = LOCANT_MASK_CAUSAL;
    r->with_x = 1;
    run_place(r, run_limit(s));
    run_normal(r->q, (size_t)(s->H * r->T * s->D));
    run_normal(r->k, (size_t)(s->G * r->S * s->D));
    run_normal(r->v, (size_t)(s->G * r->S * s->D));
    run_normal(r->x, (size_t)(r->S * s->W));
}

/* out, lse = attention of the run. */
static inline locant_status run_attend(struct run *r)
{
    const struct subject *s = r->s;
    const int64_t q[4] = { 1, s->H, r->T, s->D }, x[3] = { 1, r->S, s->W };
    const int64_t k[4] = { 1, s->G, r->S, s->D };
    locant_tensor tq = locant_dense(r->q, LOCANT_F64, 4, q);
    locant_tensor tk = locant_dense(r->k, LOCANT_F64, 4, k);
    locant_tensor tv = locant_dense(r->v, LOCANT_F64, 4, k);
    locant_tensor tx = locant_dense(r->x, LOCANT_F64, 3, x);
    locant_tensor out = locant_dense(r->out, LOCANT_F64, 4, q);
    locant_tensor lse = locant_dense(r->lse, LOCANT_F64, 3, q);
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_status status;
    size_t bytes;
    void *work;

    a.q = &tq;
    a.k = &tk;
    a.v = &tv;
    a.x = r->with_x ? &tx : NULL;
    a.q_pos = VIEW(I64, r->q_pos, r->T);
    a.k_pos = VIEW(I64, r->k_pos, r->S);
    a.encoding = s->e;
    a.params = subject_params(s);
    a.mask = r->mask;
    status = locant_attention_workspace(&bytes, &a);
    if (status != LOCANT_OK)
        return status;
    work = malloc(bytes + 1);
    assert_non_null(work);
    status = locant_attention_forward(&out, &lse, &a, work, bytes);
    free(work);
    return status;
}

static inline void run_ok(struct run *r)
{
    if (run_attend(r) != LOCANT_OK)
        FAIL("%s: %s", r->s->spec, locant_last_error());
}

static inline double run_most(const double *x, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static inline double run_gap(const double *a, const double *b, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = a[i] == b[i] ? most : fmax(most, fabs(a[i] - b[i]));
    return most;
}

static inline size_t run_outputs(const struct run *r)
{
    return (size_t)(r->s->H * r->T * r->s->D);
}

/* Largest difference of what two runs of the same sizes put out. */
static inline double run_apart(const struct run *a, const struct run *b)
{
    return run_gap(a->out, b->out, run_outputs(a));
}

/* Add 'by' to all positions. */
static inline void run_shift(struct run *r, int64_t by)
{
    for (int64_t i = 0; i < r->T; i++)
        r->q_pos[i] += by;
    for (int64_t j = 0; j < r->S; j++)
        r->k_pos[j] += by;
}

/* A shift that keeps every position below 'limit'. */
static inline int64_t run_room(const struct run *r, int64_t limit)
{
    return run_log(limit - 1 - r->k_pos[r->S - 1]);
}

/* ------------------------------------------------------------- other doors */

/* out [H, T, S] = the bias at r's positions. */
static inline void run_bias(double *out, const struct run *r)
{
    int64_t q[RUN_T], k[RUN_S];

    memcpy(q, r->q_pos, sizeof(q));
    memcpy(k, r->k_pos, sizeof(k));
    CHECK_OK(locant_encoding_bias(VIEW(F64, out, r->s->H, r->T, r->S), r->s->e,
                                  VIEW(I64, q, r->T), VIEW(I64, k, r->S),
                                  subject_params(r->s)));
}

/* out [heads, tokens, rotated width] = x [heads, tokens, D] rotated. */
static inline locant_status run_rotate(double *out, double *x, int64_t heads,
                                       int64_t tokens, int64_t *pos,
                                       const struct subject *s, int flags)
{
    const int64_t wide[3] = { heads, tokens,
                              locant_encoding_rotated_width(s->e, s->D) };
    locant_tensor t = locant_dense(out, LOCANT_F64, 3, wide);

    return locant_encoding_rotate(&t, VIEW(F64, x, heads, tokens, s->D), s->e,
                                  VIEW(I64, pos, tokens), subject_params(s),
                                  flags);
}

/* out [n, W] = rows of the table. */
static inline locant_status run_table(double *out, int64_t *pos, int64_t n,
                                      const struct subject *s)
{
    return locant_encoding_table(VIEW(F64, out, n, s->W), s->e,
                                 VIEW(I64, pos, n), subject_params(s));
}
#endif
