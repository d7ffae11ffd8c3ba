/* plan_learned.c - BERT, GPT-2, OPT, DeBERTa and their like */
#include "plan_learned.h"
#include "plan_tower.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static locant_status begin(struct lct_plan_keys *k, struct lct_position_plan *p,
                           const struct lct_config *c, int64_t *hidden)
{
    LCT_TRY(
        lct_plan_tower_begin(k, p, "text", c->text, lct_plan_tower_where(c)));
    return lct_plan_tower_sizes(k, NULL, NULL, hidden);
}

/* The table that a family adds; RoBERTa counts from the padding token on. */
static locant_status table(struct lct_plan_keys *k)
{
    const struct lct_family *f = k->family;
    int64_t length, offset = f->offset;

    LCT_TRY(lct_plan_tower_size(&length, k, "length", f->names->length,
                                "max_position_embeddings", f->length));
    if (f->flags & LCT_PAD_IDS) {
        LCT_TRY(lct_plan_keys_whole(&k->tower->pad, k, "pad", "pad_token_id", 1,
                                    0));
        k->tower->ids = LCT_IDS_PAD;
        offset = k->tower->pad + 1;
    }
    if (f->flags & LCT_MASK_IDS)
        k->tower->ids = LCT_IDS_MASK;
    if (f->flags & LCT_OFFSET_WITHIN)
        length -= offset;
    return lct_plan_tower_learned(k, length, offset);
}

static enum lct_plan_mask mask_of(const struct lct_plan_keys *k)
{
    return k->family->flags & LCT_ENCODER ? LCT_BIDIRECTIONAL : LCT_CAUSAL;
}

/* Embeddings times the square root of the width, if the class does that. */
static locant_status scale_embedding(struct lct_plan_keys *k, int64_t hidden,
                                     bool usual)
{
    bool scaled;

    if (json_object_get(k->object, "scale_embedding") == NULL && !usual)
        return LOCANT_OK;
    LCT_TRY(lct_plan_keys_switch(&scaled, k, "scale_embedding", usual));
    if (scaled)
        k->tower->input_scale = sqrt((double)hidden);
    return LOCANT_OK;
}

locant_status lct_plan_learned(struct lct_position_plan *p,
                               const struct lct_config *c)
{
    struct lct_plan_keys k;
    int64_t hidden;

    LCT_TRY(begin(&k, p, c, &hidden));
    LCT_TRY(table(&k));
    LCT_TRY(
        scale_embedding(&k, hidden, (p->family->flags & LCT_SCALE_INPUT) != 0));
    return lct_plan_tower_same(&k, "none", mask_of(&k));
}

/* ------------------------------------------------------------------- GPT-2 */

locant_status lct_plan_learned_gpt2(struct lct_position_plan *p,
                                    const struct lct_config *c)
{
    static const char layer_key[] = "scale_attn_by_inverse_layer_idx";
    struct lct_plan_keys k;
    struct lct_tower *t;
    int64_t hidden;
    bool scaled, by_layer, one_key = false;

    LCT_TRY(begin(&k, p, c, &hidden));
    LCT_TRY(table(&k));
    LCT_TRY(lct_plan_tower_same(&k, "none", LCT_CAUSAL));
    if (p->family->flags & LCT_MULTI_QUERY)
        LCT_TRY(lct_plan_keys_switch(&one_key, &k, "multi_query", true));
    LCT_TRY(lct_plan_keys_switch(&scaled, &k, "scale_attn_weights", true));
    LCT_TRY(lct_plan_keys_switch(&by_layer, &k, layer_key, false));
    t = k.tower;
    for (int64_t l = 0; l < t->n_layers && one_key; l++)
        t->layers[l].kv_heads = 1;
    if (!scaled)
        lct_plan_tower_scale(t, 1, "scale_attn_weights");
    for (int64_t l = 0; l < t->n_layers && by_layer; l++) {
        t->layers[l].scale /= (double)(l + 1);
        snprintf(t->layers[l].scale_key, sizeof t->layers[l].scale_key, "%s",
                 layer_key);
    }
    return LOCANT_OK;
}

/* ----------------------------------------------------------------- GPT-Neo */

/* Is layer l local?  attention_types is [[["global", "local"], 12]]. */
static locant_status is_local(bool *out, struct lct_plan_keys *k, int64_t l,
                              const json_t *types)
{
    size_t at = 0;

    *out = l % 2 != 0;
    for (size_t i = 0; i < json_array_size(types); i++) {
        const json_t *entry = json_array_get(types, i);
        const json_t *names = json_array_get(entry, 0);
        const json_int_t times = json_integer_value(json_array_get(entry, 1));
        const size_t n = json_array_size(names);
        size_t all;

        if (times < 1 || __builtin_mul_overflow(n, (size_t)times, &all))
            break;
        if ((size_t)l - at < all) {
            const char *name =
                json_string_value(json_array_get(names, ((size_t)l - at) % n));

            if (name == NULL)
                break;
            *out = strcmp(name, "local") == 0;
            return LOCANT_OK;
        }
        at += all;
    }
    if (types == NULL)
        return LOCANT_OK;
    return lct_plan_keys_wrong(k, k->where, "attention_types", types,
                               "names and how often they repeat, for every "
                               "layer");
}

