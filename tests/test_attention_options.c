/*
 * test_attention_options.c - window, cap, sinks, dense biases and masks against
 * the double oracles,
 * with every encoding, and with every other promise of attention.
 */
#include "oracle/bits.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- bounds */

/*
 * As in test_attention.c: a score of size s is off by a few units of s, sums of
 * D products with large terms by sqrt(D) of them, and the exponential turns
 * that into a relative error of the weight.
 */
static double score_error(const struct attend *t)
{
    double unit = t->dtype == LOCANT_F64 ? 0x1p-53 : 0x1p-24;
    double sums = t->sharp > 1 ? fmax(1, sqrt((double)t->D) / 2) : 1;

    return 4 * unit * (8 + t->top * sums);
}

static void near(const struct attend *t, const char *what,
                 const locant_tensor *got, const double *want, double bound)
{
    for (size_t i = 0; i < oracle_count(got); i++) {
        double x = oracle_get(got, i);

        if (!(x == want[i] || fabs(x - want[i]) <= bound))
            FAIL("%s %s [T %d, S %d, D %d] window %lld cap %g: %s %zu: "
                 "got %.9g, want %.9g within %.3g",
                 t->spec, locant_dtype_name(t->dtype), (int)t->T, (int)t->S,
                 (int)t->D, (long long)t->a.window, t->a.softcap, what, i, x,
                 want[i], bound);
    }
}

static void check_forward(struct attend *t)
{
    double largest = 0;

    for (int64_t i = 0; i < t->B * t->G * t->S * t->D; i++)
        largest = fmax(largest, fabs(t->in[2][i]));
    attend_forward(t);
    near(t, "out", &t->out, t->want_out, score_error(t) * largest);
    near(t, "lse", &t->lse, t->want_lse, score_error(t));
}

