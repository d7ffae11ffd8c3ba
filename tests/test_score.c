/* test_score.c - losses of models, and extensions that their files do not
 * have */
/* needs: lab */
#define _GNU_SOURCE
#include "net_case.h"
#include "scratch.h"

#include "families/plan_with.h"
#include "locant/files.h"
#include <math.h>

enum { B = 2, T = 40, VOCAB = 64 };

/* A batch of random tokens. */
struct text {
    int64_t ids[B * T], mask[B * T];
    locant_tensor of_ids, of_mask;
    locant_model_input input;
};

static void draw(struct text *t, int64_t vocab)
{
    const int64_t shape[] = { B, T };

    draw_ids(t->ids, B * T, vocab);
    for (int i = 0; i < B * T; i++)
        t->mask[i] = i < 3 ? 0 : 1; /* padding on the left of the first row */
    t->of_ids = locant_dense(t->ids, LOCANT_I64, 2, shape);
    t->of_mask = locant_dense(t->mask, LOCANT_I64, 2, shape);
    t->input = (locant_model_input)LOCANT_MODEL_INPUT_INIT;
    t->input.ids = &t->of_ids;
}

static void losses(double *out, const char *name, const char *with,
                   struct text *t)
{
    const int64_t shape[] = { B, T - 1 };
    locant_tensor to = locant_dense(out, LOCANT_F64, 2, shape);
    char path[PATH_MAX];
    locant_model *m;

    snprintf(path, sizeof path, "%s%s", name[0] == '/' ? "" : FIXTURES, name);
    CHECK_OK(locant_model_open_with(&m, path, LOCANT_F64, with));
    CHECK_OK(locant_model_losses(&to, m, &t->input));
    locant_model_close(m);
}

static int64_t vocab_of(const char *name)
{
    locant_model *m = opened(name, LOCANT_F64);
    const int64_t vocab = locant_model_info_of(m).vocab;

    locant_model_close(m);
    return vocab;
}

/* ln sum exp(logits) - logit, from the logits of all tokens: some roundings of
   double of numbers below 100. */
static void check_losses(const char *name, int with_mask)
{
    static double logits[B * T * 512], got[B * (T - 1)];
    int64_t vocab = vocab_of(name);
    const int64_t shape[] = { B, T, vocab };
    locant_tensor out = locant_dense(logits, LOCANT_F64, 3, shape);
    locant_model *m;
    struct text t;

    assert_true(vocab <= 512);
    draw(&t, vocab);
    if (with_mask)
        t.input.mask = &t.of_mask;
    m = opened(name, LOCANT_F64);
    CHECK_OK(locant_model_logits(&out, NULL, m, &t.input, 0));
    locant_model_close(m);
    losses(got, name, NULL, &t);
    for (int64_t i = 0; i < B * (T - 1); i++) {
        int64_t at = i / (T - 1) * T + i % (T - 1);
        const double *x = logits + at * vocab;
        double sum = 0, want;

        for (int64_t v = 0; v < vocab; v++)
            sum += exp(x[v]);
        want = log(sum) - x[t.ids[at + 1]];
        if (with_mask && (t.mask[at] == 0 || t.mask[at + 1] == 0)) {
            assert_true(isnan(got[i]));
            continue;
        }
        if (!(fabs(got[i] - want) <= 1e-12))
            FAIL("%s, token %d: %.17g, expected %.17g\n", name, (int)at, got[i],
                 want);
    }
}

TEST(losses_are_those_of_the_logits)
{
    static const char *const names[] = { "llama",   "gemma2",  "gpt_neox",
                                         "cohere2", "gpt_oss", "mpt" };

    for (size_t i = 0; i < LEN(names); i++)
        check_losses(names[i], 0);
    check_losses("llama", 1);
}

static void check_same(const char *name, const char *with, const char *other,
                       double most, double least)
{
    double a[B * (T - 1)], b[B * (T - 1)], worst = 0;
    struct text t;

    draw(&t, 12);
    losses(a, name, with, &t);
    losses(b, name, other, &t);
    for (int i = 0; i < B * (T - 1); i++)
        worst = fmax(worst, fabs(a[i] - b[i]));
    if (!(worst <= most && worst >= least))
        FAIL("%s: %s and %s differ by %g\n", name, with ? with : "nothing",
             other ? other : "nothing", worst);
}

/* What changes nothing within the text, to rounding; and what does. */
TEST(extensions_are_what_they_are_called)
{
    const double same = 1e-11, differs = 1e-4;

    check_same("llama", "window(size=40)", NULL, same, 0);
    check_same("llama", "selfextend(group=4,window=40)", NULL, same, 0);
    check_same("llama", "rerope(window=40)", NULL, same, 0);
    check_same("llama", "streaming(sinks=2,window=40)", NULL, same, 0);
    check_same("llama", "pi(factor=1)", NULL, same, 0);
    check_same("llama", "rope", NULL, same, 0);
    check_same("llama", "pi(factor=4)", "rope(scaling=linear(factor=4))", same,
               0);
    /* The trained length of the fixture is 24. */
    check_same("llama", "yarn(factor=4)",
               "rope(scaling=yarn(factor=4,original=24))", same, 0);
    check_same("llama", "ntk(factor=4)", "rope(scaling=ntk(factor=4))", same,
               0);
    check_same("llama", "longrope(factor=4,critical=1)",
               "rope(scaling=longrope(factor=4,original=24,critical=1))", same,
               0);
    check_same("llama", "window(size=8)", NULL, INFINITY, differs);
    check_same("llama", "selfextend(group=4,window=8)", NULL, INFINITY,
               differs);
    check_same("llama", "rerope(window=8)", NULL, INFINITY, differs);
    check_same("llama", "pi(factor=4)", NULL, INFINITY, differs);
    check_same("llama", "yarn(factor=4)", "pi(factor=4)", INFINITY, differs);
    /* A part of the head, and layers of which only some are changed. */
    check_same("gpt_neox", "pi(factor=4)",
               "rope(dim=4,scaling=linear(factor=4))", same, 0);
    check_same("gemma3", "pi(factor=8)", NULL, same, 0);
    check_same("gemma3", "pi(factor=2)", NULL, INFINITY, differs);
}

