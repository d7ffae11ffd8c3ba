/*
 * test_attention_bf16.c - attention on bfloat16 by dot products of pairs,
 * forced where no instruction makes it worth while, against the reference.
 * test_attention_bf16_bits.c has what must not change a bit.
 */
#include "bf16_job.h"
#include "oracle/dense.h"

#define UNIT 0x1p-8 /* of rounding to bfloat16 */

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
    double gradient; /* in units */
    double out, lse; /* worst relative error in units, of lse absolute */
} worst;

/*
 * The bounds of bf16.c, sum |q k| below |q| |k|, plus the last rounding of out
 * and, as in test_attention.c, 4 EPS (8 + largest score) for the float sums.
 */
static void judge_elements(struct job *j, bool turns)
{
    double root = sqrt((double)j->m.D), most = 0, top = 0, e = 0, sums;

    for (size_t i = 0; i < mixed_size(&j->v); i++)
        most = fmax(most, fabs(bf16_at(&j->v, i)));
    for (size_t i = 0; i < mixed_size(&j->m.lse); i++)
        if (isfinite(oracle_get(&j->m.lse, i)))
            top = fmax(top, fabs(oracle_get(&j->m.lse, i)));
    if (turns)
        e = (2 * UNIT + UNIT * UNIT) * longest_row(&j->q) * longest_row(&j->k) /
            root;
    sums = 4 * 0x1p-24 * (8 + top);
    for (size_t i = 0; i < mixed_size(&j->m.out); i++) {
        double got = bf16_at(&j->out, i), want = oracle_get(&j->m.out, i);
        double bound =
            (UNIT + exp(2 * e) - 1 + sums) * most + UNIT * fabs(want);

        if (!(fabs(got - want) <= bound))
            FAIL("%s: out %zu: got %g, want %g, bound %g", j->m.spec, i, got,
                 want, bound);
    }
    for (size_t i = 0; i < mixed_size(&j->m.lse); i++) {
        double got = oracle_get(&j->lse, i), want = oracle_get(&j->m.lse, i);

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
        double want = oracle_get(&j->m.out, i);

        error += pow(bf16_at(&j->out, i) - want, 2);
        size += want * want;
    }
    worst.out = fmax(worst.out, sqrt(error / size) / UNIT);
    if (!(sqrt(error) <= 1.7 * UNIT * sqrt(size)))
        FAIL("%s [T %d, S %d, D %d]: error %.3g of %.3g", j->m.spec,
             (int)j->m.T, (int)j->m.S, (int)j->m.D, sqrt(error), sqrt(size));
}

/*
 * Weights or ds, the gradient itself, and out, from which ds takes a row's
 * mean, are rounded, 0.42 units each, and scores as in out: 0.94 in all of what
 * is summed.  ds sums to 0 over the keys, so that less may be left: 4 units are
 * allowed, of a tensor's size or of a tenth an element where it is smaller.
 * A parameter's is a sum of all of them, far smaller than its terms: 16.
 */
static void judge_gradient(const struct job *j, const char *name,
                           const locant_tensor *x, const double *want,
                           double units)
{
    double *got = numbers_of(x), error = 0, size = 0;
    size_t n = mixed_size(x);

    for (size_t i = 0; i < n; i++) {
        error += pow(got[i] - want[i], 2);
        size += want[i] * want[i];
    }
    size = fmax(size, (double)n * 0.01);
    if (size > 0)
        worst.gradient =
            fmax(worst.gradient, 4 / units * sqrt(error / size) / UNIT);
    if (!(sqrt(error) <= units * UNIT * sqrt(size)))
        FAIL("%s [T %d, S %d, D %d]: %s: error %.3g of %.3g", j->m.spec,
             (int)j->m.T, (int)j->m.S, (int)j->m.D, name, sqrt(error),
             sqrt(size));
    free(got);
}

