/*
 * plan_gguf.c - plans from the keys and tensors of a GGUF file
 *
 * The keys are renamed to those of transformers, with llama.cpp's defaults
 * where they are absent, and the function of the family plans the rest.  The
 * pairing follows from the architecture.
 */
#include "plan_gguf.h"
#include "../core/quote.h"
#include "../core/suggest.h"
#include "../files/decimal.h"
#include "plan_gguf_keys.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum pairing { NEOX, NORM };

struct architecture {
    const char *name, *family;
    enum pairing pairing;
};

#define LCT_ARCH(name, family, pairing)         { name, family, pairing },
#define LCT_CHECKED(name, family, pairing, ...) { name, family, pairing },
#define LCT_UNPLANNED(name, ...)
static const struct architecture architectures[] = {
#include "gguf_architectures.def"
};
enum { ARCHITECTURES = sizeof architectures / sizeof architectures[0] };

static const char *name_at(const void *list, size_t i)
{
    (void)list;
    return i < ARCHITECTURES ? architectures[i].name : NULL;
}

static const struct architecture *find(const char *name)
{
    for (size_t i = 0; i < ARCHITECTURES; i++)
        if (strcmp(architectures[i].name, name) == 0)
            return &architectures[i];
    return NULL;
}

/* ------------------------------------------------------------------- sizes */

static locant_status set_whole(struct lct_plan_gguf *g, const char *key,
                               int64_t value)
{
    return lct_plan_gguf_keys_set(g, key, json_integer((json_int_t)value));
}

/* A whole number under our name for it. */
static locant_status copy_whole(struct lct_plan_gguf *g, const char *ours,
                                const char *theirs, int64_t fallback,
                                int64_t least)
{
    int64_t n;

    LCT_TRY(lct_plan_gguf_keys_whole(&n, g, theirs, fallback, least));
    return set_whole(g, ours, n);
}

static locant_status sizes(struct lct_plan_gguf *g)
{
    const struct lct_family_names *names = g->family->names;
    const struct lct_weight *table =
        g->weights ? lct_weights_find(g->weights, "position_embd.weight")
                   : NULL;
    int64_t heads, kv, length;

    LCT_TRY(copy_whole(g, names->layers, "block_count", INT64_MIN, 1));
    LCT_TRY(copy_whole(g, names->hidden, "embedding_length", INT64_MIN, 1));
    LCT_TRY(lct_plan_gguf_keys_whole(&heads, g, "attention.head_count",
                                     INT64_MIN, 1));
    LCT_TRY(
        lct_plan_gguf_keys_whole(&kv, g, "attention.head_count_kv", heads, 0));
    LCT_TRY(lct_plan_gguf_keys_whole(&length, g, "context_length", 0, 0));
    if (table != NULL && table->rank == 2) /* RoBERTa's converter cuts rows */
        length = table->shape[0];
    LCT_TRY(set_whole(g, names->heads, heads));
    LCT_TRY(set_whole(g, names->kv_heads, kv > 0 ? kv : heads));
    return length > 0 ? set_whole(g, names->length, length) : LOCANT_OK;
}

/* Widths of heads; MLA stores that of its compressed form, too. */
static locant_status widths(struct lct_plan_gguf *g)
{
    int64_t keys, values, rotated;

    LCT_TRY(lct_plan_gguf_keys_whole(&keys, g, "attention.key_length", 0, 0));
    LCT_TRY(
        lct_plan_gguf_keys_whole(&values, g, "attention.value_length", 0, 0));
    LCT_TRY(
        lct_plan_gguf_keys_whole(&rotated, g, "rope.dimension_count", 0, 0));
    if (g->family->flags & LCT_MLA) {
        LCT_TRY(lct_plan_gguf_keys_whole(&keys, g, "attention.key_length_mla",
                                         keys, 0));
        LCT_TRY(lct_plan_gguf_keys_whole(
            &values, g, "attention.value_length_mla", values, 0));
        if (keys <= rotated || rotated == 0 || values == 0)
            return lct_plan_gguf_keys_wrong(
                g, "attention.key_length",
                "more than the rope.dimension_count rotated channels");
        LCT_TRY(set_whole(g, "qk_nope_head_dim", keys - rotated));
        LCT_TRY(set_whole(g, "qk_rope_head_dim", rotated));
        return set_whole(g, "v_head_dim", values);
    }
    if (keys > 0)
        LCT_TRY(set_whole(g, "head_dim", keys));
    else
        LCT_TRY(lct_plan_gguf_keys_set(g, "head_dim", json_null()));
    return rotated > 0 ? set_whole(g, "rotary_dim", rotated) : LOCANT_OK;
}