/* 'extend' writes a config whose model has the losses of the same extension by
   score. */
TEST(extensions_are_those_of_extend)
{
    static const struct {
        const char *method, *with;
    } cases[] = { { "pi", "pi(factor=4)" },
                  { "yarn", "yarn(factor=4)" },
                  { "llama3", "llama3(factor=4)" },
                  { "dynamic", "dynamic(factor=4)" } };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct scratch folder = scratch_make();
        locant_extend_options o = LOCANT_EXTEND_OPTIONS_INIT;
        double a[B * (T - 1)], b[B * (T - 1)];
        char config[PATH_MAX], *text, real[PATH_MAX];
        struct text t;
        size_t n;

        text = scratch_read(FIXTURES "llama/model.safetensors", &n);
        CHECK_OK(locant_file_write(scratch_file(&folder, "model.safetensors"),
                                   text, n));
        free(text);
        snprintf(config, sizeof config, "%s/config.json", folder.path);
        o.model = FIXTURES "llama";
        o.to = 96;
        o.method = cases[i].method;
        o.config_out = config;
        CHECK_OK(locant_model_extend(&text, NULL, &o));
        locant_release(text);
        draw(&t, 12);
        losses(a, "llama", cases[i].with, &t);
        assert_non_null(realpath(folder.path, real));
        losses(b, real, NULL, &t);
        for (int k = 0; k < B * (T - 1); k++)
            if (!(fabs(a[k] - b[k]) <= 1e-11))
                FAIL("%s: %.17g, %.17g\n", cases[i].method, a[k], b[k]);
        scratch_remove(&folder);
    }
}

static void check_spec(const char *config, const char *with, const char *want)
{
    struct lct_config c;
    struct lct_position_plan p;

    CHECK_OK(lct_config_parse(&c, config, strlen(config), "config.json"));
    CHECK_OK(lct_position_plan_of(&p, &c));
    CHECK_OK(lct_plan_with(&p, with));
    if (strcmp(p.towers[0].layers[0].spec, want) != 0)
        FAIL("%s: '%s', expected '%s'\n", with, p.towers[0].layers[0].spec,
             want);
    lct_position_plan_free(&p);
    lct_config_free(&c);
}

TEST(specs_of_extensions)
{
#define LLAMA                                                                  \
    "\"model_type\": \"llama\", \"hidden_size\": 512, "                        \
    "\"num_attention_heads\": 4, \"num_hidden_layers\": 1, "                   \
    "\"max_position_embeddings\": 4096"
    const char *plain = "{" LLAMA ", \"rope_theta\": 5e5}";
    const char *scaled = "{" LLAMA ", \"rope_scaling\": {\"rope_type\": "
                         "\"linear\", \"factor\": 2}}";

    check_spec(plain, "yarn(factor=4)",
               "rope(base=500000,scaling=yarn(factor=4,original=4096))");
    check_spec(plain, "yarn(factor=4,original=8192)",
               "rope(base=500000,scaling=yarn(factor=4,original=8192))");
    check_spec(plain, "selfextend(group=4,window=1024)",
               "selfextend(group=4,window=1024,base=500000)");
    check_spec(plain, "rerope(window=64,base=10000)", "rerope(window=64)");
    check_spec(plain, "window(size=64)", "window(size=64)+rope(base=500000)");
    check_spec(plain, "rope(base=1e6)", "rope(base=1000000)");
    check_spec(plain, "longrope(factor=4)",
               "rope(base=500000,scaling=longrope(original=4096,factor=4,"
               "critical=32))");
    check_spec(scaled, "pi(factor=8)", "rope(scaling=linear(factor=8))");
}

TEST(refuses_other_words)
{
    locant_model *m;

    CHECK_REFUSED(
        locant_model_open_with(&m, FIXTURES "llama", LOCANT_F32, "dca(size=3)"),
        LOCANT_ERR_PARAM,
        "'dca(size=3)': expected pi, linear, ntk, dynamic, yarn, "
        "longrope, llama3, proportional, mixed-radix, rope, "
        "selfextend, rerope, streaming or window, with keys in "
        "brackets");
    assert_int_equal(locant_model_open_with(&m, FIXTURES "llama", LOCANT_F32,
                                            "yarn(factors=4)"),
                     LOCANT_ERR_PARAM);
    assert_null(m);
    assert_int_equal(
        locant_model_open_with(&m, FIXTURES "gpt2", LOCANT_F32, "pi(factor=4)"),
        LOCANT_ERR_UNSUPPORTED);
    assert_int_equal(
        locant_model_open_with(&m, FIXTURES "gpt_neox", LOCANT_F32, "rerope"),
        LOCANT_ERR_UNSUPPORTED);
}
