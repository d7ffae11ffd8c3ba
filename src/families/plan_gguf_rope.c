/*
 * plan_gguf_rope.c - rotary keys of a GGUF file and the divisors in its
 * tensors, as rope parameters of transformers
 *
 * Source: llama.cpp of 2025, llama-model.cpp and ggml-cpu (defaults, YaRN).
 */
#include "plan_gguf_keys.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAIRS = 4096 };

static locant_status no_memory(const struct lct_plan_gguf *g)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", g->c->file);
}

static locant_status put(struct lct_plan_gguf *g, json_t *rope, const char *key,
                         json_t *value)
{
    if (value != NULL && json_object_set_new(rope, key, value) == 0)
        return LOCANT_OK;
    return no_memory(g);
}

/* ----------------------------------------------------------------- tensors */

/* The numbers of a tensor of divisors, NULL if the file has none. */
static locant_status divisors(json_t **out, const struct lct_plan_gguf *g,
                              const char *name)
{
    const struct lct_weight *w =
        g->weights != NULL ? lct_weights_find(g->weights, name) : NULL;
    double x[PAIRS];

    *out = NULL;
    if (w == NULL)
        return LOCANT_OK;
    if (w->rank != 1 || w->shape[0] < 1 || w->shape[0] > PAIRS ||
        w->type->elements != 1)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: %s has %" PRId64 " %s of rank %d, expected 1 "
                           "to %d plain numbers in a row",
                           g->c->file, name, w->rank > 0 ? w->shape[0] : 0,
                           w->type->name, w->rank, PAIRS);
    lct_weight_doubles(x, w, 0, w->shape[0]);
    *out = json_array();
    for (int64_t i = 0; i < w->shape[0]; i++) {
        if (!(x[i] > 0) || !isfinite(x[i])) {
            json_decref(*out);
            *out = NULL;
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: %s[%" PRId64 "] is %g, expected a number "
                               "above 0",
                               g->c->file, name, i, x[i]);
        }
        json_array_append_new(*out, json_real(x[i]));
    }
    return *out != NULL ? LOCANT_OK : no_memory(g);
}

/* What llama3 with these parameters divides the frequency of pair c by. */
static double llama3_divisor(double base, int64_t c, int64_t dim, double factor)
{
    const double pi = 3.141592653589793, original = 8192, low = 1, high = 4;
    const double wave = 2 * pi * pow(base, 2 * (double)c / (double)dim);
    const double smooth = (original / wave - low) / (high - low);

    if (wave < original / high)
        return 1;
    if (wave > original / low)
        return factor;
    return 1 / ((1 - smooth) / factor + smooth);
}

/*
 * The factor of llama3 that the divisors come from, 0 if they do not: all are
 * within 1e-5, where the converter computes in float32 with a relative error
 * below 1e-6 times the slope of the blend, at most 8.
 */
static double llama3_factor(const json_t *list, double base)
{
    const size_t n = json_array_size(list);
    const double factor = json_real_value(json_array_get(list, n - 1));

    for (size_t c = 0; c < n; c++) {
        double got = json_real_value(json_array_get(list, c));
        double want = llama3_divisor(base, (int64_t)c, 2 * (int64_t)n, factor);

        if (fabs(got / want - 1) > 1e-5)
            return 0;
    }
    return factor > 1 ? factor : 0;
}

static locant_status put_divisors(struct lct_plan_gguf *g, json_t *rope,
                                  json_t *list, double base)
{
    const double factor = llama3_factor(list, base);

    if (factor == 0) {
        LCT_TRY(put(g, rope, "divisors", list));
        return put(g, rope, "rope_type", json_string("divisors"));
    }
    json_decref(list);
    LCT_TRY(put(g, rope, "rope_type", json_string("llama3")));
    LCT_TRY(put(g, rope, "factor", json_real(factor)));
    LCT_TRY(put(g, rope, "low_freq_factor", json_real(1)));
    LCT_TRY(put(g, rope, "high_freq_factor", json_real(4)));
    return put(g, rope, "original_max_position_embeddings", json_integer(8192));
}

/* ----------------------------------------------------------------- scaling */

struct scaling {
    const char *type;
    double factor, attention, extension, fast, slow, log_multiplier;
    int64_t original;
};