/* ----------------------------------------------------------------- windows */

/* A pattern given as a period, or as one switch for each layer. */
static locant_status pattern(struct lct_plan_gguf *g)
{
    static const char key[] = "attention.sliding_window_pattern";
    const json_t *value = lct_plan_gguf_keys_find(g, key);
    const int64_t n =
        json_integer_value(json_object_get(g->out, g->family->names->layers));
    json_t *types;
    int64_t period = json_integer_value(value);

    if (value == NULL)
        return LOCANT_OK;
    if (!json_is_array(value) && (!json_is_integer(value) || period < 1))
        return lct_plan_gguf_keys_wrong(g, key, "a period or a list");
    if (n > 1 << 16)
        return lct_plan_gguf_keys_wrong(g, "block_count", "fewer layers");
    types = json_array();
    for (int64_t l = 0; l < n; l++) {
        const json_t *item = json_array_get(value, (size_t)l);
        const bool slides =
            json_is_array(value)
                ? json_is_true(item) || json_integer_value(item) != 0
                : (l + 1) % period != 0;

        json_array_append_new(types, json_string(slides ? "sliding_attention"
                                                        : "full_attention"));
    }
    return lct_plan_gguf_keys_set(g, "layer_types", types);
}

static locant_status windows(struct lct_plan_gguf *g)
{
    const struct lct_family *f = g->family;
    const char *key = f->window_key ? f->window_key : "sliding_window";
    int64_t window;

    LCT_TRY(
        lct_plan_gguf_keys_whole(&window, g, "attention.sliding_window", 0, 0));
    LCT_TRY(lct_plan_gguf_keys_set(
        g, key, window > 0 ? json_integer((json_int_t)window) : json_null()));
    if (window == 0)
        return LOCANT_OK;
    if (f->rule == LCT_LAYERS_QWEN2 || f->rule == LCT_LAYERS_QWEN2_MOE ||
        f->rule == LCT_LAYERS_SWITCH)
        LCT_TRY(lct_plan_gguf_keys_set(g, "use_sliding_window", json_false()));
    return pattern(g);
}

/* ------------------------------------------------------------------ scores */

static bool has_tensor(const struct lct_plan_gguf *g, const char *name)
{
    return g->weights != NULL && lct_weights_find(g->weights, name) != NULL;
}

/* query_pre_attn_scalar is in no key: llama.cpp knows the largest models.
   Files of locant say another one by attention.scale. */
static locant_status scalar(struct lct_plan_gguf *g)
{
    const bool second = strcmp(g->family->model_type, "gemma2") == 0;
    int64_t layers, hidden, heads, width;
    double scale;

    LCT_TRY(lct_plan_gguf_keys_real(&scale, g, "attention.scale", 0));
    scale = 1 / (scale * scale); /* of a float32: whole numbers are not */
    if (isfinite(scale))
        return lct_plan_gguf_keys_set(
            g, "query_pre_attn_scalar",
            fabs(scale / round(scale) - 1) < 1e-6
                ? json_integer((json_int_t)round(scale))
                : json_real(scale));
    LCT_TRY(lct_plan_gguf_keys_whole(&layers, g, "block_count", 1, 1));
    LCT_TRY(lct_plan_gguf_keys_whole(&hidden, g, "embedding_length", 1, 1));
    LCT_TRY(lct_plan_gguf_keys_whole(&heads, g, "attention.head_count", 1, 1));
    LCT_TRY(lct_plan_gguf_keys_whole(&width, g, "attention.key_length",
                                     hidden / heads, 1));
    if (layers == (second ? 46 : 62))
        width = hidden / heads;
    return set_whole(g, "query_pre_attn_scalar", width);
}