static double length(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

enum { DQ, DK, DV, DSINKS, DBIAS, DPARAM, GRADIENTS = DPARAM + ORACLE_PARAMS };

/* What is wanted of each gradient; NULL: it does not exist. */
static const double *wanted(const struct attend *t, const locant_tensor **got,
                            int n)
{
    const locant_tensor *tensors[] = { &t->dq, &t->dk, &t->dv, &t->dsinks,
                                       &t->dense.dbias };
    const double *want[] = { t->want_dq, t->want_dk, t->want_dv,
                             t->a.sinks != NULL ? t->want_dsinks : NULL,
                             t->dense.sum };

    if (n >= DPARAM) {
        *got = &t->p.grad[n - DPARAM];
        return n - DPARAM < t->p.n ? t->p.dx[n - DPARAM] : NULL;
    }
    *got = tensors[n];
    return want[n];
}

/*
 * Rounding of a gradient of this size to its dtype, if that has fewer bits than
 * the sums: once, or in double at each of the 'terms'.  Below the normal
 * numbers it is half of the least one; weights below e^-87 = 2^-125 are 0.
 */
static double rounding(const struct attend *t, const locant_tensor *got,
                       double size, double terms)
{
    static const double units[] = { [LOCANT_F32] = 0x1p-24,
                                    [LOCANT_F16] = 0x1p-11,
                                    [LOCANT_BF16] = 0x1p-8,
                                    [LOCANT_F64] = 0 };
    double least = got->dtype == LOCANT_F16 ? 0x1p-25 : 0x1p-120;
    double error = least * sqrt((double)oracle_count(got));

    if (got->dtype != t->dtype)
        error += units[got->dtype] * (t->dtype == LOCANT_F64 ? terms : size);
    return error;
}

/*
 * Of the length of the gradient and, where it is the small rest of large terms,
 * of those: the constants of test_attention.c.
 */
static void check_backward(struct attend *t, const double *gross)
{
    double unit = t->dtype == LOCANT_F64 ? 0x1p-53 : 0x1p-24;

    for (int k = 0; k < t->p.n; k++)
        memset(t->p.grad[k].data, 0,
               t->p.size[k] * locant_dtype_size(t->dtype));
    memset(t->dsinks.data, 0, (size_t)t->H * locant_dtype_size(t->dtype));
    attend_backward(t);
    for (int n = 0; n < GRADIENTS; n++) {
        const locant_tensor *got;
        const double *want = wanted(t, &got, n);
        double error = 0, size;

        if (want == NULL)
            continue;
        size = length(want, oracle_count(got));
        for (size_t i = 0; i < oracle_count(got); i++)
            error += pow(oracle_get(got, i) - want[i], 2);
        error = sqrt(error);
        if (!(error <=
              (1 + t->top / 8) * (84 * unit * size + 2 * unit * gross[n]) +
                  rounding(t, got, size, gross[n])))
            FAIL("%s %s [T %d, S %d, D %d] window %lld cap %g: gradient %d: "
                 "error %.3g of %.3g, terms %.3g",
                 t->spec, locant_dtype_name(t->dtype), (int)t->T, (int)t->S,
                 (int)t->D, (long long)t->a.window, t->a.softcap, n, error,
                 size, gross[n]);
    }
}

/* One problem on every instruction set. */
static void one_case(struct attend *t)
{
    double gross[GRADIENTS] = { 0 };
    const locant_tensor *got;

    attend_oracle_forward(t);
    attend_oracle_backward(t, 1);
    for (int n = 0; n < GRADIENTS; n++)
        if (wanted(t, &got, n) != NULL)
            gross[n] = length(wanted(t, &got, n), oracle_count(got));
    attend_oracle_backward(t, 0);
    for (int i = 0, available; locant_isa_at(i, &available) != NULL; i++) {
        if (!available)
            continue;
        CHECK_OK(locant_set_isa(locant_isa_at(i, NULL)));
        check_forward(t);
        check_backward(t, gross);
    }
    CHECK_OK(locant_set_isa(NULL));
}

/* ------------------------------------------------------- against the oracle */

/* Every set of options in turn. */
static void sweep(locant_dtype dtype, double sharp, int usual, int64_t most)
{
    static const char *const names[] = { "none", "alibi", "t5", "kerple",
                                         "rope" };

    for (size_t i = 0; i < LEN(names); i++)
        for (int n = 1; n <= test_cases(usual); n++) {
            struct attend t = { .o = oracle_of(names[i]),
                                .dtype = dtype,
                                .sharp = sharp,
                                .options = 1 + (7 * n + 3 * (int)i) %
                                                   (ATTEND_OPTIONS - 1) };

            if (dtype == LOCANT_F64 && t.o->rotated != NULL)
                continue; /* its table is in float32 */
            attend_sizes(&t, most);
            CHECK(attend_choose(&t, 0));
            t.kind = (enum attend_positions)(n % ATTEND_KINDS);
            attend_make(&t, test_rand() % 3 ? LOCANT_MASK_CAUSAL
                                            : LOCANT_MASK_NONE);
            one_case(&t);
            attend_free(&t);
        }
}

TEST(options_match_the_oracle)
{
    sweep(LOCANT_F32, 1, TEST_SANITIZED ? 1 : ATTEND_KINDS, 130);
}

TEST(options_match_the_oracle_at_large_scores)
{
    sweep(LOCANT_F32, 16, TEST_SANITIZED ? 1 : ATTEND_KINDS, 65);
}

TEST(options_match_the_oracle_in_double)
{
    sweep(LOCANT_F64, 1, TEST_SANITIZED ? 1 : ATTEND_KINDS, 65);
}

/* ------------------------------------------------------------------- bits */

static struct bytes run_all(struct attend *t)
{
    struct bytes all;

    memset(t->dsinks.data, 0, (size_t)t->H * locant_dtype_size(t->dtype));
    all = run(t);
    append(&all, &t->dsinks);
    if (t->g.dbias != NULL)
        append(&all, t->g.dbias);
    return all;
}

static void threads_agree(struct attend *t)
{
    threads_agree_on(t, run_all);
}

/* Rows from .. to - 1 of dimension n. */
static locant_tensor part(const locant_tensor *x, int n, int64_t from,
                          int64_t to)
{
    locant_tensor out = *x;

    out.data = (char *)x->data +
               from * x->stride[n] * (int64_t)locant_dtype_size(x->dtype);
    out.shape[n] = to - from;
    return out;
}

/* Queries in chunks, of each batch row alone, at their positions. */
static void attend_chunk(const struct attend *t, int64_t b, int64_t from,
                         int64_t to)
{
    struct attend s = *t;

    s.q_pos = DENSE(I64, t->qp, t->B, t->T);
    s.k_pos = DENSE(I64, t->kp, t->B, t->S);
    for (int n = 0; n < 2; n++) {
        int64_t low = n ? from : b, high = n ? to : b + 1;

        s.q = part(&s.q, 2 * n, low, high);
        s.out = part(&s.out, 2 * n, low, high);
        s.lse = part(&s.lse, 2 * n, low, high);
        s.q_pos = part(&s.q_pos, n, low, high);
        s.q_docs = t->q_doc != NULL ? part(&s.q_docs, n, low, high) : s.q_docs;
        if (t->a.bias != NULL)
            s.dense.bias = dense_part(&s.dense.bias, 2 * n, low, high);
        if (t->a.visible != NULL)
            s.dense.visible = dense_part(&s.dense.visible, 2 * n, low, high);
    }
    s.k = part(&s.k, 0, b, b + 1);
    s.v = part(&s.v, 0, b, b + 1);
    s.k_pos = part(&s.k_pos, 0, b, b + 1);
    if (t->k_doc != NULL)
        s.k_docs = part(&s.k_docs, 0, b, b + 1);
    s.a.bias = t->a.bias != NULL ? &s.dense.bias : NULL;
    s.a.visible = t->a.visible != NULL ? &s.dense.visible : NULL;
    s.a.q = &s.q;
    s.a.k = &s.k;
    s.a.v = &s.v;
    s.a.q_pos = &s.q_pos;
    s.a.k_pos = &s.k_pos;
    s.a.q_docs = t->q_doc != NULL ? &s.q_docs : NULL;
    s.a.k_docs = t->k_doc != NULL ? &s.k_docs : NULL;
    attend_forward(&s);
}

static void chunks_agree(struct attend *t)
{
    struct bytes whole = { NULL, 0 }, parts = { NULL, 0 };

    attend_forward(t);
    append(&whole, &t->out);
    append(&whole, &t->lse);
    forget_all(t);
    for (int64_t b = 0; b < t->B; b++)
        for (int64_t from = 0, n; from < t->T; from += n) {
            n = test_range(1, 40);
            n = n > t->T - from ? t->T - from : n;
            attend_chunk(t, b, from, from + n);
        }
    append(&parts, &t->out);
    append(&parts, &t->lse);
    if (!same(&whole, &parts))
        FAIL("%s: chunks of %d queries differ from the whole", t->spec,
             (int)t->T);
    free(whole.data);
    free(parts.data);
}

/* Few and many queries on a cache of two segments; the bits of the whole. */
TEST(a_long_cache_matches_the_oracle)
{
    static const int64_t queries[] = { 1, 5, 70 };
    static const int options[] = { 63, 7, 15 };

    for (int n = 0; n < (TEST_SANITIZED ? 3 : 9); n++) {
        struct attend t = { .o = oracle_of(n % 2 ? "alibi" : "none"),
                            .dtype = LOCANT_F32,
                            .sharp = 1,
                            .B = 1,
                            .G = 1,
                            .H = 3,
                            .T = queries[n % 3],
                            .S = 1200,
                            .D = 16,
                            .kind =
                                n % 4 == 3 ? ATTEND_SCATTERED : ATTEND_DEFAULT,
                            .options = options[n / 3] };

        CHECK(attend_choose(&t, 0));
        attend_make(&t, n % 3 ? LOCANT_MASK_CAUSAL : LOCANT_MASK_NONE);
        one_case(&t);
        chunks_agree(&t);
        attend_free(&t);
    }
}

static void each(locant_dtype dtype, int64_t most, void (*fn)(struct attend *))
{
    static const int options[] = { 63, 15, 48 };

    for (int i = 0; attend_oracle(i) != NULL; i++) {
        struct attend t = { .o = attend_oracle(i),
                            .dtype = dtype,
                            .sharp = 1,
                            .options = options[i % 3] };

        attend_sizes(&t, most);
        CHECK(attend_choose(&t, 0));
        t.kind = (enum attend_positions)test_range(0, ATTEND_KINDS - 1);
        attend_make(&t,
                    test_rand() % 4 ? LOCANT_MASK_CAUSAL : LOCANT_MASK_NONE);
        fn(&t);
        attend_free(&t);
    }
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    for (int n = 0; n < (TEST_SANITIZED ? 1 : test_cases(2)); n++)
        each(LOCANT_F32, MANY_TOKENS, threads_agree);
    each(LOCANT_F64, 33, threads_agree);
}

TEST(chunks_and_batch_rows_are_the_whole_bit_for_bit)
{
    for (int n = 0; n < (TEST_SANITIZED ? 1 : test_cases(3)); n++)
        each(LOCANT_F32, MANY_TOKENS, chunks_agree);
    each(LOCANT_F64, 33, chunks_agree);
}

/* What the window hides may hold anything. */
TEST(keys_outside_leak_nothing)
{
    struct attend t = { .o = oracle_of("rope"),
                        .dtype = LOCANT_F32,
                        .sharp = 1,
                        .B = 1,
                        .G = 1,
                        .H = 2,
                        .T = 100,
                        .S = 300,
                        .D = 16,
                        .options = 7 };
    struct bytes clean, foul;

    CHECK(attend_choose(&t, 0));
    attend_make(&t, LOCANT_MASK_CAUSAL);
    t.a.window = 70;
    clean = run_all(&t);
    for (int64_t n = 0; n < 2 * 16; n++) { /* past the first query's window */
        int64_t at = n / 16 * 99 * t.k.stride[2] + n % 16;

        ((float *)t.k.data)[at] = ((float *)t.v.data)[at] = NAN;
    }
    foul = run_all(&t);
    CHECK(same(&clean, &foul));
    free(clean.data);
    free(foul.data);
    attend_free(&t);
}
