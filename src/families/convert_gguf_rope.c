/*
 * convert_gguf_rope.c - the rotary keys of a GGUF file, and its tensors of
 * divisors, from the specs of the plan
 *
 * Source: llama.cpp, convert_hf_to_gguf.py, and ggml-cpu (YaRN multiplies by
 * 1 + 0.1 ln F itself).
 */
#include "convert_gguf_put.h"
#include "spec_key.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A scaling, "yarn(factor=4,..)", of that name? */
static bool is_named(const char *scaling, const char *name)
{
    const size_t n = strlen(name);

    return strncmp(scaling, name, n) == 0 &&
           (scaling[n] == '(' || scaling[n] == 0);
}

static locant_status cannot_say(const struct lct_convert_gguf_keys *k,
                                const char *spec)
{
    return locant_fail(LOCANT_ERR_UNSUPPORTED,
                       "%s: no key of GGUF says the positions %.200s",
                       k->c->config.file, spec);
}

/* ---------------------------------------------------------------- tensors */

static float *add_extra(struct lct_convert_gguf_keys *k, const char *name,
                        size_t n)
{
    struct lct_convert_gguf_extra *x = &k->extras[k->n_extras];

    *x = (struct lct_convert_gguf_extra){
        .name = name, .numbers = locant_alloc((n + 1) * sizeof(float)), .n = n
    };
    k->n_extras += x->numbers != NULL;
    return x->numbers;
}

static locant_status no_memory(void)
{
    return locant_fail(LOCANT_ERR_NOMEM, "no memory for divisors");
}

/* Divisors of the frequencies of the base: rope_freqs.weight. */
static locant_status put_divisors(struct lct_convert_gguf_keys *k,
                                  const struct lct_layer_plan *layer,
                                  double base)
{
    struct lct_plan_waves w;
    float *out;

    LCT_TRY(lct_plan_waves_of(&w, layer, 1, k->c->config.file));
    out = add_extra(k, "rope_freqs.weight", (size_t)w.pairs);
    for (int64_t c = 0; out != NULL && c < w.pairs; c++)
        out[c] =
            (float)(pow(base, -(double)c / (double)w.pairs) / w.frequency[c]);
    lct_plan_waves_free(&w);
    return out ? LOCANT_OK : no_memory();
}

/* The lists of LongRoPE, of the configuration. */
static locant_status put_list(struct lct_convert_gguf_keys *k, const char *name,
                              const char *key, const char *spec)
{
    static const char *const dictionaries[] = { "rope_scaling",
                                                "rope_parameters" };
    const json_t *list = NULL;
    float *out;

    for (int i = 0; i < 2 && list == NULL; i++)
        list = json_object_get(
            json_object_get(k->c->config.text, dictionaries[i]), key);
    if (list == NULL) /* in the dictionary of one type of layers */
        return cannot_say(k, spec);
    out = add_extra(k, name, json_array_size(list));
    for (size_t i = 0; out != NULL && i < json_array_size(list); i++)
        out[i] = (float)json_number_value(json_array_get(list, i));
    return out ? LOCANT_OK : no_memory();
}

/* --------------------------------------------------------------- scalings */

static void put_scaling(struct lct_convert_gguf_keys *k, const char *type,
                        double factor)
{
    char key[LCT_CONVERT_GGUF_KEY];

    lct_gguf_write_text(
        k->out, lct_convert_gguf_put_name(key, k, "rope.scaling.type"), type);
    lct_convert_gguf_put_real(k, "rope.scaling.factor", factor);
}

static locant_status attention_factor(double *out,
                                      const struct lct_convert_gguf_keys *k,
                                      const struct lct_layer_plan *layer)
{
    struct lct_plan_waves w;

    LCT_TRY(lct_plan_waves_of(&w, layer, 1, k->c->config.file));
    *out = w.factor;
    lct_plan_waves_free(&w);
    return LOCANT_OK;
}

