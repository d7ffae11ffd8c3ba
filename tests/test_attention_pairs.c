/*
 * test_attention_pairs.c - forward on bfloat16 by dot products of pairs, forced
 * where no instruction makes it worth while.  test_kernel_pairs.c says what the
 * instruction does.
 */
#include "attention/pairs.h"
#include "core/tensor.h"
#include "oracle/mixed.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNIT 0x1p-8 /* of rounding to bfloat16 */

static float number(uint32_t half)
{
    float x;

    half <<= 16;
    memcpy(&x, &half, sizeof(x));
    return x;
}

/* ---------------------------------------------------------------- problems */

/* A problem of mixed.h in bfloat16; reference and path write out and lse. */
struct job {
    struct mixed m;
    locant_tensor q, k, v, out, lse;
    locant_attention a;
};

/* x as bfloat16, in memory as its shape says or heads side by side. */
static locant_tensor narrow(const locant_tensor *x)
{
    size_t n = mixed_size(x);
    locant_tensor y = test_tensor(LOCANT_BF16, 4, x->shape);

    lct_row_from_f32(y.data, LOCANT_BF16, x->data, n);
    if (test_rand() % 2) {
        y.stride[2] = y.shape[1] * y.shape[3];
        y.stride[1] = y.shape[3];
    }
    return y;
}

static void job_make(struct job *j)
{
    mixed_make(&j->m);
    for (size_t i = 0; i < mixed_size(&j->m.q); i++)
        mixed_set(&j->m.q, i, 3 * mixed_get(&j->m.q, i)); /* scores near 1 */
    j->q = narrow(&j->m.q);
    j->k = narrow(&j->m.k);
    j->v = narrow(&j->m.v);
    j->out = test_tensor(LOCANT_BF16, 4, j->m.q.shape);
    j->lse = test_tensor(LOCANT_F32, 3, j->m.q.shape);
    j->a = j->m.a;
    j->a.q = &j->q;
    j->a.k = &j->k;
    j->a.v = &j->v;
}

static void job_free(struct job *j)
{
    locant_tensor *all[] = { &j->q, &j->k, &j->v, &j->out, &j->lse };

    for (size_t i = 0; i < LEN(all); i++)
        test_tensor_free(all[i]);
    mixed_free(&j->m);
}

static double bf16_at(const locant_tensor *x, size_t i)
{
    return (double)number(((const uint16_t *)x->data)[i]);
}

/* The path, in a workspace that holds NaN; out and lse may be views. */
static void forward(const locant_attention *a, locant_tensor *out,
                    locant_tensor *lse)
{
    size_t bytes;
    void *workspace;

    CHECK_OK(locant_attention_workspace(&bytes, a));
    workspace = test_guarded(bytes);
    memset(workspace, 0xff, bytes);
    CHECK_OK(locant_attention_forward(out, lse, a, workspace, bytes));
    test_guarded_free(workspace, bytes);
}

/* ---------------------------------------------------------------- accuracy */

static double longest_row(const locant_tensor *x)
{
    size_t D = (size_t)x->shape[3];
    double longest = 0;

    for (size_t row = 0; row < mixed_size(x) / D; row++) {
        double sum = 0;

        for (size_t d = 0; d < D; d++)
            sum += pow(bf16_at(x, row * D + d), 2);
        longest = fmax(longest, sum);
    }
    return sqrt(longest);
}

static struct {
    double out, lse; /* worst relative error in units, of lse absolute */
} worst;

/*
 * The bounds of pairs.c, sum |q k| below |q| |k|, plus the last rounding of out
 * and, as in test_attention.c, 4 EPS (8 + largest score) for the float sums.
 */
static void judge_elements(struct job *j, bool turns)
{
    double root = sqrt((double)j->m.D), most = 0, top = 0, e = 0, sums;

    for (size_t i = 0; i < mixed_size(&j->v); i++)
        most = fmax(most, fabs(bf16_at(&j->v, i)));
    for (size_t i = 0; i < mixed_size(&j->m.lse); i++)
        if (isfinite(mixed_get(&j->m.lse, i)))
            top = fmax(top, fabs(mixed_get(&j->m.lse, i)));
    if (turns)
        e = (2 * UNIT + UNIT * UNIT) * longest_row(&j->q) *
            longest_row(&j->k) / root;
    sums = 4 * 0x1p-24 * (8 + top);
    for (size_t i = 0; i < mixed_size(&j->m.out); i++) {
        double got = bf16_at(&j->out, i), want = mixed_get(&j->m.out, i);
        double bound = (UNIT + exp(2 * e) - 1 + sums) * most +
                       UNIT * fabs(want);

        if (!(fabs(got - want) <= bound))
            FAIL("%s: out %zu: got %g, want %g, bound %g", j->m.spec, i, got,
                 want, bound);
    }
    for (size_t i = 0; i < mixed_size(&j->m.lse); i++) {
        double got = mixed_get(&j->lse, i), want = mixed_get(&j->m.lse, i);

        if (!(got == want || fabs(got - want) <= e + sums))
            FAIL("%s: lse %zu: got %g, want %g", j->m.spec, i, got, want);
        if (got != want && !turns)
            worst.lse = fmax(worst.lse, fabs(got - want));
    }
}

