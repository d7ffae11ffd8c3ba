/* plan_own.c - widths, heads and keys that single layers of a decoder have */
#include "plan_own.h"
#include <inttypes.h>
#include <stdio.h>

/* What per_layer_config says of single layers: transformers writes the widths
   of Gemma 4 there, and leaves out global_head_dim. */
static locant_status own_sizes(struct lct_plan_keys *k,
                               const struct lct_plan_sizes *n)
{
    const json_t *all;
    char number[24];

    LCT_TRY(lct_plan_keys_object(&all, k, "per_layer_config"));
    for (int64_t l = 0; l < n->layers; l++) {
        struct lct_layer_plan *layer = &k->tower->layers[l];
        const json_t *own;
        int64_t width = layer->qk_dim, heads = layer->kv_heads;

        snprintf(number, sizeof(number), "%" PRId64, l);
        own = json_object_get(all, number);
        if (own == NULL)
            continue;
        if (lct_config_integer(&width, own, "head_dim") == LCT_WRONG ||
            lct_config_integer(&heads, own, "num_key_value_heads") ==
                LCT_WRONG ||
            width < 2 || width > 1 << 20 || heads < 1 ||
            layer->heads % heads != 0)
            return lct_plan_keys_wrong(k, "per_layer_config.", number, own,
                                       "a width of heads and a number of heads "
                                       "of keys");
        layer->qk_dim = layer->v_dim = width;
        layer->kv_heads = heads;
    }
    return LOCANT_OK;
}

/* Global layers of Gemma 4 have heads of another width. */
static locant_status global_sizes(struct lct_plan_keys *k,
                                  const struct lct_plan_sizes *n,
                                  const struct lct_plan_layer_kind *kinds)
{
    int64_t width, heads = n->kv_heads;
    bool same_values;

    if (!(k->plan->family->flags & LCT_ROPE_NEW))
        return LOCANT_OK;
    /* Where layers state their own width transformers reads no global one. */
    if (json_object_get(k->object, "per_layer_config") != NULL)
        return own_sizes(k, n);
    LCT_TRY(lct_plan_keys_whole(&width, k, "head_dim (global)",
                                "global_head_dim", 512, 2));
    LCT_TRY(lct_plan_keys_switch(&same_values, k, "attention_k_eq_v", false));
    if (same_values)
        LCT_TRY(lct_plan_keys_whole(&heads, k, "kv_heads (global)",
                                    "num_global_key_value_heads", heads, 1));
    for (int64_t l = 0; l < n->layers; l++)
        if (kinds[l].kind == LCT_KIND_FULL) {
            k->tower->layers[l].qk_dim = width;
            k->tower->layers[l].v_dim = width;
            k->tower->layers[l].kv_heads = heads;
        }
    return LOCANT_OK;
}

/* Layers at the end read the keys of the last layer of their kind that has
   its own. */
static locant_status share_keys(struct lct_plan_keys *k,
                                const struct lct_plan_sizes *n,
                                const struct lct_plan_layer_kind *kinds)
{
    int64_t shared, first;

    if (!(k->plan->family->flags & LCT_SHARED_KEYS))
        return LOCANT_OK;
    LCT_TRY(lct_plan_keys_whole(&shared, k, "layers without keys",
                                "num_kv_shared_layers",
                                k->plan->family->shared_keys, 0));
    first = shared < n->layers ? n->layers - shared : 0;
    for (int64_t l = first; l < n->layers && shared > 0; l++) {
        int64_t from = first - 1;

        while (from >= 0 && kinds[from].kind != kinds[l].kind)
            from--;
        if (from < 0)
            return LCT_PLAN_KEYS_WRONG(
                k, "num_kv_shared_layers",
                "a layer of each kind before the last %" PRId64, shared);
        k->tower->layers[l].keys_of = from;
    }
    return LOCANT_OK;
}

locant_status lct_plan_own_layers(struct lct_plan_keys *k,
                                  const struct lct_plan_sizes *n,
                                  const struct lct_plan_layer_kind *kinds)
{
    LCT_TRY(global_sizes(k, n, kinds));
    return share_keys(k, n, kinds);
}
