/* test_extend.c - extensions: their numbers, and that their settings are read
 * back as the plan they promise */
/* needs: lab */
#define _GNU_SOURCE
#include "scratch.h"
#include "testing.h"

#include "locant/files.h"
#include "locant/models.h"
#include <jansson.h>
#include <math.h>
#include <string.h>

static const char llama[] =
    "{\"model_type\": \"llama\", \"hidden_size\": 4096,"
    " \"num_attention_heads\": 32, \"num_hidden_layers\": 2,"
    " \"max_position_embeddings\": 4096, \"rope_theta\": 10000.0}";
static const char llama_5[] =
    "{\"model_type\": \"llama\", \"hidden_size\": 4096,"
    " \"num_attention_heads\": 32, \"num_hidden_layers\": 2,"
    " \"max_position_embeddings\": 4096,"
    " \"rope_parameters\": {\"rope_type\": \"default\","
    " \"rope_theta\": 10000.0}}";
static const char qwen[] =
    "{\"model_type\": \"qwen2\", \"hidden_size\": 3584,"
    " \"num_attention_heads\": 28, \"num_key_value_heads\": 4,"
    " \"num_hidden_layers\": 28, \"max_position_embeddings\": 32768,"
    " \"rope_theta\": 1000000.0}";
/* A quarter of the head is rotated; other names of keys. */
static const char neox[] =
    "{\"model_type\": \"gpt_neox\", \"hidden_size\": 512,"
    " \"num_attention_heads\": 4, \"num_hidden_layers\": 2,"
    " \"max_position_embeddings\": 2048, \"rotary_pct\": 0.25,"
    " \"rotary_emb_base\": 10000}";
static const char neox_5[] =
    "{\"model_type\": \"gpt_neox\", \"hidden_size\": 512,"
    " \"num_attention_heads\": 4, \"num_hidden_layers\": 2,"
    " \"max_position_embeddings\": 2048, \"rope_parameters\":"
    " {\"rope_type\": \"default\", \"rope_theta\": 10000.0,"
    " \"partial_rotary_factor\": 0.5}}";
static const char glm_5[] =
    "{\"model_type\": \"glm\", \"hidden_size\": 512, \"head_dim\": 128,"
    " \"num_attention_heads\": 4, \"num_key_value_heads\": 2,"
    " \"num_hidden_layers\": 2, \"max_position_embeddings\": 8192,"
    " \"rope_parameters\": {\"rope_type\": \"default\","
    " \"rope_theta\": 10000.0, \"partial_rotary_factor\": 0.5}}";
static const char gemma_5[] =
    "{\"model_type\": \"gemma3_text\", \"hidden_size\": 1152,"
    " \"head_dim\": 256, \"num_attention_heads\": 4,"
    " \"num_key_value_heads\": 1, \"num_hidden_layers\": 12,"
    " \"max_position_embeddings\": 32768, \"sliding_window\": 512,"
    " \"rope_parameters\": {\"full_attention\": {\"rope_type\": \"default\","
    " \"rope_theta\": 1000000.0}, \"sliding_attention\":"
    " {\"rope_type\": \"default\", \"rope_theta\": 10000.0}}}";
static const char longchat[] =
    "{\"model_type\": \"llama\", \"hidden_size\": 4096,"
    " \"num_attention_heads\": 32, \"num_hidden_layers\": 2,"
    " \"max_position_embeddings\": 16384, \"rope_scaling\":"
    " {\"type\": \"linear\", \"factor\": 8.0}}";

static json_t *extend(const char *model, int64_t to, const char *method,
                      const char *config_out)
{
    locant_extend_options o = LOCANT_EXTEND_OPTIONS_INIT;
    json_t *result;
    char *text;
    size_t n;

    o.model = model;
    o.to = to;
    o.method = method;
    o.config_out = config_out;
    CHECK_OK(locant_model_extend(&text, &n, &o));
    assert_int_equal(n, strlen(text));
    result = json_loads(text, 0, NULL);
    assert_non_null(result);
    locant_release(text);
    return result;
}

static json_t *extend_rope(double base, int64_t dim, int64_t trained,
                           int64_t to)
{
    locant_extend_options o = LOCANT_EXTEND_OPTIONS_INIT;
    json_t *result;
    char *text;

    o.base = base;
    o.dim = dim;
    o.trained = trained;
    o.to = to;
    CHECK_OK(locant_model_extend(&text, NULL, &o));
    result = json_loads(text, 0, NULL);
    assert_non_null(result);
    locant_release(text);
    return result;
}

