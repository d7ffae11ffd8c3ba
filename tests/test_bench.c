/* needs: bench */
/* test_bench.c - ranges, statistics, the table of cases and its values */
#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"
#include "testing.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ ranges */

TEST(ranges_are_read)
{
    static const struct {
        const char *text;
        int n;
        int64_t at[6];
    } good[] = {
        { "512", 1, { 512 } },
        { "1,2", 2, { 1, 2 } },
        { "512-8192*2", 5, { 512, 1024, 2048, 4096, 8192 } },
        { "512-8191*2", 4, { 512, 1024, 2048, 4096 } },
        { "64-256+96", 3, { 64, 160, 256 } },
        { "3-5", 3, { 3, 4, 5 } },
        { "7-7*3", 1, { 7 } },
        { "8,1-9*3,2", 5, { 8, 1, 3, 9, 2 } },
        { "1073741824", 1, { 1073741824 } },
    };

    for (size_t i = 0; i < LEN(good); i++) {
        struct bench_range r;

        assert_null(bench_range_parse(&r, good[i].text));
        assert_int_equal(r.n, good[i].n);
        for (int k = 0; k < r.n; k++)
            assert_int_equal(r.at[k], good[i].at[k]);
    }
}

TEST(bad_ranges_are_refused)
{
    static const char *const bad[] = {
        "",        ",",          "1,",    "0",     "-4",
        "x",       "1 ",         " 1",    "+1",    "1-",
        "1-2*",    "4-2",        "1-8*1", "1-8*0", "1-8+0",
        "1;2",     "1073741825", "1-65",  "1e3",   "99999999999999999999",
        "2-4*2*2", "1,,2",
    };

    for (size_t i = 0; i < LEN(bad); i++) {
        struct bench_range r;

        if (bench_range_parse(&r, bad[i]) == NULL)
            FAIL("'%s' was taken for a range", bad[i]);
    }
}

/* -------------------------------------------------------------- statistics */

/* By hand: the quartiles of 1 2 4 8 16 are 2 and 8. */
TEST(statistics_of_known_values)
{
    double odd[] = { 16, 1, 8, 2, 4 }, even[] = { 3, 1, 2, 10 };
    double one[] = { 5 };
    struct bench_summary s = bench_summarise(odd, 5);

    assert_true(s.min == 1 && s.median == 4 && s.spread == 1.5);
    s = bench_summarise(even, 4); /* quartiles 1.75 and 4.75 */
    assert_true(s.min == 1 && s.median == 2.5 && s.spread == 3 / 2.5);
    s = bench_summarise(one, 1);
    assert_true(s.min == 5 && s.median == 5 && s.spread == 0);
    s = bench_summarise(one, 0);
    assert_true(s.min == 0 && s.median == 0 && s.spread == 0);
}

/* By hand: a power exactly, and of logs 0 1 2 against 0 1 1 the slope 1/2. */
TEST(exponents_of_known_powers)
{
    const double x[] = { 128, 512, 2048, 4096 };
    const double two[] = { 1, 2, 4 }, bent[] = { 3, 6, 6 };
    double y[LEN(x)];

    for (size_t i = 0; i < LEN(x); i++)
        y[i] = 7 * x[i] * sqrt(x[i]);
    /* logs are right to an ulp of at most 14, over a spread of 3.5 */
    assert_true(fabs(bench_exponent(x, y, (int)LEN(x)) - 1.5) < 1e-14);
    assert_true(fabs(bench_exponent(two, bent, 3) - 0.5) < 1e-14);
}

/* ------------------------------------------------------------------- table */

/* Each member of the struct but the name and what is not timed has a row. */
static void each_has_a_row(const struct bench_kernels *of)
{
    const size_t size = sizeof(void (*)(void));

    for (size_t at = sizeof(const char *); at < of->size; at += size) {
        int rows = at == of->untimed[0] || at == of->untimed[1];

        for (const struct bench_kernel *k = of->rows; k->name != NULL; k++)
            rows += k->member == at;
        if (rows == 0)
            FAIL("function %zu of struct %s has no row",
                 (at - sizeof(const char *)) / size, of->name);
    }
    for (const struct bench_kernel *k = of->rows; k->name != NULL; k++)
        assert_true(k->work->every_isa && k->work->one_thread);
}

