/* plan_layers.c - which layers of a decoder have windows, chunks, rotation */
#include "plan_layers.h"
#include "plan_stack.h"
#include <inttypes.h>
#include <string.h>

/* ----------------------------------------------------------------- windows */

/* Does the class take windows at all? */
static locant_status takes_windows(bool *out, struct lct_plan_keys *k)
{
    switch (k->family->rule) {
    case LCT_LAYERS_FULL:
    case LCT_LAYERS_LLAMA4:
    case LCT_LAYERS_LINEAR: *out = false; return LOCANT_OK;
    case LCT_LAYERS_SWITCH:
    case LCT_LAYERS_QWEN2:
    case LCT_LAYERS_QWEN2_MOE:
    case LCT_LAYERS_NOPE:
        return lct_plan_keys_switch(out, k, "use_sliding_window", false);
    default: *out = true; return LOCANT_OK;
    }
}

locant_status lct_plan_layers_window(int64_t *out, struct lct_plan_keys *k,
                                     bool *both_sides)
{
    const struct lct_family *f = k->family;
    const char *key = f->window_key ? f->window_key : "sliding_window";
    bool takes;

    *out = 0;
    LCT_TRY(takes_windows(&takes, k));
    if (!takes || lct_plan_keys_null(k, key) ||
        !lct_plan_stack_windows(k->plan->stack, f))
        return LOCANT_OK;
    LCT_TRY(lct_plan_keys_whole(out, k, "window", key, f->window, 0));
    if (*both_sides && *out > 0)
        *out = *out / 2 + 1; /* half on each side, and the query itself */
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- rules */

static locant_status period(int64_t *out, struct lct_plan_keys *k)
{
    const struct lct_family *f = k->family;

    *out = f->period;
    if (f->period_key == NULL ||
        json_is_string(json_object_get(k->object, f->period_key)))
        return LOCANT_OK; /* "LLLG" of EXAONE 4 comes with layer_types */
    return lct_plan_keys_whole(out, k, "period", f->period_key, f->period, 1);
}

/* Is layer l one with a window? */
static bool slides(const struct lct_family *f, int64_t l, int64_t p,
                   int64_t first)
{
    switch (f->rule) {
    case LCT_LAYERS_WINDOW:
    case LCT_LAYERS_SWITCH: return true;
    case LCT_LAYERS_QWEN2: return l >= first;
    case LCT_LAYERS_QWEN2_MOE: return l < first && (l + 1) % 2 != 0;
    case LCT_LAYERS_PERIOD: return (l + 1) % p != 0;
    case LCT_LAYERS_FIRST: return l % p != 0;
    case LCT_LAYERS_NOPE: return (l + 1) % p == 0;
    default: return false;
    }
}

static locant_status by_rule(struct lct_plan_layer_kind *out,
                             struct lct_plan_keys *k, int64_t n, int64_t window)
{
    const struct lct_family *f = k->family;
    int64_t p = 1, first = 0;

    if (f->period > 0)
        LCT_TRY(period(&p, k));
    if (window > 0 &&
        (f->rule == LCT_LAYERS_QWEN2 || f->rule == LCT_LAYERS_QWEN2_MOE))
        LCT_TRY(lct_plan_keys_whole(&first, k, "max_window_layers",
                                    "max_window_layers", 28, 0));
    for (int64_t l = 0; l < n; l++) {
        const bool last = (l + 1) % p == 0;

        out[l].kind = LCT_KIND_FULL;
        out[l].rotated = true;
        if (f->rule == LCT_LAYERS_NOPE || f->rule == LCT_LAYERS_LLAMA4)
            out[l].rotated = !last;
        if (f->rule == LCT_LAYERS_LLAMA4 && !last)
            out[l].kind = LCT_KIND_CHUNK;
        if (f->rule == LCT_LAYERS_LINEAR && !last)
            out[l].kind = LCT_KIND_LINEAR;
        if (window > 0 && slides(f, l, p, first))
            out[l].kind = LCT_KIND_WINDOW;
    }
    return LOCANT_OK;
}

/* -------------------------------------------------------------- given lists */

static locant_status check_length(struct lct_plan_keys *k, const char *key,
                                  const json_t *list, int64_t n)
{
    if (json_array_size(list) == (size_t)n)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: %s%s has %zu entries, expected %" PRId64
                       ", one for each layer",
                       k->plan->file, k->where, key, json_array_size(list), n);
}