static locant_status read_scaling(struct scaling *s,
                                  const struct lct_plan_gguf *g)
{
    double old, attention;
    int64_t length;

    LCT_TRY(lct_plan_gguf_keys_whole(&length, g, "context_length", 0, 0));
    LCT_TRY(lct_plan_gguf_keys_text(&s->type, g, "rope.scaling.type"));
    LCT_TRY(lct_plan_gguf_keys_real(&old, g, "rope.scale_linear", 1));
    LCT_TRY(lct_plan_gguf_keys_real(&s->factor, g, "rope.scaling.factor", old));
    LCT_TRY(lct_plan_gguf_keys_whole(
        &s->original, g, "rope.scaling.original_context_length", length, 0));
    LCT_TRY(lct_plan_gguf_keys_real(&s->attention, g,
                                    "rope.scaling.attn_factor", 1));
    LCT_TRY(lct_plan_gguf_keys_real(&attention, g,
                                    "rope.scaling.yarn_attn_factor", 1));
    LCT_TRY(lct_plan_gguf_keys_real(&s->extension, g,
                                    "rope.scaling.yarn_ext_factor", 1));
    LCT_TRY(lct_plan_gguf_keys_real(&s->fast, g, "rope.scaling.yarn_beta_fast",
                                    32));
    LCT_TRY(
        lct_plan_gguf_keys_real(&s->slow, g, "rope.scaling.yarn_beta_slow", 1));
    LCT_TRY(lct_plan_gguf_keys_real(&s->log_multiplier, g,
                                    "rope.scaling.yarn_log_multiplier", 0));
    s->attention *= attention;
    if (s->type == NULL)
        s->type = "linear";
    if (s->factor == 0) /* as llama.cpp takes it */
        s->factor = 1;
    return s->factor > 0 ? LOCANT_OK
                         : lct_plan_gguf_keys_wrong(g, "rope.scaling.factor",
                                                    "a number above 0");
}

/* The factor on cosines and sines, and on scores, of each architecture. */
static locant_status put_yarn_factors(struct lct_plan_gguf *g, json_t *rope,
                                      const struct scaling *s)
{
    const double usual = 0.1 * log(s->factor) + 1;

    if (g->family->flags & LCT_MLA) {
        if (s->log_multiplier == 0)
            return put(g, rope, "attention_factor", json_real(1));
        LCT_TRY(put(g, rope, "mscale", json_real(10 * s->log_multiplier)));
        return put(g, rope, "mscale_all_dim",
                   json_real(10 * s->log_multiplier));
    }
    if (s->log_multiplier != 0) /* mistral3: the two factors cancel */
        return put(g, rope, "attention_factor", json_real(1));
    if (s->attention == 1 || s->factor <= 1)
        return LOCANT_OK;
    return put(g, rope, "attention_factor", json_real(usual * s->attention));
}

static locant_status put_yarn(struct lct_plan_gguf *g, json_t *rope,
                              const struct scaling *s)
{
    LCT_TRY(put(g, rope, "rope_type", json_string("yarn")));
    LCT_TRY(put(g, rope, "factor", json_real(s->factor)));
    LCT_TRY(put(g, rope, "original_max_position_embeddings",
                json_integer((json_int_t)s->original)));
    LCT_TRY(put(g, rope, "beta_fast", json_real(s->fast)));
    LCT_TRY(put(g, rope, "beta_slow", json_real(s->slow)));
    return put_yarn_factors(g, rope, s);
}

/* Lists of Phi-3 and their like: for short contexts and for long ones. */
static locant_status put_longrope(struct lct_plan_gguf *g, json_t *rope,
                                  const struct scaling *s, bool *done)
{
    json_t *longer, *shorter = NULL;
    locant_status status = divisors(&longer, g, "rope_factors_long.weight");

    if (status == LOCANT_OK)
        status = divisors(&shorter, g, "rope_factors_short.weight");
    *done = longer != NULL && shorter != NULL;
    if (*done)
        status = put(g, rope, "long_factor", json_incref(longer));
    if (*done && status == LOCANT_OK)
        status = put(g, rope, "short_factor", json_incref(shorter));
    json_decref(longer);
    json_decref(shorter);
    if (!*done || status != LOCANT_OK)
        return status;
    LCT_TRY(put(g, rope, "rope_type", json_string("longrope")));
    LCT_TRY(put(g, rope, "original_max_position_embeddings",
                json_integer((json_int_t)s->original)));
    return put(g, rope, "attention_factor", json_real(s->attention));
}