static locant_status scores(struct lct_plan_gguf *g)
{
    const struct lct_family *f = g->family;
    double x;
    int64_t experts;

    if (f->scale == LCT_SCALE_SCALAR)
        LCT_TRY(scalar(g));
    if (f->scale == LCT_SCALE_KEY) {
        LCT_TRY(lct_plan_gguf_keys_real(&x, g, "attention.scale", 0));
        if (x > 0)
            LCT_TRY(lct_plan_gguf_keys_set(g, "attention_multiplier",
                                           json_real(x)));
        else
            return lct_plan_gguf_keys_wrong(g, "attention.scale",
                                            "a number above 0");
    }
    if (f->flags & LCT_SOFTCAP) {
        LCT_TRY(lct_plan_gguf_keys_real(&x, g, "attn_logit_softcapping",
                                        f->softcap));
        LCT_TRY(
            lct_plan_gguf_keys_set(g, "attn_logit_softcapping", json_real(x)));
    }
    LCT_TRY(lct_plan_gguf_keys_real(&x, g, "attention.layer_norm_epsilon", 0));
    LCT_TRY(
        lct_plan_gguf_keys_real(&x, g, "attention.layer_norm_rms_epsilon", x));
    if (x > 0)
        LCT_TRY(lct_plan_gguf_keys_set(g, f->names->epsilon, json_real(x)));
    LCT_TRY(lct_plan_gguf_keys_whole(&experts, g, "expert_count", 0, 0));
    if (f->norm_switch == NULL)
        return LOCANT_OK;
    return lct_plan_gguf_keys_set(
        g, f->norm_switch,
        json_boolean(f->rule == LCT_LAYERS_LLAMA4
                         ? experts != 128
                         : has_tensor(g, "blk.0.attn_q_norm.weight")));
}

/* --------------------------------------------------- families of other keys */

static locant_status others(struct lct_plan_gguf *g)
{
    const char *type = g->family->model_type;
    int64_t n;
    double x;

    if (strcmp(g->c->model_type, "t5") == 0) {
        LCT_TRY(lct_plan_gguf_keys_whole(&n, g, "block_count", 1, 1));
        LCT_TRY(set_whole(g, "num_layers", n));
        LCT_TRY(
            copy_whole(g, "num_decoder_layers", "decoder_block_count", n, 1));
        LCT_TRY(copy_whole(g, "num_heads", "attention.head_count", 1, 1));
        LCT_TRY(copy_whole(g, "d_kv", "attention.key_length", 64, 1));
        return copy_whole(g, "relative_attention_num_buckets",
                          "attention.relative_buckets_count", 32, 2);
    }
    if (strcmp(type, "mpt") == 0) {
        LCT_TRY(lct_plan_gguf_keys_real(&x, g, "attention.max_alibi_bias", 0));
        return lct_plan_gguf_keys_set(g, "attn_config",
                                      json_pack("{s:b, s:f}", "alibi", x > 0,
                                                "alibi_bias_max",
                                                x > 0 ? x : 8));
    }
    if (strcmp(type, "falcon") == 0) {
        LCT_TRY(copy_whole(g, "num_kv_heads", "attention.head_count_kv", 1, 1));
        return lct_plan_gguf_keys_set(g, "new_decoder_architecture",
                                      json_true());
    }
    if (strcmp(type, "qwen") == 0) {
        LCT_TRY(lct_plan_gguf_keys_real(&x, g, "rope.freq_base", 10000));
        LCT_TRY(lct_plan_gguf_keys_set(g, "rotary_emb_base", json_real(x)));
        LCT_TRY(lct_plan_gguf_keys_set(g, "use_dynamic_ntk", json_false()));
        return lct_plan_gguf_keys_set(g, "use_logn_attn", json_false());
    }
    if (strcmp(g->c->model_type, "gemma-embedding") == 0)
        return lct_plan_gguf_keys_set(g, "use_bidirectional_attention",
                                      json_true());
    return LOCANT_OK;
}