/*
 * And in the mean square: roundings of weights, of out, and two of scores of
 * deviation near 1, 0.42 units each, make 0.85; twice that is allowed.
 */
static void judge_length(const struct job *j)
{
    double error = 0, size = 0;

    for (size_t i = 0; i < mixed_size(&j->m.out); i++) {
        double want = mixed_get(&j->m.out, i);

        error += pow(bf16_at(&j->out, i) - want, 2);
        size += want * want;
    }
    worst.out = fmax(worst.out, sqrt(error / size) / UNIT);
    if (!(sqrt(error) <= 1.7 * UNIT * sqrt(size)))
        FAIL("%s [T %d, S %d, D %d]: error %.3g of %.3g", j->m.spec,
             (int)j->m.T, (int)j->m.S, (int)j->m.D, sqrt(error), sqrt(size));
}

static void judge(struct job *j, bool turns)
{
    CHECK_OK(locant_attention_reference(&j->m.out, &j->m.lse, &j->a));
    forward(&j->a, &j->out, &j->lse);
    judge_elements(j, turns);
    judge_length(j);
}

static const struct {
    const char *spec;
    bool turns;
} encodings[] = {
    { "none", false },
    { "rope", true },
    { "rope(pairing=interleaved)", true },
    { "rope(dim=4,side=trailing)", true },
    { "alibi", false },
    { "t5", false },
    { "kerple", false },
    { "rope+alibi", true },
    { "window(size=40)+rope", true },
    { "window(size=9)+alibi", false },
};

/* Documents side by side, the last tokens padding. */
static void set_documents(struct mixed *m)
{
    for (int64_t b = 0; b < m->B; b++) {
        int64_t pads = test_range(0, 3), cut = test_range(1, m->S);

        for (int64_t j = 0; j < m->S; j++) {
            int64_t doc = j >= m->S - pads ? -1 : j >= cut;
            int64_t i = j - (m->S - m->T);

            ((int64_t *)m->k_docs.data)[b * m->S + j] = doc;
            if (i >= 0)
                ((int64_t *)m->q_docs.data)[b * m->T + i] = doc;
        }
    }
}

static const int64_t channels[] = { 16, 6, 64, 34, 128, 17, 1 };

static void sweep(void)
{
    static const int64_t tokens[] = { 1, 2, 7, 33, 64, 65, 131 };

    for (size_t e = 0; e < LEN(encodings); e++)
        for (int n = 0; n < (TEST_SANITIZED ? 2 : 8); n++) {
            int64_t S = tokens[test_range(0, LEN(tokens) - 1)];
            struct job j = { .m = { .spec = encodings[e].spec,
                                    .dtype = LOCANT_F32,
                                    .mask = (locant_mask)(n % 2), .S = S } };

            j.m.T = test_range(S > 70 ? S - 70 : 1, S);
            j.m.D = channels[test_range(0, encodings[e].turns ? 4 : 6)];
            job_make(&j);
            if (n % 4 >= 2) {
                set_documents(&j.m);
                j.a.q_docs = &j.m.q_docs;
                j.a.k_docs = &j.m.k_docs;
            }
            judge(&j, encodings[e].turns);
            job_free(&j);
        }
}

static void comes_near_the_reference(void **state)
{
    (void)state;
    lct_pairs_use = LCT_PAIRS_ALWAYS;
    test_each_isa(sweep);
    print_message("worst: out %.2f units of its size, lse %.2g\n", worst.out,
                  worst.lse);
}

/* ---------------------------------------------------------- the same bits */

static void copy_result(uint16_t *out, float *lse, const struct job *j)
{
    memcpy(out, j->out.data, mixed_size(&j->out) * sizeof(*out));
    memcpy(lse, j->lse.data, mixed_size(&j->lse) * sizeof(*lse));
}

static void check_result(const struct job *j, const char *what,
                         const uint16_t *out, const float *lse)
{
    if (memcmp(out, j->out.data, mixed_size(&j->out) * sizeof(*out)) != 0 ||
        memcmp(lse, j->lse.data, mixed_size(&j->lse) * sizeof(*lse)) != 0)
        FAIL("%s: %s change a bit", j->m.spec, what);
}

