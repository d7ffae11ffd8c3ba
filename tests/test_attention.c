/*
 * test_attention.c - attention forward and backward against the double oracle,
 * for every encoding of the registry and every choice of its keys.
 */
#include "oracle/attend.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EPS 0x1p-24

static void describe(char text[400], const struct attend *t)
{
    snprintf(text, 400,
             "%s %s [B %d, H %d/%d, T %d, S %d, D %d] %s "
             "positions %d, top %.3g",
             t->spec, locant_dtype_name(t->dtype), (int)t->B, (int)t->H,
             (int)t->G, (int)t->T, (int)t->S, (int)t->D,
             t->a.mask == LOCANT_MASK_CAUSAL ? "causal" : "full", (int)t->kind,
             t->top);
}

/* ----------------------------------------------------------------- forward */

/*
 * A score of size s is rounded to s EPS a few times and the exponential turns
 * that into a relative error of the weight: 4 EPS (8 + largest score).  Where
 * large terms cancel, a sum of D products rounds D times, each by at most EPS
 * of a partial sum, with random signs: sqrt(D) EPS of the absolute terms, of
 * which 'top' holds half.
 */
static double score_error(const struct attend *t)
{
    double unit = t->dtype == LOCANT_F64 ? 0x1p-53 : EPS;
    double sums = t->sharp > 1 ? fmax(1, sqrt((double)t->D) / 2) : 1;

    return 4 * unit * (8 + t->top * sums);
}

/* Every element of out: that times the largest |v|; lse: that alone. */
static void check_elements(const struct attend *t)
{
    double largest = 0;
    char text[400];

    for (int64_t i = 0; i < t->B * t->G * t->S * t->D; i++)
        largest = fmax(largest, fabs(t->in[2][i]));
    describe(text, t);
    for (size_t i = 0; i < oracle_count(&t->out); i++) {
        double got = oracle_get(&t->out, i), want = t->want_out[i];

        if (!(fabs(got - want) <= score_error(t) * largest))
            FAIL("%s: out %zu: got %.9g, want %.9g", text, i, got, want);
    }
    for (size_t i = 0; i < oracle_count(&t->lse); i++) {
        double got = oracle_get(&t->lse, i), want = t->want_lse[i];

        if (!(got == want || fabs(got - want) <= score_error(t)))
            FAIL("%s: lse %zu: got %.9g, want %.9g", text, i, got, want);
    }
}

/* A row that sees no key: exactly 0 and exactly -infinity. */
static void check_blind_rows(const struct attend *t)
{
    for (size_t row = 0; row < oracle_count(&t->lse); row++) {
        if (isfinite(t->want_lse[row]))
            continue;
        CHECK(oracle_get(&t->lse, row) == -INFINITY);
        for (int64_t d = 0; d < t->D; d++) {
            size_t at = row * (size_t)t->D + (size_t)d;

            CHECK(oracle_get(&t->out, at) == 0);
        }
    }
}

/* || got - want || and || want ||. */
static void distance(double *error, double *size, const locant_tensor *got,
                     const double *want)
{
    *error = *size = 0;
    for (size_t i = 0; i < oracle_count(got); i++) {
        double gap = oracle_get(got, i) - want[i];

        *error += gap * gap;
        *size += want[i] * want[i];
    }
    *error = sqrt(*error);
    *size = sqrt(*size);
}

static void check_forward(struct attend *t)
{
    double error, size;
    char text[400];

    attend_forward(t);
    check_elements(t);
    check_blind_rows(t);
    distance(&error, &size, &t->out, t->want_out);
    describe(text, t);
    /* The promise of attention.h for unit scores. */
    if (t->top <= 8 && !(error <= 1e-6 * size))
        FAIL("%s: relative error %.3g", text, error / size);
}

/* ---------------------------------------------------------------- backward */

struct bounds {
    double want[3 + ORACLE_PARAMS], gross[3 + ORACLE_PARAMS];
};