static locant_status put_scaling(struct lct_plan_gguf *g, json_t *rope,
                                 double base)
{
    struct scaling s;
    json_t *list;
    bool done;

    LCT_TRY(read_scaling(&s, g));
    LCT_TRY(put_longrope(g, rope, &s, &done));
    if (done)
        return LOCANT_OK;
    LCT_TRY(divisors(&list, g, "rope_freqs.weight"));
    if (list != NULL)
        return put_divisors(g, rope, list, base);
    if (strcmp(s.type, "yarn") == 0 && s.extension != 0)
        return put_yarn(g, rope, &s);
    if (strcmp(s.type, "none") == 0 || s.factor == 1)
        return put(g, rope, "rope_type", json_string("default"));
    if (strcmp(s.type, "linear") != 0 && strcmp(s.type, "yarn") != 0 &&
        strcmp(s.type, "longrope") != 0)
        return lct_plan_gguf_keys_wrong(g, "rope.scaling.type",
                                        "none, linear, yarn or longrope");
    LCT_TRY(put(g, rope, "rope_type", json_string("linear")));
    return put(g, rope, "factor", json_real(s.factor));
}

/* -------------------------------------------------------------- parameters */

static locant_status put_sections(struct lct_plan_gguf *g, json_t *rope)
{
    const json_t *list = lct_plan_gguf_keys_find(g, "rope.dimension_sections");
    json_t *sections = json_array();

    if (g->family->section[0] == 0 || list == NULL) {
        json_decref(sections);
        return LOCANT_OK;
    }
    for (size_t i = 0; i < 3; i++)
        json_array_append(sections, json_array_get(list, i));
    return put(g, rope, "mrope_section", sections);
}

static locant_status put_temperature(struct lct_plan_gguf *g, json_t *rope)
{
    double scale;
    int64_t length;

    if (!(g->family->flags & LCT_MINISTRAL))
        return LOCANT_OK;
    LCT_TRY(
        lct_plan_gguf_keys_real(&scale, g, "attention.temperature_scale", 0));
    if (scale == 0)
        return LOCANT_OK;
    LCT_TRY(put(g, rope, "llama_4_scaling_beta", json_real(scale)));
    LCT_TRY(lct_plan_gguf_keys_whole(&length, g, "attention.temperature_length",
                                     0, 0));
    return length == 0 ? LOCANT_OK
                       : put(g, rope, "original_max_position_embeddings",
                             json_integer((json_int_t)length));
}

static locant_status fill(struct lct_plan_gguf *g, json_t *rope)
{
    double base;

    LCT_TRY(lct_plan_gguf_keys_real(&base, g, "rope.freq_base", 10000));
    if (!(base > 0))
        return lct_plan_gguf_keys_wrong(g, "rope.freq_base",
                                        "a number above 0");
    LCT_TRY(put(g, rope, "rope_theta", json_real(base)));
    LCT_TRY(put_scaling(g, rope, base));
    LCT_TRY(put_sections(g, rope));
    return put_temperature(g, rope);
}

/* One entry for each type of layers; scaling is of full layers alone. */
static locant_status nest(struct lct_plan_gguf *g, json_t *rope)
{
    const struct lct_family *f = g->family;
    json_t *both, *local;
    double base, usual = f->base_local;

    if (f->base_local == f->base) /* OLMo 3: one base for all layers */
        usual = json_number_value(json_object_get(rope, "rope_theta"));
    LCT_TRY(lct_plan_gguf_keys_real(&base, g, "rope.freq_base_swa", usual));
    local = json_pack("{s:s, s:f}", "rope_type", "default", "rope_theta", base);
    both = local != NULL ? json_pack("{s:O, s:o}", "full_attention", rope,
                                     "sliding_attention", local)
                         : NULL;
    return lct_plan_gguf_keys_set(g, "rope_parameters", both);
}

locant_status lct_plan_gguf_rope(struct lct_plan_gguf *g)
{
    json_t *rope = json_object();
    locant_status s = rope != NULL ? fill(g, rope) : no_memory(g);

    if (s == LOCANT_OK && (g->family->flags & LCT_ROPE_BY_TYPE))
        s = nest(g, rope);
    else if (s == LOCANT_OK)
        s = lct_plan_gguf_keys_set(g, "rope_parameters", json_incref(rope));
    json_decref(rope);
    return s;
}