static locant_status put_yarn(struct lct_convert_gguf_keys *k,
                              const struct lct_layer_plan *layer, const char *s)
{
    const double factor = lct_spec_number(s, "factor", 1);
    const double all = lct_spec_number(s, "mscale-all", 0);
    /* What llama.cpp multiplies cosines and sines by. */
    const double own =
        factor > 1 && !k->net->latent ? 1 + 0.1 * log(factor) : 1;
    double attention = 1;

    LCT_TRY(attention_factor(&attention, k, layer));
    if (strstr(s, "truncate=no") != NULL ||
        (k->net->latent ? fabs(attention - 1) > 1e-6
                        : strstr(s, "score=yes") != NULL))
        return cannot_say(k, layer->spec);
    if (k->net->latent && all > 0)
        lct_convert_gguf_put_real(k, "rope.scaling.yarn_log_multiplier",
                                  0.1 * all);
    put_scaling(k, "yarn", factor);
    lct_convert_gguf_put_whole(
        k, "rope.scaling.original_context_length",
        (int64_t)lct_spec_number(s, "original",
                                 (double)k->c->plan.length_trained));
    if (lct_spec_number(s, "fast", 32) != 32)
        lct_convert_gguf_put_real(k, "rope.scaling.yarn_beta_fast",
                                  lct_spec_number(s, "fast", 32));
    if (lct_spec_number(s, "slow", 1) != 1)
        lct_convert_gguf_put_real(k, "rope.scaling.yarn_beta_slow",
                                  lct_spec_number(s, "slow", 1));
    if (fabs(attention / own - 1) > 1e-6)
        lct_convert_gguf_put_real(k, "rope.scaling.attn_factor",
                                  attention / own);
    return LOCANT_OK;
}

static locant_status put_longrope(struct lct_convert_gguf_keys *k,
                                  const struct lct_layer_plan *layer,
                                  const char *s)
{
    double attention = 1;

    LCT_TRY(attention_factor(&attention, k, layer));
    lct_convert_gguf_put_whole(k, "rope.scaling.original_context_length",
                               (int64_t)lct_spec_number(s, "original", 0));
    lct_convert_gguf_put_real(k, "rope.scaling.attn_factor", attention);
    LCT_TRY(
        put_list(k, "rope_factors_long.weight", "long_factor", layer->spec));
    return put_list(k, "rope_factors_short.weight", "short_factor",
                    layer->spec);
}

static double base_of(const struct lct_layer_plan *layer)
{
    return lct_spec_number(layer->spec, "base", 10000);
}

/* A layer that rotates, with a window or without one; NULL: there is none. */
static const struct lct_layer_plan *find_layer(const struct lct_tower *t,
                                               bool window)
{
    for (int64_t l = 0; l < t->n_layers; l++)
        if (strstr(t->layers[l].spec, "rope") != NULL &&
            (strstr(t->layers[l].spec, "window(") != NULL) == window)
            return &t->layers[l];
    return NULL;
}

locant_status lct_convert_gguf_rope(struct lct_convert_gguf_keys *k)
{
    const struct lct_layer_plan *full = find_layer(k->c->tower, false);
    const struct lct_layer_plan *local = find_layer(k->c->tower, true);
    const struct lct_layer_plan *layer = full ? full : local;
    char scaling[LCT_SPEC_TEXT] = "";
    int64_t l;

    if (layer == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: no key of GGUF says that no layer rotates",
                           k->c->config.file);
    l = layer - k->c->tower->layers;
    (void)lct_spec_value(scaling, sizeof scaling, layer->spec, "scaling");
    lct_convert_gguf_put_whole(k, "rope.dimension_count",
                               k->c->parts.heads[l].dims);
    lct_convert_gguf_put_real(k, "rope.freq_base", base_of(layer));
    if (full && local && base_of(local) != base_of(full))
        lct_convert_gguf_put_real(k, "rope.freq_base_swa", base_of(local));
    if (is_named(scaling, "yarn"))
        return put_yarn(k, layer, scaling);
    if (is_named(scaling, "longrope"))
        return put_longrope(k, layer, scaling);
    if (is_named(scaling, "llama3"))
        return put_divisors(k, layer, base_of(layer));
    if (is_named(scaling, "linear"))
        put_scaling(k, "linear", lct_spec_number(scaling, "factor", 1));
    else if (scaling[0] != 0 || strstr(layer->spec, "mrope") != NULL)
        return cannot_say(k, layer->spec);
    return LOCANT_OK;
}
