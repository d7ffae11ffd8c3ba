/* test_kernels.c - every kernel of every instruction set against plain C */
#include "testing.h"
#include "kernel/kernels.h"
#include <math.h>
#include <string.h>

static float *floats(size_t n)
{
    float *p = test_guarded(n * sizeof(*p));

    for (size_t i = 0; i < n; i++)
        p[i] = (float)test_uniform();
    return p;
}

/* Kernels of one ISA, or NULL if this CPU lacks it. */
static const struct lct_kernels *kernels_at(int i)
{
    int available;
    const char *name = locant_isa_at(i, &available);

    if (name == NULL || !available)
        return NULL;
    CHECK_OK(locant_set_isa(name));
    return lct_kernels();
}

TEST(prints_which_isas_run)
{
    int available;

    for (int i = 0; locant_isa_at(i, &available) != NULL; i++)
        print_message("isa %s: %s\n", locant_isa_at(i, NULL),
                      available ? "runs here" : "not on this CPU");
}

/*
 * Each element is a chain of k fused steps: error below k * 2^-24 times the sum
 * of magnitudes; one more rounding a step without FMA, so twice that.
 */
static void check_product(const struct lct_product *x, const float *start)
{
    for (size_t at = 0; at < x->m * x->n; at++) {
        size_t i = at / x->n, j = at % x->n;
        double shrink = x->rescale == NULL ? 1 : (double)x->rescale[i];
        double want = x->add ? (double)start[at] * shrink : 0;
        double size = fabs(want);

        for (size_t p = 0; p < x->k; p++) {
            double term = (double)x->a[i * x->a_row + p * x->a_col] *
                          (double)x->b[p * x->n + j];

            want += term;
            size += fabs(term);
        }
        if (fabs(x->c[at] - want) > 2 * (double)(x->k + 1) * 0x1p-24 * size)
            FAIL("[%zu,%zu,%zu] at %zu,%zu: got %g, want %g", x->m, x->n, x->k,
                 i, j, (double)x->c[at], want);
    }
}

TEST(matmul_matches_double)
{
    for (int round = 0; round < 200; round++) {
        size_t m = (size_t)test_range(1, 20), k = (size_t)test_range(1, 70);
        size_t n = LCT_COLUMN_STEP * (size_t)test_range(1, 12);
        bool transposed = test_range(0, 1);
        float *a = floats(m * k), *b = floats(k * n), *c = floats(m * n);
        float *start = floats(m * n), *shrink = floats(m);
        struct lct_product x = { .c = c,
                                 .c_row = n,
                                 .a = a,
                                 .a_row = transposed ? 1 : k,
                                 .a_col = transposed ? m : 1,
                                 .b = b,
                                 .b_row = n,
                                 .m = m,
                                 .n = n,
                                 .k = k,
                                 .add = test_range(0, 1),
                                 .rescale = test_range(0, 1) ? shrink : NULL };

        for (int isa = 0; locant_isa_at(isa, NULL) != NULL; isa++) {
            const struct lct_kernels *kernels = kernels_at(isa);

            if (kernels == NULL)
                continue;
            memcpy(c, start, m * n * sizeof(*c));
            kernels->matmul(&x);
            check_product(&x, start);
        }
        test_guarded_free(a, m * k * sizeof(*a));
        test_guarded_free(b, k * n * sizeof(*b));
        test_guarded_free(c, m * n * sizeof(*c));
        test_guarded_free(start, m * n * sizeof(*start));
        test_guarded_free(shrink, m * sizeof(*shrink));
    }
    CHECK_OK(locant_set_isa(NULL));
}

/*
 * Argument reduction leaves |r| <= 0.35 with an error of 2^-25, the polynomial
 * 2^-28, and the last steps of Horner one and a half roundings: under 2 ulp.
 * By a table |r| <= 0.044, with 2^-28; the polynomial 2^-25, the entry and the
 * last step half an ulp each, what is added there 2^-28: under 1.5 ulp.
 */
TEST(exponential_is_within_two_ulp)
{
    enum { N = 1 << 16 };
    float *s = test_guarded(N * sizeof(*s)), *zero = floats(LCT_PAD);
    double worst = 0;

    memset(zero, 0, LCT_PAD * sizeof(*zero));
    for (int isa = 0; locant_isa_at(isa, NULL) != NULL; isa++) {
        const struct lct_kernels *kernels = kernels_at(isa);

        for (int i = 0; kernels != NULL && i < N; i++)
            s[i] = -87.3f * (float)i / N;
        if (kernels == NULL)
            continue;
        kernels->recompute_probs(s, LCT_PAD, N / LCT_PAD, LCT_PAD, zero);
        for (int i = 0; i < N; i++) {
            double ulp = test_ulp(s[i], exp(-87.3f * (float)i / N));

            worst = ulp > worst ? ulp : worst;
        }
        s[0] = -INFINITY;
        s[1] = -1e30f;
        s[2] = NAN;
        s[3] = 0;
        kernels->recompute_probs(s, LCT_PAD, 1, LCT_PAD, zero);
        CHECK(s[0] == 0 && s[1] == 0 && isnan(s[2]) && s[3] == 1);
    }
    print_message("worst exponential: %.3f ulp\n", worst);
    CHECK(worst < 2);
    test_guarded_free(s, N * sizeof(*s));
    test_guarded_free(zero, LCT_PAD * sizeof(*zero));
    CHECK_OK(locant_set_isa(NULL));
}