locant_status lct_plan_learned_gpt_neo(struct lct_position_plan *p,
                                       const struct lct_config *c)
{
    struct lct_plan_keys k;
    const json_t *types;
    int64_t hidden, window;

    LCT_TRY(begin(&k, p, c, &hidden));
    LCT_TRY(table(&k));
    LCT_TRY(lct_plan_keys_whole(&window, &k, "window", "window_size", 256, 1));
    LCT_TRY(lct_plan_keys_array(&types, &k, "attention_types"));
    for (int64_t l = 0; l < k.tower->n_layers; l++) {
        struct lct_plan_spec s = { 0 };
        bool local;

        LCT_TRY(is_local(&local, &k, l, types));
        if (local)
            lct_plan_spec_put(&s, "window(size=%" PRId64 ")", window);
        else
            lct_plan_spec_put(&s, "none");
        LCT_TRY(lct_plan_tower_layer(k.tower, l, &s, p->file));
    }
    lct_plan_tower_scale(k.tower, 1, "1, by the class");
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- MPNet */

locant_status lct_plan_learned_mpnet(struct lct_position_plan *p,
                                     const struct lct_config *c)
{
    struct lct_plan_keys k;
    int64_t hidden, buckets;
    char spec[64];

    LCT_TRY(begin(&k, p, c, &hidden));
    LCT_TRY(table(&k));
    LCT_TRY(lct_plan_keys_whole(&buckets, &k, "buckets",
                                "relative_attention_num_buckets", 32, 2));
    snprintf(spec, sizeof spec, "t5(buckets=%" PRId64 ",bidirectional=yes)",
             buckets);
    return lct_plan_tower_same(&k, spec, LCT_BIDIRECTIONAL);
}

/* ----------------------------------------------------------------- DeBERTa */

/* Does a list, or a text with '|' between, name both directions? */
static bool names_both(const json_t *types)
{
    bool c2p = false, p2c = false;

    if (json_is_string(types))
        return strstr(json_string_value(types), "c2p") != NULL &&
               strstr(json_string_value(types), "p2c") != NULL;
    for (size_t i = 0; i < json_array_size(types); i++) {
        const char *word = json_string_value(json_array_get(types, i));

        c2p |= word != NULL && strcmp(word, "c2p") == 0;
        p2c |= word != NULL && strcmp(word, "p2c") == 0;
    }
    return c2p && p2c;
}

/* The three terms share 1/sqrt(3 D), of which the encoding has 1/sqrt(3). */
static locant_status deberta(struct lct_plan_keys *k, int64_t rows)
{
    const json_t *types = json_object_get(k->object, "pos_att_type");
    int64_t buckets = -1, most;
    const char *norm = NULL;
    char spec[128];
    int version = 1;

    if (!names_both(types))
        return lct_plan_keys_wrong(k, k->where, "pos_att_type", types,
                                   "both c2p and p2c");
    LCT_TRY(lct_plan_keys_whole(&most, k, "max_relative_positions",
                                "max_relative_positions", -1, -1));
    if (most < 1)
        most = rows;
    if (k->family->flags & LCT_SECOND) {
        LCT_TRY(lct_plan_keys_whole(&buckets, k, "position_buckets",
                                    "position_buckets", -1, -1));
        LCT_TRY(lct_plan_keys_text(&norm, k, "norm_rel_ebd"));
        /* Without buckets distances are those of the first version; the bias
           of keys that it lacks adds the same to all scores of a query. */
        version = norm != NULL && strstr(norm, "layer_norm") != NULL ? 3
                  : buckets > 0                                      ? 2
                                                                     : 1;
    }
    snprintf(spec, sizeof spec,
             "deberta(version=%d,span=%" PRId64 ",distance=%" PRId64 ")",
             version, buckets > 0 ? buckets : most, most);
    return lct_plan_tower_same(k, spec, LCT_BIDIRECTIONAL);
}

locant_status lct_plan_learned_deberta(struct lct_position_plan *p,
                                       const struct lct_config *c)
{
    struct lct_plan_keys k;
    int64_t hidden, rows;
    bool biased, relative;

    LCT_TRY(begin(&k, p, c, &hidden));
    LCT_TRY(lct_plan_keys_whole(&rows, &k, "length", "max_position_embeddings",
                                512, 1));
    LCT_TRY(lct_plan_keys_switch(&biased, &k, "position_biased_input", true));
    LCT_TRY(lct_plan_keys_switch(&relative, &k, "relative_attention", false));
    p->length_config = p->length_trained = rows;
    if (biased)
        LCT_TRY(lct_plan_tower_learned(&k, rows, 0));
    return relative ? deberta(&k, rows)
                    : lct_plan_tower_same(&k, "none", LCT_BIDIRECTIONAL);
}

/* ---------------------------------------------------------- Transformer-XL */

locant_status lct_plan_learned_transfo_xl(struct lct_position_plan *p,
                                          const struct lct_config *c)
{
    struct lct_plan_keys k;
    int64_t hidden, clamp, width;
    char spec[64];

    LCT_TRY(begin(&k, p, c, &hidden));
    LCT_TRY(
        lct_plan_keys_whole(&clamp, &k, "clamp_len", "clamp_len", 1000, -1));
    LCT_TRY(lct_plan_keys_whole(&width, &k, "head_dim", "d_head", 64, 1));
    LCT_TRY(lct_plan_keys_whole(&p->length_config, &k, "memory", "mem_len",
                                1600, 0));
    p->length_trained = p->length_config;
    for (int64_t l = 0; l < k.tower->n_layers; l++)
        k.tower->layers[l].qk_dim = k.tower->layers[l].v_dim = width;
    lct_plan_tower_scale(k.tower, 1 / sqrt((double)width), "d_head^-0.5");
    k.tower->input_scale = sqrt((double)hidden);
    snprintf(spec, sizeof spec, "transformer-xl(clamp=%" PRId64 ")",
             clamp > 0 ? clamp : 0);
    return lct_plan_tower_same(&k, spec, LCT_CAUSAL);
}