static const json_t *method_of(const json_t *result, const char *name)
{
    const json_t *methods = json_object_get(result, "methods"), *m;
    size_t i;

    json_array_foreach(methods, i, m) {
        if (strcmp(json_string_value(json_object_get(m, "method")), name) == 0)
            return m;
    }
    FAIL("no method %s\n", name);
    return NULL;
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));

    return value != NULL ? value : "";
}

/* Qwen2.5-7B: 0.1 ln 4 + 1; Llama 2: 10000 4^(128/126). */
TEST(known_numbers)
{
    json_t *r = extend_rope(1e6, 128, 32768, 131072);

    assert_true(number(r, "factor") == 4);
    assert_true(fabs(number(method_of(r, "yarn"), "attention_factor") -
                     1.1386294361) < 1e-10);
    json_decref(r);
    r = extend_rope(10000, 128, 4096, 16384);
    assert_true(number(method_of(r, "ntk"), "base") == 40890);
    assert_string_equal(text(method_of(r, "pi"), "spec"),
                        "rope(scaling=linear(factor=4))");
    /* sqrt(1 + ln 4 / ln 4096) = sqrt(7/6) */
    assert_true(fabs(number(method_of(r, "longrope"), "attention_factor") -
                     sqrt(7.0 / 6)) < 1e-12);
    json_decref(r);
}

/* A group of G and a window W reach (T - W) G + W positions. */
TEST(groups_reach_the_length)
{
    static const struct {
        int64_t trained, to;
    } lengths[] = { { 4096, 16384 },
                    { 2048, 2049 },
                    { 32768, 1 << 20 },
                    { 100, 2000 },
                    { 8, 17 } };

    for (size_t i = 0; i < LEN(lengths); i++) {
        json_t *r = extend_rope(1e4, 64, lengths[i].trained, lengths[i].to);
        const char *spec = text(method_of(r, "selfextend"), "spec");
        long long g = 8, w = 512;

        if (strstr(spec, "group=") != NULL)
            g = atoll(strstr(spec, "group=") + 6);
        if (strstr(spec, "window=") != NULL)
            w = atoll(strstr(spec, "window=") + 7);
        if ((lengths[i].trained - w) * g + w < lengths[i].to || w % g != 0)
            FAIL("%lld to %lld: %s\n", (long long)lengths[i].trained,
                 (long long)lengths[i].to, spec);
        json_decref(r);
    }
}

/* Groups of half the trained length and more leave no window. */
TEST(groups_that_do_not_reach_are_not_offered)
{
    json_t *r = extend_rope(1e4, 64, 100, 99999), *m;
    size_t i, n = 0;

    json_array_foreach(json_object_get(r, "methods"), i, m) {
        assert_string_not_equal(text(m, "method"), "selfextend");
        n++;
    }
    assert_int_equal(n, 6);
    json_decref(r);
}

static void plan_hash(char out[65], const char *config, const char *what,
                      locant_stack as)
{
    locant_plan *p;

    CHECK_OK(locant_plan_parse(&p, config, strlen(config), what, as));
    snprintf(out, 65, "%s", locant_plan_hash(p));
    locant_plan_free(p);
}

/* The config with a setting pasted into it: keys that it has are replaced. */
static char *pasted(const char *config, const char *setting)
{
    json_t *c = json_loads(config, 0, NULL), *s = json_loads(setting, 0, NULL);
    char *out;

    assert_non_null(c);
    assert_non_null(s);
    json_object_update(c, s);
    out = json_dumps(c, 0);
    json_decref(c);
    json_decref(s);
    return out;
}

/* No check has anything to say, but of what a method or layer kinds are: keys
   in a cache of dynamic and longrope, programs that lack dynamic, scaled layers
   beside others. */
static void check_findings(const locant_findings *f, const char *config,
                           const char *method, const char *stack)
{
    for (size_t i = 0; i < f->n; i++) {
        const char *id = f->at[i].id;

        if (strcmp(id, "P09") != 0 &&
            ((strcmp(id, "L13") != 0 && strcmp(id, "X09") != 0) ||
             strcmp(method, "dynamic") != 0) &&
            (strcmp(id, "L11") != 0 || strcmp(method, "longrope") != 0))
            FAIL("%s\n%s for %s: %s %s\n", config, method, stack, id,
                 f->at[i].sentence);
    }
}