TEST(every_kernel_has_a_row)
{
    each_has_a_row(&bench_kernels);
    each_has_a_row(&bench_nn);
}

static struct bench_options options(const struct bench_request *typed)
{
    struct bench_options o;
    char why[512] = "";

    if (!bench_options_read(&o, typed, why, sizeof(why)))
        FAIL("%s", why);
    return o;
}

static int count(const struct bench_request *typed, struct bench_case **out)
{
    struct bench_options o = options(typed);
    struct bench_case *cases;
    int n = bench_cases(&cases, &o);

    assert_true(n >= 0);
    if (out != NULL)
        *out = cases;
    else
        free(cases);
    return n;
}

static int kernels(void)
{
    int n = 0;

    while (bench_kernels.rows[n].name != NULL)
        n++;
    for (int i = 0; bench_nn.rows[i].name != NULL; i++)
        n++;
    return n;
}

/* Every line of the table has sizes and encodings that are well formed. */
TEST(table_is_well_formed)
{
    const struct bench_family *f;
    struct bench_case *cases;
    int n = count(&(struct bench_request){ 0 }, &cases);

    for (int i = 0; (f = bench_family_at(i)) != NULL; i++) {
        struct bench_range r;

        assert_null(bench_range_parse(&r, f->tokens));
        assert_null(bench_range_parse(&r, f->dims));
        if (f->quick != NULL)
            assert_null(bench_range_parse(&r, f->quick));
    }
    for (int i = 0; i < n; i++) {
        locant_encoding *e = NULL;

        if (cases[i].spec[0] != '\0')
            CHECK_OK(locant_encoding_create(&e, cases[i].spec));
        locant_encoding_free(e);
        for (int k = 0; k < i; k++)
            if (cases[k].family->subject == cases[i].family->subject &&
                strcmp(cases[k].name, cases[i].name) == 0)
                FAIL("two rows are named %s", cases[i].name);
    }
    free(cases);
}

TEST(quick_has_every_kernel_and_operation)
{
    const struct bench_request quick = { .quick = true };
    struct bench_case *cases;
    int n = count(&quick, &cases), found = 0;
    unsigned seen = 0;

    for (int i = 0; i < n; i++) {
        found += cases[i].kernel != NULL;
        seen |= 1u << cases[i].family->subject;
    }
    assert_int_equal(found, kernels());
    /* Memory at 32768 tokens takes half a minute. */
    assert_int_equal(seen, ((1u << SUBJECTS) - 1) & ~(1u << SUBJECT_MEMORY));
    free(cases);
}

/* One kernel, quickly: a row of each instruction set that this machine has. */
TEST(quick_kernel_runs_on_every_isa)
{
    const struct bench_request quick = { .quick = true };
    const struct bench_options o = { .format = FORMAT_CSV, .quick = true };
    struct bench_case *cases;
    int n = count(&quick, &cases), i = 0, available, isas = 0, rows = 0;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    while (i < n && cases[i].kernel == NULL)
        i++;
    assert_true(i < n);
    assert_int_equal(bench_run_cases(&o, f, &cases[i], 1), 0);
    assert_int_equal(fclose(f), 0);
    for (int k = 0; locant_isa_at(k, &available) != NULL; k++)
        isas += available != 0;
    for (const char *p = text; (p = strchr(p, '\n')) != NULL; p++)
        rows++;
    assert_int_equal(rows, 1 + isas); /* the first line names columns */
    free(text);
    free(cases);
}

