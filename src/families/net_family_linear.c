/*
 * net_family_linear.c - keys of families whose layers have linear attention
 *
 * Source: the published configuration of Kimi-Linear-48B-A3B; the classes of
 * transformers 5.23.
 */
#include "net_family_keys.h"
#include <inttypes.h>
#include <string.h>

/* Sizes that keep products of two of them within 2^60, and groups of heads
   whole. */
static locant_status check_sizes(const struct lct_net_delta *d,
                                 const struct lct_config *c)
{
    const int64_t most = 1 << 15;

    if (d->heads < 1 || d->heads > most || d->key_heads < 1 ||
        d->heads % d->key_heads != 0)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: linear attention has %" PRId64
                           " heads of values and %" PRId64
                           " of keys, expected 1 to %" PRId64
                           " of values, a multiple of those of keys",
                           c->file, d->heads, d->key_heads, most);
    if (d->keys < 1 || d->keys > most || d->values < 1 || d->values > most)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: heads of linear attention have %" PRId64
                           " channels of keys and %" PRId64
                           " of values, expected 1 to %" PRId64,
                           c->file, d->keys, d->values, most);
    if (d->kernel < 1 || d->kernel > 256)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: the convolution of linear attention has "
                           "%" PRId64 " tokens, expected 1 to 256",
                           c->file, d->kernel);
    return LOCANT_OK;
}

/* A whole number of an object within the text part, or of that itself. */
static locant_status whole_of(int64_t *out, const struct lct_config *c,
                              const char *object, const char *key)
{
    const json_t *inner = json_object_get(c->text, object);
    char shown[LCT_CONFIG_SHOWN];
    int64_t value;
    enum lct_found found;

    if (inner == NULL || json_is_null(inner))
        return LOCANT_OK;
    found = lct_config_integer(&value, inner, key);
    if (!json_is_object(inner) || found == LCT_WRONG ||
        (found == LCT_RIGHT && value < 0))
        return locant_fail(
            LOCANT_ERR_FORMAT,
            "%s: %s.%s is %s, expected a whole number of 0 or more", c->file,
            object, key, lct_config_show(shown, json_object_get(inner, key)));
    if (found == LCT_RIGHT)
        *out = value;
    return LOCANT_OK;
}

/* ------------------------------------------------------------ Kimi Linear */

/* Sizes of linear_attn_config go before those beside it. */
static locant_status kimi_sizes(struct lct_net_delta *d,
                                const struct lct_config *c)
{
    static const char object[] = "linear_attn_config";

    LCT_TRY(lct_net_family_keys_whole(&d->heads, c, "linear_num_heads"));
    LCT_TRY(lct_net_family_keys_whole(&d->values, c, "linear_head_dim"));
    LCT_TRY(lct_net_family_keys_whole(&d->kernel, c, "linear_conv_kernel_dim"));
    LCT_TRY(whole_of(&d->heads, c, object, "num_heads"));
    LCT_TRY(whole_of(&d->values, c, object, "head_dim"));
    LCT_TRY(whole_of(&d->kernel, c, object, "short_conv_kernel_size"));
    d->key_heads = d->heads;
    d->keys = d->values;
    return check_sizes(d, c);
}

/* "dense" or "sparse" of each layer, which goes before first_k_dense_replace */
static locant_status kimi_layers(struct lct_net_switches *s,
                                 const struct lct_config *c)
{
    static const char key[] = "mlp_layer_types";
    const json_t *list = json_object_get(c->text, key);
    int64_t layers = 27;

    if (list == NULL || json_is_null(list))
        return LOCANT_OK;
    LCT_TRY(lct_net_family_keys_whole(&layers, c, "num_hidden_layers"));
    if (json_array_size(list) != (size_t)layers)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: %s has %zu entries, expected %" PRId64
                           ", one for each layer",
                           c->file, key, json_array_size(list), layers);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *word = json_string_value(item);
        char shown[LCT_CONFIG_SHOWN];

        if (word == NULL ||
            (strcmp(word, "dense") != 0 && strcmp(word, "sparse") != 0))
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: entry %zu of %s is %s, expected dense or "
                               "sparse",
                               c->file, i, key, lct_config_show(shown, item));
    }
    s->mlp_types = list;
    return LOCANT_OK;
}

/* What the published code knows and transformers does not. */
static locant_status kimi_limits(const struct lct_config *c)
{
    const char *router = "sigmoid";
    bool unrotated = true;
    int64_t every = 1;

    LCT_TRY(lct_net_family_keys_text(&router, c, "moe_router_activation_func"));
    LCT_TRY(lct_net_family_keys_whole(&every, c, "moe_layer_freq"));
    LCT_TRY(lct_net_family_keys_bool(&unrotated, c, "mla_use_nope"));
    if (strcmp(router, "sigmoid") == 0 && every == 1 && unrotated)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_UNSUPPORTED, "%s: %s cannot be run", c->file,
                       !unrotated   ? "mla_use_nope false"
                       : every != 1 ? "moe_layer_freq other than 1"
                                    : "moe_router_activation_func other than "
                                      "sigmoid");
}

locant_status lct_net_family_linear_kimi(struct lct_net_switches *s,
                                         const struct lct_config *c)
{
    struct lct_net_experts *e = &s->experts;

    LCT_TRY(kimi_limits(c));
    LCT_TRY(kimi_sizes(&s->delta, c));
    LCT_TRY(kimi_layers(s, c));
    LCT_TRY(lct_net_family_keys_whole(&e->top_k, c, "num_experts_per_token"));
    LCT_TRY(lct_net_family_keys_whole(&e->groups, c, "num_expert_group"));
    LCT_TRY(lct_net_family_keys_bool(&e->renormalise, c, "moe_renormalize"));
    return lct_net_family_experts(s, c);
}

/* -------------------------------------------------------------- Qwen3-Next */

locant_status lct_net_family_linear_qwen(struct lct_net_switches *s,
                                         const struct lct_config *c)
{
    struct lct_net_delta *d = &s->delta;

    LCT_TRY(lct_net_family_keys_whole(&d->heads, c, "linear_num_value_heads"));
    LCT_TRY(
        lct_net_family_keys_whole(&d->key_heads, c, "linear_num_key_heads"));
    LCT_TRY(lct_net_family_keys_whole(&d->values, c, "linear_value_head_dim"));
    LCT_TRY(lct_net_family_keys_whole(&d->keys, c, "linear_key_head_dim"));
    LCT_TRY(lct_net_family_keys_whole(&d->kernel, c, "linear_conv_kernel_dim"));
    LCT_TRY(check_sizes(d, c));
    return lct_net_family_experts(s, c);
}