static void check_pasted(const char *config, const char *method,
                         const char *stack, locant_stack as)
{
    locant_check_options o = LOCANT_CHECK_OPTIONS_INIT;
    locant_findings f;

    o.stack = as;
    CHECK_OK(locant_model_check_text(&f, config, strlen(config), stack, &o));
    check_findings(&f, config, method, stack);
    locant_findings_free(&f);
}

/* The setting of a program, as files mean it and as that program reads it:
   mlx-lm takes the long list of LongRoPE at any length. */
static void check_setting(const char *config, const json_t *m,
                          const char *stack, locant_stack as)
{
    const char *line = text(json_object_get(m, "settings"), stack);
    const char *quoted = strchr(line, '\'');
    char setting[8192], *merged, hash[65];

    if (line[0] == '\0')
        return;
    snprintf(setting, sizeof setting, "%s", quoted ? quoted + 1 : line);
    if (quoted != NULL) /* --hf-overrides '{..}' of vLLM */
        *strrchr(setting, '\'') = '\0';
    merged = pasted(config, setting);
    plan_hash(hash, merged, stack, LOCANT_STACK_TRUE);
    if (strcmp(hash, text(m, "passport")) != 0)
        FAIL("%s for %s: %s\nhas another passport than %s\n", text(m, "method"),
             stack, merged, text(m, "spec"));
    plan_hash(hash, merged, stack, as);
    if (strcmp(hash, text(m, "passport")) != 0 &&
        (as != LOCANT_STACK_MLX || strcmp(text(m, "method"), "longrope") != 0))
        FAIL("%s, as %s reads it: %s\nhas another passport than %s\n",
             text(m, "method"), stack, merged, text(m, "spec"));
    check_pasted(merged, text(m, "method"), stack, as);
    free(merged);
}

/* Factors, lengths and lists are read back as the plan that was promised. */
TEST(settings_say_what_they_promise)
{
    static const struct {
        const char *config;
        int64_t to;
    } cases[] = { { llama, 16384 },    { llama_5, 20000 }, { qwen, 131072 },
                  { neox, 8192 },      { neox_5, 8192 },   { glm_5, 32768 },
                  { gemma_5, 131072 }, { longchat, 65536 } };

    for (size_t i = 0; i < LEN(cases); i++) {
        struct scratch folder = scratch_make();
        const char *path = scratch_file(&folder, "config.json");
        const json_t *m;
        json_t *r;
        size_t k;

        CHECK_OK(
            locant_file_write(path, cases[i].config, strlen(cases[i].config)));
        r = extend(path, cases[i].to, NULL, NULL);
        assert_true(json_array_size(json_object_get(r, "methods")) >=
                    (cases[i].config == longchat ? 1 : 6));
        json_array_foreach(json_object_get(r, "methods"), k, m) {
            check_setting(cases[i].config, m, "transformers 4",
                          LOCANT_STACK_HF4);
            check_setting(cases[i].config, m, "MLX-LM", LOCANT_STACK_MLX);
            check_setting(cases[i].config, m, "transformers 5",
                          LOCANT_STACK_HF5);
            check_setting(cases[i].config, m, "vLLM", LOCANT_STACK_VLLM);
        }
        json_decref(r);
        scratch_remove(&folder);
    }
}

/* What is written has the passport, and is not the plan it was. */
TEST(written_configs_have_the_passport)
{
    static const char *const configs[] = { llama, llama_5, qwen,
                                           neox,  glm_5,   gemma_5 };
    static const char *const methods[] = { "pi",   "ntk",      "dynamic",
                                           "yarn", "longrope", "llama3" };

    for (size_t i = 0; i < LEN(configs); i++)
        for (size_t k = 0; k < LEN(methods); k++) {
            struct scratch folder = scratch_make();
            const char *path = scratch_file(&folder, "config.json");
            const char *out = scratch_file(&folder, "out.json");
            char before[65];
            locant_findings f;
            locant_plan *p;
            json_t *r;

            CHECK_OK(locant_file_write(path, configs[i], strlen(configs[i])));
            plan_hash(before, configs[i], "before", LOCANT_STACK_TRUE);
            r = extend(path, 65536, methods[k], out);
            CHECK_OK(locant_plan_read(&p, out, LOCANT_STACK_TRUE));
            assert_string_equal(locant_plan_hash(p),
                                text(method_of(r, methods[k]), "passport"));
            assert_string_not_equal(locant_plan_hash(p), before);
            locant_plan_free(p);
            json_decref(r);
            CHECK_OK(locant_model_check(&f, out, NULL));
            check_findings(&f, configs[i], methods[k], "all programs");
            locant_findings_free(&f);
            scratch_remove(&folder);
        }
}