/* With sizes given, rows are those sizes and no kernels. */
TEST(options_choose_rows)
{
    const struct bench_request typed = { .tokens = "64,96",
                                         .dims = "32",
                                         .spec = " alibi ( symmetric = yes ) ",
                                         .only = "forward" };
    struct bench_case *cases;
    int n = count(&typed, &cases), causal = 0;

    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        const struct bench_case *c = &cases[i];

        assert_string_equal(c->spec, "alibi(symmetric=yes)");
        assert_true(c->tokens == 64 || c->tokens == 96);
        assert_int_equal(c->dim, 32);
        assert_null(c->kernel);
        assert_non_null(strstr(c->name, "forward"));
        causal += c->causal;
    }
    assert_true(causal > 0 && causal < n);
    free(cases);
    assert_int_equal(count(&(struct bench_request){ .only = "kernels" }, NULL),
                     kernels());
    assert_int_equal(count(&(struct bench_request){ .only = "no row" }, NULL),
                     0);
}

/* An encoding of the input door goes where positions are added, or a model is
 * trained; one that turns goes nowhere near it. */
TEST(encodings_go_through_their_doors)
{
    struct bench_case *cases;
    int n = count(&(struct bench_request){ .spec = "sinusoidal" }, &cases);

    assert_true(n > 0);
    for (int i = 0; i < n; i++)
        assert_true(cases[i].family->subject == SUBJECT_INPUT ||
                    cases[i].family->subject == SUBJECT_TRAIN);
    free(cases);
    n = count(&(struct bench_request){ .spec = "rope" }, &cases);
    for (int i = 0; i < n; i++)
        assert_true(cases[i].family->subject != SUBJECT_INPUT);
    free(cases);
}

/*
 * Rows of training have the models' sizes and as many tokens a step at every
 * length; the operations of a token are counted by hand: of S 49152 weights in
 * a layer, of M 110592, of L 196608, and 256 times the width.
 */
TEST(models_are_those_of_the_lab)
{
    static const struct {
        const char *only;
        int rows;
        double first, last; /* operations of a token */
    } models[] = {
        { "training step, S, rope", 1, 6 * (163840 + 24576),
          6 * (163840 + 24576) },
        { "training step, M, rope", 1, 6 * (356352 + 36864),
          6 * (356352 + 36864) },
        { "training step, L, rope", 1, 6 * (819200 + 65536),
          6 * (819200 + 65536) },
        { "training step, S by length, rope", 6, 6 * (163840 + 24576),
          6 * (163840 + 786432) },
    };

    for (size_t i = 0; i < LEN(models); i++) {
        const struct bench_request typed = { .only = models[i].only };
        struct bench_case *cases;
        int n = count(&typed, &cases);

        assert_int_equal(n, models[i].rows);
        for (int k = 0; k < n; k++)
            assert_int_equal(cases[k].batch * cases[k].tokens,
                             cases[k].family->step);
        assert_true(bench_train_flops(&cases[0]) == models[i].first);
        assert_true(bench_train_flops(&cases[n - 1]) == models[i].last);
        free(cases);
    }
}

/*
 * By hand, of Qwen2.5-0.5B: a layer has 896 x 896 of q and of o, 896 x 128 of k
 * and of v, and 3 x 896 x 4864 numbers.
 */
TEST(flops_of_a_checkpoint)
{
    const double layer = 2 * 802816 + 2 * 114688 + 13074432;
    struct bench_case *cases;
    int n = count(&(struct bench_request){ .only = "prompt, Qwen2.5" }, &cases);

    assert_int_equal(n, 2);
    assert_true(bench_model_flops(cases[0].family->shape, 512) ==
                512.0 * 24 * (2 * layer + 2 * 896 * 512));
    free(cases);
}