/* Rows b of a tensor, and of those the tokens from .. from + n - 1. */
static locant_tensor part(const locant_tensor *x, int64_t b, int64_t batch,
                          int64_t from, int64_t n)
{
    locant_tensor y = *x;

    y.data = (char *)x->data +
             (b * x->stride[0] + from * x->stride[2]) *
                 (int64_t)locant_dtype_size(x->dtype);
    y.shape[0] = batch;
    y.shape[2] = n;
    return y;
}

/* Queries from .. from + n - 1 of some batch rows against all keys up to the
 * last of them, or all there are. */
static void run_part(struct job *j, int64_t b, int64_t batch, int64_t from,
                     int64_t n)
{
    bool causal = j->m.mask == LOCANT_MASK_CAUSAL;
    int64_t seen = causal ? from + n : j->m.S;
    locant_tensor q = part(&j->q, b, batch, from, n);
    locant_tensor k = part(&j->k, b, batch, 0, seen);
    locant_tensor v = part(&j->v, b, batch, 0, seen);
    locant_tensor out = part(&j->out, b, batch, from, n);
    locant_tensor lse = part(&j->lse, b, batch, from, n);
    locant_tensor pos = j->m.q_pos;
    locant_attention a = j->a;

    a.q = &q;
    a.k = &k;
    a.v = &v;
    pos.data = (int64_t *)pos.data + from;
    pos.rank = 1;
    pos.shape[0] = n;
    pos.stride[0] = 1;
    a.q_pos = &pos;
    a.k_pos = NULL; /* 0, 1, .. as mixed.h has them */
    forward(&a, &out, &lse);
}

static void splits_change_nothing(struct job *j)
{
    static const int64_t steps[] = { 1, 50, 64 }; /* 1: the last ones */
    size_t n = mixed_size(&j->out), rows = mixed_size(&j->lse);
    uint16_t *out = malloc(n * sizeof(*out));
    float *lse = malloc(rows * sizeof(*lse));
    int threads = locant_threads();

    forward(&j->a, &j->out, &j->lse);
    copy_result(out, lse, j);
    for (int i = 0; i < 4; i++) {
        CHECK_OK(locant_set_threads((int[]){ 1, 2, 3, 7 }[i]));
        memset(j->out.data, 0xff, n * sizeof(*out));
        forward(&j->a, &j->out, &j->lse);
        check_result(j, "threads", out, lse);
    }
    CHECK_OK(locant_set_threads(threads));
    memset(j->out.data, 0xff, n * sizeof(*out));
    for (int64_t b = 0; b < j->m.B; b++)
        run_part(j, b, 1, 0, j->m.T);
    check_result(j, "batch rows", out, lse);
    for (size_t i = 0; i < LEN(steps); i++) {
        if (i > 0)
            memset(j->out.data, 0xff, n * sizeof(*out));
        for (int64_t t = i > 0 ? 0 : j->m.T - 9; t < j->m.T; t += steps[i])
            run_part(j, 0, j->m.B, t,
                     j->m.T - t < steps[i] ? j->m.T - t : steps[i]);
        check_result(j, "chunks", out, lse);
    }
    free(out);
    free(lse);
}

static void splits(void)
{
    for (size_t e = 0; e < LEN(encodings); e++)
        for (int mask = 0; mask < 2; mask++) {
            struct job j = { .m = { .spec = encodings[e].spec,
                                    .dtype = LOCANT_F32, .T = 131, .S = 131,
                                    .D = mask ? 16 : 18,
                                    .mask = (locant_mask)mask } };

            job_make(&j);
            splits_change_nothing(&j);
            job_free(&j);
        }
}

static void threads_batch_and_chunks_change_nothing(void **state)
{
    (void)state;
    lct_pairs_use = LCT_PAIRS_ALWAYS;
    test_each_isa(splits);
}

/* Keys that a cache keeps turned, in bfloat16: rounded once in either case. */
static void turned(void)
{
    struct job j = { .m = { .spec = "rope", .dtype = LOCANT_F32, .T = 70,
                            .S = 131, .D = 34 } };
    uint16_t *out;
    float *lse;

    job_make(&j);
    out = malloc(mixed_size(&j.out) * sizeof(*out));
    lse = malloc(mixed_size(&j.lse) * sizeof(*lse));
    forward(&j.a, &j.out, &j.lse);
    copy_result(out, lse, &j);
    for (int64_t b = 0; b < j.m.B; b++) {
        locant_tensor k = part(&j.k, b, 1, 0, j.m.S);

        k.rank = 3;
        memmove(k.shape, k.shape + 1, 3 * sizeof(int64_t));
        memmove(k.stride, k.stride + 1, 3 * sizeof(int64_t));
        CHECK_OK(locant_encoding_rotate(&k, &k, j.m.e,
                                        &(locant_tensor){
                                            .data = j.m.k_pos.data,
                                            .dtype = LOCANT_I64, .rank = 1,
                                            .shape = { j.m.S },
                                            .stride = { 1 } },
                                        NULL, LOCANT_ROTATE_KEY));
    }
    j.a.flags = LOCANT_ATTENTION_KEYS_TURNED;
    forward(&j.a, &j.out, &j.lse);
    check_result(&j, "turned keys", out, lse);
    free(out);
    free(lse);
    job_free(&j);
}