static double length(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* Lengths of all gradients as the oracle last left them. */
static void lengths(double out[], const struct attend *t)
{
    size_t nk = oracle_count(&t->k);

    out[0] = length(t->want_dq, oracle_count(&t->q));
    out[1] = length(t->want_dk, nk);
    out[2] = length(t->want_dv, nk);
    for (int k = 0; k < t->p.n; k++)
        out[3 + k] = length(t->p.dx[k], t->p.size[k]);
}

/*
 * 5e-6 of the gradient's length for unit scores, more with larger scores as in
 * the forward direction.  Where a gradient is the small rest of large terms (a
 * row that sees one key has none at all) it is as good as the terms: 2 EPS of
 * their absolute sums.
 */
static void check_gradient(const struct attend *t, const char *name,
                           const locant_tensor *got, const double *want,
                           double gross)
{
    double error, size, unit = t->dtype == LOCANT_F64 ? 0x1p-53 : EPS;
    char text[400];

    distance(&error, &size, got, want);
    describe(text, t);
    if (!(error <= (1 + t->top / 8) * (84 * unit * size + 2 * unit * gross)))
        FAIL("%s: %s: error %.3g of %.3g, terms %.3g", text, name, error, size,
             gross);
}

static void clear_params(struct attend *t)
{
    for (int k = 0; k < t->p.n; k++)
        memset(t->p.grad[k].data, 0,
               t->p.size[k] * locant_dtype_size(t->dtype));
}

static void check_backward(struct attend *t, const double *gross)
{
    clear_params(t);
    attend_backward(t);
    check_gradient(t, "dq", &t->dq, t->want_dq, gross[0]);
    check_gradient(t, "dk", &t->dk, t->want_dk, gross[1]);
    check_gradient(t, "dv", &t->dv, t->want_dv, gross[2]);
    for (int k = 0; k < t->p.n; k++)
        check_gradient(t, k ? "parameter 1" : "parameter 0", &t->p.grad[k],
                       t->p.dx[k], gross[3 + k]);
}

/* Whoever writes an input dies. */
static void protect_inputs(const struct attend *t)
{
    const locant_tensor *inputs[] = { &t->q, &t->k, &t->v, &t->dout };

    for (size_t i = 0; i < LEN(inputs); i++)
        test_guarded_readonly(inputs[i]->data, oracle_count(inputs[i]) *
                                                   locant_dtype_size(t->dtype));
}

/* One problem on every instruction set. */
static void one_case(struct attend *t, locant_mask mask)
{
    double gross[3 + ORACLE_PARAMS];
    int available;

    attend_make(t, mask);
    protect_inputs(t);
    attend_oracle_forward(t);
    attend_oracle_backward(t, 1);
    lengths(gross, t);
    attend_oracle_backward(t, 0);
    for (int i = 0; locant_isa_at(i, &available) != NULL; i++) {
        if (!available)
            continue;
        CHECK_OK(locant_set_isa(locant_isa_at(i, NULL)));
        check_forward(t);
        check_backward(t, gross);
    }
    CHECK_OK(locant_set_isa(NULL));
    attend_free(t);
}

/* Every choice of every encoding, 'usual' random problems each. */
static void sweep(locant_dtype dtype, double sharp, int usual, int64_t most)
{
    int cases = test_cases(usual);

    for (int i = 0; attend_oracle(i) != NULL; i++) {
        struct attend t = { .o = attend_oracle(i), .dtype = dtype };

        for (int c = 0; attend_choose(&t, c); c++)
            for (int n = 0; n < cases; n++) {
                t = (struct attend){ .o = t.o, .dtype = dtype, .sharp = sharp };
                attend_sizes(&t, most);
                CHECK(attend_choose(&t, c));
                t.kind = (enum attend_positions)(n % ATTEND_KINDS);
                one_case(&t, test_rand() % 3 ? LOCANT_MASK_CAUSAL
                                             : LOCANT_MASK_NONE);
            }
    }
}

TEST(matches_oracle)
{
    sweep(LOCANT_F32, 1, 2 * ATTEND_KINDS, 130);
}

/* out as plain float loops give it: no encoding, one row at a time. */
static void naive(float *out, const struct attend *t, size_t row)
{
    size_t D = (size_t)t->D, S = (size_t)t->S;
    size_t head = row / (size_t)t->T / (size_t)(t->H / t->G);
    const double *k = t->in[1] + head * S * D, *v = t->in[2] + head * S * D;
    float scale = (float)(1 / sqrt((double)D)), s[256], top = -INFINITY;
    float sum = 0;

    for (size_t j = 0; j < S; j++) {
        s[j] = 0;
        for (size_t d = 0; d < D; d++)
            s[j] += (float)t->in[0][row * D + d] * (float)k[j * D + d];
        s[j] *= scale;
        top = fmaxf(top, s[j]);
    }
    memset(out, 0, D * sizeof(*out));
    for (size_t j = 0; j < S; j++) {
        float p = expf(s[j] - top);

        sum += p;
        for (size_t d = 0; d < D; d++)
            out[d] += p * (float)v[j * D + d];
    }
    for (size_t d = 0; d < D; d++)
        out[d] /= sum;
}

/* At most twice the error of plain float loops, and 1e-7: the rule by which
 * FlashAttention's own tests judge (Dao, flash-attention, tests). */
TEST(is_as_good_as_plain_loops)
{
    for (int n = 0; n < test_cases(30); n++) {
        struct attend t = { .o = oracle_of("none"),
                            .dtype = LOCANT_F32,
                            .sharp = 1 };
        double error, size, plain = 0;
        float row[256];

        attend_sizes(&t, 130);
        CHECK(attend_choose(&t, 0));
        attend_make(&t, LOCANT_MASK_NONE);
        attend_oracle_forward(&t);
        attend_forward(&t);
        distance(&error, &size, &t.out, t.want_out);
        for (size_t i = 0; i < oracle_count(&t.lse); i++) {
            naive(row, &t, i);
            for (int64_t d = 0; d < t.D; d++)
                plain += pow((double)row[d] -
                                 t.want_out[i * (size_t)t.D + (size_t)d],
                             2);
        }
        if (!(error <= 2 * sqrt(plain) + 1e-7 * size))
            FAIL("case %d: error %.3g, plain loops %.3g", n, error / size,
                 sqrt(plain) / size);
        attend_free(&t);
    }
}

/* Scores of deviation 64: one key wins, exponents reach -1000. */
TEST(matches_oracle_at_large_scores)
{
    sweep(LOCANT_F32, 64, 2, 65);
}

/* 1e30 times unit: finite, the largest score takes all. */
TEST(huge_scores_stay_finite)
{
    struct attend t = { .o = attend_oracle(0),
                        .dtype = LOCANT_F32,
                        .sharp = 1e30 };

    attend_sizes(&t, 65);
    CHECK(attend_choose(&t, 0));
    attend_make(&t, LOCANT_MASK_NONE);
    attend_forward(&t);
    attend_backward(&t);
    for (size_t i = 0; i < oracle_count(&t.out); i++)
        CHECK(isfinite(oracle_get(&t.out, i)));
    for (size_t i = 0; i < oracle_count(&t.dq); i++)
        CHECK(isfinite(oracle_get(&t.dq, i)));
    attend_free(&t);
}

/* ----------------------------------------------------------------- doubles */

/*
 * In double nothing is lost but the float32 table of a rotation: such cases
 * are left to rotated_doubles_match_oracle().
 */
TEST(doubles_match_oracle)
{
    for (int i = 0; attend_oracle(i) != NULL; i++) {
        struct attend t = { .o = attend_oracle(i) };

        if (t.o->rotated != NULL)
            continue;
        for (int c = 0; attend_choose(&t, c); c++)
            for (int n = 0; n < ATTEND_KINDS; n++) {
                t = (struct attend){ .o = t.o,
                                     .dtype = LOCANT_F64,
                                     .sharp = 1 };
                attend_sizes(&t, 40);
                CHECK(attend_choose(&t, c));
                t.kind = (enum attend_positions)n;
                one_case(&t, n % 2 ? LOCANT_MASK_CAUSAL : LOCANT_MASK_NONE);
            }
    }
}

/* The positions of heads [B,H,T,D] turned by the library's own rotation, in
 * double: dst = R src or R^T src. */
static void turn_all(const struct attend *t, locant_tensor *x, int64_t *pos,
                     int inverse)
{
    for (int64_t b = 0; b < t->B; b++) {
        locant_tensor part = *x, p;
        int64_t T = x->shape[2];

        part.rank = 3;
        part.data = (double *)x->data + b * x->stride[0];
        memmove(part.shape, x->shape + 1, 3 * sizeof(int64_t));
        memmove(part.stride, x->stride + 1, 3 * sizeof(int64_t));
        p = DENSE(I64, pos + b * T, T);
        CHECK_OK(locant_encoding_rotate(&part, &part, t->e, &p, NULL,
                                        inverse ? LOCANT_ROTATE_INVERSE : 0));
    }
}

static locant_tensor copy_of(const double *x, const locant_tensor *like)
{
    locant_tensor t = test_tensor(LOCANT_F64, 4, like->shape);

    memcpy(t.data, x, oracle_count(like) * sizeof(double));
    return t;
}

/*
 * Rotation uses the table of locant_encoding_rotate(): turn q and k with it,
 * let the oracle attend without rotation, turn its gradients back.
 */
static void rotated_case(struct attend *t, locant_mask mask)
{
    locant_tensor q, k;
    double gross[3 + ORACLE_PARAMS];

    attend_make(t, mask);
    q = copy_of(t->in[0], &t->q);
    k = copy_of(t->in[1], &t->k);
    turn_all(t, &q, t->qp, 0);
    turn_all(t, &k, t->kp, 0);
    memcpy(t->in[0], q.data, oracle_count(&q) * sizeof(double));
    memcpy(t->in[1], k.data, oracle_count(&k) * sizeof(double));
    t->oracle.rotate = NULL;
    attend_oracle_forward(t);
    attend_oracle_backward(t, 1);
    lengths(gross, t);
    attend_oracle_backward(t, 0);
    memcpy(q.data, t->want_dq, oracle_count(&q) * sizeof(double));
    memcpy(k.data, t->want_dk, oracle_count(&k) * sizeof(double));
    turn_all(t, &q, t->qp, 1);
    turn_all(t, &k, t->kp, 1);
    memcpy(t->want_dq, q.data, oracle_count(&q) * sizeof(double));
    memcpy(t->want_dk, k.data, oracle_count(&k) * sizeof(double));
    check_forward(t);
    check_backward(t, gross);
    test_tensor_free(&q);
    test_tensor_free(&k);
    attend_free(t);
}

TEST(rotated_doubles_match_oracle)
{
    int met = 0;

    for (int i = 0; attend_oracle(i) != NULL; i++) {
        struct attend t = { .o = attend_oracle(i) };

        if (t.o->rotated == NULL)
            continue;
        for (int c = 0; attend_choose(&t, c); c++)
            for (int n = 0; n < ATTEND_KINDS; n++, met++) {
                t = (struct attend){ .o = t.o,
                                     .dtype = LOCANT_F64,
                                     .sharp = 1 };
                attend_sizes(&t, 40);
                CHECK(attend_choose(&t, c));
                t.kind = (enum attend_positions)n;
                rotated_case(&t, n % 2 ? LOCANT_MASK_CAUSAL : LOCANT_MASK_NONE);
            }
    }
    CHECK(met > 0);
}

/* The oracle's own backward against differences of its own forward, along a
 * random direction of q, k and v: O(h^2) + O(2^-53 / h), 1e-8 at h = 1e-5. */
static double loss(struct attend *t)
{
    double sum = 0;

    attend_oracle_forward(t);
    for (size_t i = 0; i < oracle_count(&t->q); i++)
        sum += t->want_out[i] * t->in[3][i];
    return sum;
}

static void move(struct attend *t, double *const way[3], double h)
{
    for (int x = 0; x < 3; x++)
        for (size_t i = 0; i < oracle_count(x ? &t->k : &t->q); i++)
            t->in[x][i] += h * way[x][i];
}

static void oracle_differs_as_it_says(struct attend *t, locant_mask mask)
{
    const double h = 1e-5;
    double slope = 0, size = 1, up, down;
    double *way[3];

    attend_make(t, mask);
    attend_oracle_backward(t, 0);
    for (int x = 0; x < 3; x++) {
        const double *dx = x == 0   ? t->want_dq
                           : x == 1 ? t->want_dk
                                    : t->want_dv;
        size_t n = oracle_count(x ? &t->k : &t->q);

        way[x] = calloc(n, sizeof(double));
        for (size_t i = 0; i < n; i++) {
            way[x][i] = test_uniform();
            slope += way[x][i] * dx[i];
            size += fabs(way[x][i] * dx[i]);
        }
    }
    move(t, way, h);
    up = loss(t);
    move(t, way, -2 * h);
    down = loss(t);
    CHECK(fabs((up - down) / (2 * h) - slope) <= 1e-7 * size);
    for (int x = 0; x < 3; x++)
        free(way[x]);
    attend_free(t);
}

TEST(oracle_is_its_own_derivative)
{
    for (int i = 0; attend_oracle(i) != NULL; i++)
        for (int n = 0; n < 4; n++) {
            struct attend t = { .o = attend_oracle(i),
                                .dtype = LOCANT_F64,
                                .sharp = 1 };

            attend_sizes(&t, 7);
            CHECK(attend_choose(&t, 0));
            t.kind = n % 2 ? ATTEND_PERMUTED : ATTEND_DEFAULT;
            oracle_differs_as_it_says(&t, n / 2 ? LOCANT_MASK_CAUSAL
                                                : LOCANT_MASK_NONE);
        }
}