TEST(refusals_name_the_option)
{
    static const struct {
        struct bench_request typed;
        const char *start;
    } bad[] = {
        { { .tokens = "12x" }, "--tokens '12x': should be whole numbers" },
        { { .dims = "" }, "--dims '': should be whole numbers" },
        { { .threads = "1,2000" }, "--threads '1,2000': should be at most" },
        { { .isa = "mmx" }, "--isa 'mmx': should be one of " },
        { { .spec = "ropes" }, "--encoding 'ropes': " },
    };

    for (size_t i = 0; i < LEN(bad); i++) {
        struct bench_options o;
        char why[512] = "";

        assert_false(bench_options_read(&o, &bad[i].typed, why, sizeof(why)));
        if (strncmp(why, bad[i].start, strlen(bad[i].start)) != 0)
            FAIL("got '%s', want '%s..'", why, bad[i].start);
    }
}

TEST(bound_is_that_of_the_products)
{
    static const struct bench_work flops = { .peak = PEAK_FMA };
    struct bench_case c = { .work = &flops, .dtype = LOCANT_BF16 };
    bool built = false;
    const char *isa;

    for (int i = 0; (isa = locant_isa_at(i, NULL)) != NULL; i++)
        built |= strcmp(isa, "avx512bf16") == 0;
    assert_int_equal(bench_bound(&c, "avx512bf16") == PEAK_DOT, built);
    assert_int_equal(bench_bound(&c, "avx2"), PEAK_FMA);
    c.dtype = LOCANT_F16;
    assert_int_equal(bench_bound(&c, "avx512bf16"), PEAK_FMA);
}

/* ------------------------------------------------------------------ values */

/* What is drawn is held exactly by its type, and is not all one number. */
TEST(values_are_exact)
{
    static const locant_dtype types[] = { LOCANT_F32, LOCANT_F16, LOCANT_BF16 };
    enum { N = 1000 };
    float wide[N], back[N];
    union {
        float f[N];
        uint16_t h[N];
    } data;

    for (size_t t = 0; t < LEN(types); t++) {
        double sum = 0, squares = 0;

        bench_fill(&data, types[t], wide, N, 7);
        bench_widen(back, &data, types[t], N);
        assert_memory_equal(wide, back, sizeof(wide));
        for (int i = 0; i < N; i++) {
            sum += (double)wide[i];
            squares += (double)wide[i] * (double)wide[i];
        }
        /* 6 standard deviations of the mean and of the variance */
        assert_true(fabs(sum / N) < 6 / sqrt(N));
        assert_true(fabs(squares / N - 1) < 6 * sqrt(2.0 / N));
    }
}

/* float16 by its definition: 1.m x 2^(e - 15), or 0.m x 2^-14. */
TEST(float16_is_widened_by_definition)
{
    for (unsigned h = 0; h < 0x7c00; h++) {
        uint16_t bits = (uint16_t)h;
        int e = (int)(h >> 10), m = (int)(h & 0x3ff);
        double want = e == 0 ? ldexp(m, -24) : ldexp(1024 + m, e - 25);
        float got;

        bench_widen(&got, &bits, LOCANT_F16, 1);
        if ((double)got != want)
            FAIL("%#x: got %g, want %g", h, (double)got, want);
    }
}

static const char *goes_wrong(struct bench_result *r, bool quick)
{
    (void)quick;
    return r->c->causal ? "off by one" : NULL;
}

/* Not printed, and the status says so. */
TEST(wrong_results_are_an_error)
{
    static const struct bench_work work = { .unit = "GB/s",
                                            .plain_c = true,
                                            .one_thread = true,
                                            .measure = goes_wrong };
    static const struct bench_family family = { .name = "kind of work" };
    struct bench_case c = { .family = &family,
                            .work = &work,
                            .name = "this row" };
    const struct bench_options o = { .format = FORMAT_CSV };

    for (int wrong = 0; wrong < 2; wrong++) {
        char *text = NULL;
        size_t size;
        FILE *f = open_memstream(&text, &size);

        c.causal = wrong;
        assert_non_null(f);
        assert_int_equal(bench_run_cases(&o, f, &c, 1), wrong);
        assert_int_equal(fclose(f), 0);
        assert_true((strstr(text, "this row") == NULL) == wrong);
        free(text);
    }
}