static locant_status by_types(struct lct_plan_layer_kind *out,
                              struct lct_plan_keys *k, int64_t n,
                              int64_t window)
{
    static const char *const words[] = { "full_attention", "sliding_attention",
                                         "chunked_attention",
                                         "linear_attention" };
    const json_t *list;

    if (!(k->family->flags & LCT_LAYER_TYPES) ||
        k->plan->stack == LCT_STACK_LLAMACPP)
        return LOCANT_OK;
    LCT_TRY(lct_plan_keys_array(&list, k, "layer_types"));
    if (list == NULL)
        return LOCANT_OK;
    LCT_TRY(check_length(k, "layer_types", list, n));
    for (int64_t l = 0; l < n; l++) {
        const json_t *item = json_array_get(list, (size_t)l);
        const char *word = json_string_value(item);
        int kind = 0;

        while (kind < 4 && (word == NULL || strcmp(word, words[kind]) != 0))
            kind++;
        if (kind == 4)
            return lct_plan_keys_wrong(
                k, k->where, "layer_types", item,
                "full_attention, sliding_attention, chunked_attention or "
                "linear_attention as its entry %" PRId64,
                l);
        out[l].kind = (enum lct_plan_kind)kind;
        if (kind == LCT_KIND_WINDOW && window == 0)
            out[l].kind = LCT_KIND_FULL;
    }
    return lct_plan_keys_note(k, "layers", "layer_types", LCT_GIVEN,
                              "%" PRId64 " entries", n);
}

/* The kind of a layer of SmolLM3 or Llama 4 that is rotated, or not. */
static enum lct_plan_kind kind_of(bool rotated, bool llama4, int64_t window)
{
    if (llama4)
        return rotated ? LCT_KIND_CHUNK : LCT_KIND_FULL;
    return window > 0 && !rotated ? LCT_KIND_WINDOW : LCT_KIND_FULL;
}

/* full_attn_layers of Kimi Linear, whose numbers begin at 1. */
static locant_status by_numbers(struct lct_plan_layer_kind *out,
                                struct lct_plan_keys *k, int64_t n)
{
    const json_t *config, *list;

    if (!(k->family->flags & LCT_NOPE))
        return LOCANT_OK;
    LCT_TRY(lct_plan_keys_object(&config, k, "linear_attn_config"));
    list = json_object_get(config, "full_attn_layers");
    for (int64_t l = 0; l < n; l++)
        out[l].kind = list == NULL && l > 0 && l % k->family->period == 0
                          ? LCT_KIND_FULL
                          : LCT_KIND_LINEAR;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const json_int_t l = json_integer_value(item);

        if (!json_is_integer(item) || l < 1 || l > n)
            return lct_plan_keys_wrong(k, "linear_attn_config.",
                                       "full_attn_layers", item,
                                       "numbers of layers, 1 to %" PRId64, n);
        out[l - 1].kind = LCT_KIND_FULL;
    }
    return LOCANT_OK;
}

/* no_rope_layers, in which 1 means that the layer is rotated. */
static locant_status by_rotation(struct lct_plan_layer_kind *out,
                                 struct lct_plan_keys *k, int64_t n,
                                 int64_t window)
{
    const bool llama4 = k->family->rule == LCT_LAYERS_LLAMA4;
    const json_t *list;

    if (!llama4 && k->family->rule != LCT_LAYERS_NOPE)
        return LOCANT_OK;
    LCT_TRY(lct_plan_keys_array(&list, k, "no_rope_layers"));
    if (list == NULL || (llama4 && (json_array_size(list) == 0 ||
                                    k->plan->stack == LCT_STACK_LLAMACPP)))
        return LOCANT_OK;
    LCT_TRY(check_length(k, "no_rope_layers", list, n));
    for (int64_t l = 0; l < n; l++) {
        const json_t *item = json_array_get(list, (size_t)l);
        const json_int_t value = json_integer_value(item);

        if (!json_is_integer(item) || (value != 0 && value != 1))
            return lct_plan_keys_wrong(k, k->where, "no_rope_layers", item,
                                       "0 or 1, where 1 means rotated, as its "
                                       "entry %" PRId64,
                                       l);
        out[l].rotated = value == 1;
        out[l].kind = kind_of(value == 1, llama4, window);
    }
    return lct_plan_keys_note(k, "rotated layers", "no_rope_layers", LCT_GIVEN,
                              "%" PRId64 " entries", n);
}

locant_status lct_plan_layers_read(struct lct_plan_layer_kind *out,
                                   struct lct_plan_keys *k, int64_t n,
                                   int64_t window)
{
    const unsigned flags = k->family->flags;

    LCT_TRY(by_rule(out, k, n, window));
    LCT_TRY(by_rotation(out, k, n, window));
    LCT_TRY(by_numbers(out, k, n));
    LCT_TRY(by_types(out, k, n, window));
    if (flags & LCT_LAST_GLOBAL)
        out[n - 1].kind = LCT_KIND_FULL;
    for (int64_t l = 0; l < n; l++) {
        if (out[l].kind == LCT_KIND_LINEAR || (flags & LCT_NOPE) ||
            ((flags & LCT_NOPE_GLOBAL) && window > 0 &&
             out[l].kind != LCT_KIND_WINDOW))
            out[l].rotated = false;
    }
    return LOCANT_OK;
}