/* Layers of a file may differ in their heads of keys. */
static locant_status heads_of_layers(struct lct_plan_gguf *g)
{
    const json_t *list = lct_plan_gguf_keys_find(g, "attention.head_count_kv");
    struct lct_tower *t = &g->plan->towers[0];

    for (int64_t l = 0; json_is_array(list) && l < t->n_layers; l++) {
        const json_t *item = json_array_get(list, (size_t)l);
        const json_int_t n = json_integer_value(item);

        if (!json_is_integer(item) || n < 0 || n > 1 << 20)
            return lct_plan_gguf_keys_wrong(g, "attention.head_count_kv",
                                            "a number for each layer");
        if (n > 0)
            t->layers[l].kv_heads = n;
    }
    return LOCANT_OK;
}

static locant_status translate_keys(struct lct_plan_gguf *g)
{
    LCT_TRY(sizes(g));
    LCT_TRY(widths(g));
    LCT_TRY(windows(g));
    LCT_TRY(scores(g));
    LCT_TRY(lct_plan_gguf_rope(g));
    return others(g);
}

static locant_status translate(struct lct_plan_gguf *g)
{
    const struct lct_plan_names names = lct_plan_gguf_names(g);
    struct lct_config inner = *g->c;
    locant_status s;

    LCT_TRY(translate_keys(g));
    inner.root = g->out;
    inner.text = g->out;
    s = g->family->plan(g->plan, &inner);
    if (s == LOCANT_ERR_FORMAT)
        return lct_plan_names_fail(s, &names);
    LCT_TRY(s);
    lct_plan_names_notes(g->plan, &names);
    return heads_of_layers(g);
}

void lct_plan_gguf_suggest(char *out, size_t size, const char *architecture)
{
    lct_suggest(out, size, name_at, architectures, architecture,
                strlen(architecture));
}

static locant_status find_known(const struct architecture **out,
                                const struct lct_config *c)
{
    char known[1536], shown[LCT_QUOTE_BYTES];

    *out = find(c->model_type);
    if (*out != NULL)
        return LOCANT_OK;
    lct_plan_gguf_suggest(known, sizeof known, c->model_type);
    return locant_fail(
        LOCANT_ERR_UNSUPPORTED,
        "%s: general.architecture is '%s', which is no known "
        "one%s",
        c->file, lct_quote(shown, c->model_type, strlen(c->model_type)), known);
}

/* Begin: the family, and an object without keys. */
static locant_status begin(struct lct_plan_gguf *g,
                           const struct architecture *a)
{
    const bool own = has_tensor(g, "enc.blk.1.attn_rel_b.weight");

    /* T5 has one table of distances for all layers, UMT5 one for each. */
    g->family = lct_family_find(
        own && strcmp(a->family, "t5") == 0 ? "umt5" : a->family);
    g->out = json_object();
    return g->out ? LOCANT_OK
                  : locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", g->c->file);
}

locant_status lct_plan_gguf(struct lct_position_plan *p,
                            const struct lct_config *c,
                            const struct lct_weights *weights)
{
    struct lct_plan_gguf g = { .plan = p, .c = c, .weights = weights };
    const struct architecture *a;
    locant_status s;

    LCT_TRY(find_known(&a, c));
    s = begin(&g, a);
    p->family = g.family;
    if (p->pairing_assumed)
        p->interleaved = a->pairing == NORM;
    if (s == LOCANT_OK)
        s = translate(&g);
    json_decref(g.out);
    return s;
}

locant_status lct_plan_gguf_config(json_t **out, const struct lct_config *c,
                                   const struct lct_weights *weights)
{
    struct lct_plan_gguf g = { .c = c, .weights = weights };
    const struct architecture *a;
    locant_status s;

    *out = NULL;
    LCT_TRY(find_known(&a, c));
    s = begin(&g, a);
    if (s == LOCANT_OK)
        s = translate_keys(&g);
    if (s == LOCANT_OK)
        *out = g.out;
    else
        json_decref(g.out);
    return s;
}