/* One problem of the softmax kernels; results of an ISA go to 'result'. */
enum { KEYS = 37, LANES = 48 };
struct softmax_result {
    float p[KEYS * LANES], top[LANES], sum[LANES], rescale[LANES];
    float ds[KEYS * LANES];
};

static void run_softmax(struct softmax_result *r,
                        const struct lct_kernels *kernels, const float *s)
{
    for (int i = 0; i < LANES; i++) {
        r->top[i] = -INFINITY;
        r->sum[i] = 0;
    }
    for (int half = 0; half < 2; half++) {
        size_t from = half ? 17 : 0, keys = half ? KEYS - 17 : 17;

        memcpy(r->p + from * LANES, s + from * LANES,
               keys * LANES * sizeof(float));
        kernels->softmax_step(r->p + from * LANES, LANES, keys, LANES, r->top,
                              r->sum, r->rescale);
    }
    memcpy(r->ds, s, sizeof(r->ds));
    kernels->softmax_gradient(r->ds, r->p, LANES, KEYS, LANES, r->sum);
}

TEST(running_softmax_matches_plain_softmax)
{
    static struct softmax_result r;
    float *s = floats(KEYS * LANES);

    for (int i = 0; i < KEYS; i++)
        s[i * LANES + 5] = -INFINITY; /* lane 5 sees nothing */
    for (int i = 0; i < KEYS; i++)
        s[i * LANES + 7] *= 80;
    for (int isa = 0; locant_isa_at(isa, NULL) != NULL; isa++) {
        const struct lct_kernels *kernels = kernels_at(isa);

        if (kernels == NULL)
            continue;
        run_softmax(&r, kernels, s);
        CHECK(r.top[5] == -INFINITY && r.sum[5] == 0);
        for (int lane = 0; lane < LANES; lane++) {
            double top = -INFINITY, sum = 0;

            /* no fmax(): GCC 12 breaks down over it on aarch64 */
            for (int j = 0; j < KEYS; j++)
                if ((double)s[j * LANES + lane] > top)
                    top = (double)s[j * LANES + lane];
            for (int j = 0; j < KEYS && top > -INFINITY; j++)
                sum += exp((double)s[j * LANES + lane] - top);
            CHECK((double)r.top[lane] == top);
            /* 37 terms of 2 ulp, 37 additions, one product */
            CHECK(fabs(r.sum[lane] - sum) <= 80 * 0x1p-24 * sum);
        }
    }
    test_guarded_free(s, KEYS * LANES * sizeof(*s));
    CHECK_OK(locant_set_isa(NULL));
}

/* Exact kernels agree on every ISA; fused ones wherever there is FMA. */
TEST(same_bits_on_every_isa)
{
    static struct softmax_result got, want;
    float *x = floats(146), *c = floats(73), *s = floats(73), *y = floats(146);
    float *scores = floats(KEYS * LANES), row[146];
    bool first = true;

    for (int isa = 0; locant_isa_at(isa, NULL) != NULL; isa++) {
        const struct lct_kernels *kernels = kernels_at(isa);

        if (kernels == NULL)
            continue;
        for (size_t half = 1; half <= 73; half++) {
            for (size_t i = 0; i < half; i++) {
                row[i] = x[i] * c[i] - x[i + half] * s[i];
                row[i + half] = x[i] * s[i] + x[i + half] * c[i];
            }
            kernels->rope(&(struct lct_rope){ .out = y,
                                              .x = x,
                                              .cosines = c,
                                              .sines = s,
                                              .rows = 1,
                                              .heads = 1,
                                              .pairs = half,
                                              .sign = 1 });
            assert_memory_equal(y, row, 2 * half * sizeof(*y));
            for (size_t i = 0; i < half; i++) {
                row[2 * i] = x[2 * i] * c[i] - x[2 * i + 1] * s[i];
                row[2 * i + 1] = x[2 * i + 1] * c[i] + x[2 * i] * s[i];
            }
            memcpy(y, x, 2 * half * sizeof(*y));
            kernels->rope(&(struct lct_rope){ .out = y,
                                              .x = y,
                                              .cosines = c,
                                              .sines = s,
                                              .rows = 1,
                                              .heads = 1,
                                              .pairs = half,
                                              .sign = 1,
                                              .interleaved = true });
            assert_memory_equal(y, row, 2 * half * sizeof(*y));
        }
        if (strcmp(kernels->isa, "base") == 0)
            continue;
        run_softmax(first ? &want : &got, kernels, scores);
        if (!first)
            assert_memory_equal(&got, &want, sizeof(got));
        first = false;
    }
    test_guarded_free(x, 146 * sizeof(*x));
    test_guarded_free(y, 146 * sizeof(*y));
    test_guarded_free(c, 73 * sizeof(*c));
    test_guarded_free(s, 73 * sizeof(*s));
    test_guarded_free(scores, KEYS * LANES * sizeof(*scores));
    CHECK_OK(locant_set_isa(NULL));
}