/* After forward of both: the path starts from its own out and lse. */
static void judge_gradients(struct job *j)
{
    const char *names[] = { "dq", "dk", "dv" };
    locant_tensor *got[] = { &j->dq, &j->dk, &j->dv };
    locant_tensor *wide[] = { &j->m.dq, &j->m.dk, &j->m.dv };
    double *want[3], *params[MIXED_PARAMS], *dout = numbers_of(&j->dout);
    double *dbias = NULL;

    for (size_t i = 0; i < mixed_size(&j->m.dout); i++)
        oracle_put(&j->m.dout, i, dout[i]);
    free(dout);
    backward(j);
    if (j->g.dbias != NULL)
        dbias = numbers_of(j->g.dbias);
    for (int n = 0; n < j->m.n_params; n++) {
        params[n] = numbers_of(&j->m.dparams[n]);
        for (size_t i = 0; i < mixed_size(&j->m.dparams[n]); i++)
            oracle_put(&j->m.dparams[n], i, 0);
    }
    CHECK_OK(locant_attention_reference_backward(&j->m.g, &j->m.dout, &j->m.out,
                                                 &j->m.lse, &j->a));
    for (int i = 0; i < 3; i++) {
        want[i] = numbers_of(wide[i]);
        judge_gradient(j, names[i], got[i], want[i], 4);
        free(want[i]);
    }
    for (int n = 0; n < j->m.n_params; n++) {
        judge_gradient(j, "dparams", &j->m.dparams[n], params[n], 16);
        free(params[n]);
    }
    if (dbias != NULL)
        judge_gradient(j, "dbias", j->g.dbias, dbias, 16);
    free(dbias);
}

static void judge(struct job *j, bool turns)
{
    CHECK_OK(locant_attention_reference(&j->m.out, &j->m.lse, &j->a));
    test_forward(&j->out, &j->lse, &j->a);
    judge_elements(j, turns);
    judge_length(j);
    judge_gradients(j);
}

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

static void set_dense(struct job *j, struct dense *d)
{
    const int64_t size[4] = { j->m.B, j->m.H, j->m.T, j->m.S };

    dense_bias(d, size, LOCANT_BF16, (unsigned)test_range(0, 7));
    dense_visible(d, size, (unsigned)test_range(0, 15));
    j->a.bias = &d->bias;
    j->a.visible = &d->visible;
    j->g.dbias = j->m.g.dbias = &d->dbias;
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
                                    .mask = (locant_mask)(n % 2),
                                    .S = S } };
            struct dense d = { .full = NULL };

            j.m.T = test_range(S > 70 ? S - 70 : 1, S);
            j.m.D = channels[test_range(0, encodings[e].rotates ? 4 : 6)];
            job_make(&j);
            if (n % 4 >= 2) {
                set_documents(&j.m);
                j.a.q_docs = &j.m.q_docs;
                j.a.k_docs = &j.m.k_docs;
            }
            if (n % 2 != 0)
                set_dense(&j, &d);
            judge(&j, encodings[e].rotates);
            dense_free(&d);
            job_free(&j);
        }
}

TEST(comes_near_the_reference)
{
    lct_arithmetic_bf16 = LCT_BF16_ALWAYS;
    test_each_isa(sweep);
    print_message("worst: out %.2f, gradients %.2f units of their size, lse "
                  "%.2g\n",
                  worst.out, worst.gradient, worst.lse);
}

/* --------------------------------------------------------------- the switch */

/* Does the switch change a bit of out? */
static bool switched(const char *spec)
{
    struct job j = { .m = { .spec = spec,
                            .dtype = LOCANT_F32,
                            .T = 20,
                            .S = 20,
                            .D = 16,
                            .H = 2 } };
    size_t bytes;
    void *before;
    bool differs;

    job_make(&j);
    bytes = mixed_size(&j.out) * sizeof(uint16_t);
    before = malloc(bytes);
    lct_arithmetic_bf16 = LCT_BF16_NEVER;
    test_forward(&j.out, &j.lse, &j.a);
    memcpy(before, j.out.data, bytes);
    lct_arithmetic_bf16 = LCT_BF16_ALWAYS;
    test_forward(&j.out, &j.lse, &j.a);
    differs = memcmp(before, j.out.data, bytes) != 0;
    free(before);
    job_free(&j);
    return differs;
}

/* Maps that widen and encodings of content keep to the widened rows. */
TEST(path_is_taken_where_it_is_said)
{
    for (size_t e = 0; e < LEN(encodings); e++)
        CHECK(switched(encodings[e].spec));
    CHECK(!switched("xpos"));
    CHECK(!switched("pope"));
    CHECK(!switched("rerope(window=4)"));
    CHECK(!switched("shaw"));
}