static void turned_keys_are_the_same(void **state)
{
    (void)state;
    lct_pairs_use = LCT_PAIRS_ALWAYS;
    test_each_isa(turned);
}

/* ------------------------------------------------------------------ hidden */

/* Values of one key, of every batch row and head. */
static void poison(const locant_tensor *x, int64_t key, uint16_t half)
{
    for (int64_t b = 0; b < x->shape[0]; b++)
        for (int64_t h = 0; h < x->shape[1]; h++)
            for (int64_t d = 0; d < x->shape[3]; d++)
                ((uint16_t *)x->data)[b * x->stride[0] + h * x->stride[1] +
                                      key * x->stride[2] + d] = half;
}

/* What comes after a query may hold anything; what it sees is not forgiven. */
static void one_poison(int64_t key, uint16_t half, bool keys, int64_t T)
{
    struct job j = { .m = { .spec = "none", .dtype = LOCANT_F32, .T = T,
                            .S = 67, .D = 20, .mask = LOCANT_MASK_CAUSAL } };
    size_t row;
    uint16_t *out;
    float *lse;

    job_make(&j);
    out = malloc(mixed_size(&j.out) * sizeof(*out));
    lse = malloc(mixed_size(&j.lse) * sizeof(*lse));
    forward(&j.a, &j.out, &j.lse);
    copy_result(out, lse, &j);
    poison(keys ? &j.k : &j.v, key, half);
    forward(&j.a, &j.out, &j.lse);
    for (row = 0; row < mixed_size(&j.lse); row++) {
        int64_t query = 67 - T + (int64_t)row % T;
        size_t at = row * 20;

        if (query < key &&
            memcmp(out + at, (uint16_t *)j.out.data + at, 40) != 0)
            FAIL("key %d: query %d changes", (int)key, (int)query);
        if (query >= key)
            CHECK(!isfinite(bf16_at(&j.out, at)));
    }
    free(out);
    free(lse);
    job_free(&j);
}

static void poisons(void)
{
    enum { NOT_A_NUMBER = 0x7fc1, MINUS_INFINITY = 0xff80 };

    for (int64_t key = 30; key < 34; key++) {
        one_poison(key, NOT_A_NUMBER, false, 67);
        one_poison(key, NOT_A_NUMBER, true, 67);
        one_poison(key, MINUS_INFINITY, false, 67);
    }
    for (int64_t T = 67; T >= 3; T -= 64) { /* few.c takes the 3 */
        one_poison(65, NOT_A_NUMBER, false, T);
        one_poison(66, MINUS_INFINITY, false, T);
    }
}

static void hidden_keys_may_hold_anything(void **state)
{
    (void)state;
    lct_pairs_use = LCT_PAIRS_ALWAYS;
    test_each_isa(poisons);
}

/* --------------------------------------------------------------- the switch */

/* Does the switch change a bit of out? */
static bool switched(const char *spec)
{
    struct job j = { .m = { .spec = spec, .dtype = LOCANT_F32, .T = 20,
                            .S = 20, .D = 16, .H = 2 } };
    size_t bytes;
    void *before;
    bool differs;

    job_make(&j);
    bytes = mixed_size(&j.out) * sizeof(uint16_t);
    before = malloc(bytes);
    lct_pairs_use = LCT_PAIRS_NEVER;
    forward(&j.a, &j.out, &j.lse);
    memcpy(before, j.out.data, bytes);
    lct_pairs_use = LCT_PAIRS_ALWAYS;
    forward(&j.a, &j.out, &j.lse);
    differs = memcmp(before, j.out.data, bytes) != 0;
    free(before);
    job_free(&j);
    return differs;
}

/* Maps that widen and encodings of content keep to the widened rows. */
static void path_is_taken_where_it_is_said(void **state)
{
    (void)state;
    for (size_t e = 0; e < LEN(encodings); e++)
        CHECK(switched(encodings[e].spec));
    CHECK(!switched("xpos"));
    CHECK(!switched("pope"));
    CHECK(!switched("rerope(window=4)"));
    CHECK(!switched("shaw"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_near_the_reference),
        cmocka_unit_test(threads_batch_and_chunks_change_nothing),
        cmocka_unit_test(turned_keys_are_the_same),
        cmocka_unit_test(hidden_keys_may_hold_anything),
        cmocka_unit_test(path_is_taken_where_it_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