/* ------------------------------------------------------- heads of a token */

enum { HEADS = 3, ROWS = 2, PAIRS = 128, ROOM = HEADS * ROWS * 2 * PAIRS };

/* A row of r turned by the formula: in float32, then rounded. */
static void turn_plainly(void *row, const struct lct_rope *r, size_t t,
                         const struct lct_kernels *k)
{
    float wide[2 * PAIRS], *x = wide;

    if (r->kind == LCT_STORED_F32)
        x = row;
    else
        k->widen(x, row, r->kind, 2 * r->pairs);
    for (size_t i = 0; i < r->pairs; i++) {
        float *a = x + (r->interleaved ? 2 * i : i);
        float *b = r->interleaved ? a + 1 : a + r->pairs;
        float c = r->cosines[t * r->table_row + i];
        float s = r->sign * r->sines[t * r->table_row + i];
        float turned = *a * c - *b * s;

        *b = *a * s + *b * c;
        *a = turned;
    }
    if (r->kind != LCT_STORED_F32)
        k->narrow(row, r->kind, x, 2 * r->pairs);
}

/*
 * In place and not, past the caches too, against the formula for one row at a
 * time; one row is of denormals, which instructions for bfloat16 would lose.
 */
static void check_heads(const struct lct_kernels *k, struct lct_rope *r)
{
    static float start[ROOM], want[ROOM];
    static _Alignas(64) float got[ROOM]; /* streams need an alignment */
    size_t size = r->kind == LCT_STORED_F32 ? 4 : 2;
    size_t row = 2 * r->pairs * size;

    for (size_t i = 0; i < ROOM; i++)
        got[i] = start[i] =
            (float)test_uniform() * (i / (2 * r->pairs) == 1 ? 0x1p-127f : 1);
    if (r->kind != LCT_STORED_F32)
        k->narrow(start, r->kind, got, ROOM);
    memcpy(want, start, sizeof(want));
    memcpy(got, start, sizeof(got));
    r->out_row = r->x_row = (ptrdiff_t)row;
    r->out_head = r->x_head = (ptrdiff_t)(ROWS * row);
    for (size_t i = 0; i < HEADS * ROWS; i++)
        turn_plainly((char *)want + i * row, r, i % ROWS, k);
    r->x = start;
    r->out = got;
    k->rope(r);
    assert_memory_equal(got, want, HEADS * ROWS * row);
    memset(got, 0, sizeof(got));
    r->streams = true;
    k->rope(r);
    assert_memory_equal(got, want, HEADS * ROWS * row);
    r->streams = false;
    r->out = start;
    k->rope(r);
    assert_memory_equal(start, want, HEADS * ROWS * row);
}

TEST(heads_turn_by_the_angles_of_their_row)
{
    float *c = floats(ROWS * PAIRS), *s = floats(ROWS * PAIRS);

    for (int isa = 0; locant_isa_at(isa, NULL) != NULL; isa++) {
        const struct lct_kernels *k = kernels_at(isa);

        for (size_t pairs = 1; k != NULL && pairs <= PAIRS; pairs++)
            for (int i = 0; i < 3 * 2 * 2; i++)
                check_heads(
                    k, &(struct lct_rope){ .cosines = c,
                                           .sines = s,
                                           .table_row = pairs,
                                           .rows = ROWS,
                                           .heads = HEADS,
                                           .pairs = pairs,
                                           .kind = (enum lct_stored)(i % 3),
                                           .interleaved = i / 3 % 2 != 0,
                                           .sign = i / 6 != 0 ? 1 : -1 });
    }
    test_guarded_free(c, ROWS * PAIRS * sizeof(*c));
    test_guarded_free(s, ROWS * PAIRS * sizeof(*s));
    CHECK_OK(locant_set_isa(NULL));
}

static void check_interleaved(void)
{
    for (int64_t n = 0; n < 70; n++) {
        int64_t twice = 2 * n;
        OWNED(locant_tensor) a = TENSOR(F32, n);
        OWNED(locant_tensor) b = TENSOR(F32, n);
        OWNED(locant_tensor) out = TENSOR(F32, twice);
        const float *got = out.data;

        lct_kernels()->interleave(out.data, a.data, b.data, (size_t)n);
        for (int64_t i = 0; i < n; i++)
            CHECK(got[2 * i] == ((float *)a.data)[i] &&
                  got[2 * i + 1] == ((float *)b.data)[i]);
    }
}

TEST(rows_are_interleaved)
{
    test_each_isa(check_interleaved);
}