/* Layers with a window are those of the model that was not extended. */
TEST(layers_with_a_window_stay)
{
    struct scratch folder = scratch_make();
    const char *path = scratch_file(&folder, "config.json");
    const char *out = scratch_file(&folder, "out.json");
    locant_plan *a, *b;
    int64_t same = 0, others = 0;

    CHECK_OK(locant_file_write(path, gemma_5, strlen(gemma_5)));
    json_decref(extend(path, 131072, "yarn", out));
    CHECK_OK(locant_plan_read(&a, path, LOCANT_STACK_TRUE));
    CHECK_OK(locant_plan_read(&b, out, LOCANT_STACK_TRUE));
    for (int64_t l = 0; l < locant_plan_layers(a, 0); l++) {
        const char *spec = locant_plan_layer_spec(a, 0, l);
        int windowed = strstr(spec, "window(") != NULL;
        int kept = strcmp(spec, locant_plan_layer_spec(b, 0, l)) == 0;

        assert_int_equal(windowed, kept);
        same += kept;
        others += !kept;
    }
    assert_int_equal(same, 10);
    assert_int_equal(others, 2);
    locant_plan_free(a);
    locant_plan_free(b);
    scratch_remove(&folder);
}

TEST(refuses_what_cannot_be_extended)
{
    locant_extend_options o = LOCANT_EXTEND_OPTIONS_INIT;
    char *out;

    REFUSES(NULL, locant_model_extend(NULL, NULL, &o), "out is NULL");
    o.dim = 128;
    o.trained = 4096;
    o.to = 4096;
    CHECK_REFUSED(locant_model_extend(&out, NULL, &o), LOCANT_ERR_PARAM,
                  "trained: 4096 and to: 4096, expected 2 <= trained < to <= "
                  "2^30");
    assert_null(out);
    o.to = 8192;
    o.method = "YaRN";
    CHECK_REFUSED(locant_model_extend(&out, NULL, &o), LOCANT_ERR_PARAM,
                  "method: 'YaRN', expected pi, ntk, dynamic, yarn, longrope, "
                  "llama3 or selfextend");
}

/*
 * When an allocation fails, of jansson too if 'json', there is no text, or the
 * whole one; but json_dumps() of jansson 2.14 may leave out a key for want of
 * memory and say nothing.
 */
static void check_memory(const locant_extend_options *o, int json)
{
    locant_status status = LOCANT_ERR_NOMEM;
    int more = 1;
    char *whole, *out;

    CHECK_OK(locant_model_extend(&whole, NULL, o));
    for (long k = 0; more; k += 1 + k / (TEST_SANITIZED ? 4 : 32)) {
        test_memory_fail(k + 1);
        if (json)
            json_set_alloc_funcs(test_memory_malloc, free);
        status = locant_model_extend(&out, NULL, o);
        if (status == LOCANT_OK) {
            CHECK(json || strcmp(out, whole) == 0);
            locant_release(out);
        } else if (status != LOCANT_ERR_NOMEM || out != NULL) {
            FAIL("allocation %ld: %s, %s\n", k, locant_status_name(status),
                 locant_last_error());
        }
        more = test_memory_asked() > k;
        test_memory_end();
        json_set_alloc_funcs(malloc, free);
        CHECK(k < 10000000);
    }
    locant_release(whole);
}

/* Of a model only the library's: without memory jansson says that a file it
   reads is malformed. */
TEST(survives_lack_of_memory)
{
    struct scratch folder = scratch_make();
    const char *path = scratch_file(&folder, "config.json");
    locant_extend_options o = LOCANT_EXTEND_OPTIONS_INIT;

    CHECK_OK(locant_file_write(path, gemma_5, strlen(gemma_5)));
    o.to = 131072;
    o.trained = 32768;
    o.dim = 16;
    check_memory(&o, 1);
    o.model = path;
    check_memory(&o, 0);
    scratch_remove(&folder);
}
