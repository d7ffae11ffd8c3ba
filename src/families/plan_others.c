/* plan_others.c - BERT, GPT-2, T5, BLOOM and their like */
#include "plan_others.h"
#include "plan_layers.h"
#include "plan_tower.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Sizes of a tower under the names that a class gives them. */
struct names {
    const char *layers, *hidden, *heads;
    int64_t n_layers, n_hidden, n_heads; /* defaults */
};

/* Read them and make the layers; *D is the width of a head. */
static locant_status layers(struct lct_plan_keys *k, const struct names *n,
                            int64_t *hidden, int64_t *heads)
{
    int64_t count;

    LCT_TRY(
        lct_plan_keys_whole(&count, k, "layers", n->layers, n->n_layers, 1));
    if (count > LCT_PLAN_LAYERS)
        return lct_plan_keys_wrong(k, k->where, n->layers,
                                   json_object_get(k->object, n->layers),
                                   "at most %d layers", LCT_PLAN_LAYERS);
    LCT_TRY(
        lct_plan_keys_whole(hidden, k, "hidden", n->hidden, n->n_hidden, 1));
    LCT_TRY(lct_plan_keys_whole(heads, k, "heads", n->heads, n->n_heads, 1));
    if (*heads > *hidden)
        return lct_plan_keys_wrong(
            k, k->where, n->heads, json_object_get(k->object, n->heads),
            "no more heads than the %" PRId64 " channels of %s", *hidden,
            n->hidden);
    return lct_plan_tower_layers(k->tower, count, *heads, *heads,
                                 *hidden / *heads, k->plan->file);
}

/* The same spec for all layers, seen from both sides or not. */
static locant_status all(struct lct_plan_keys *k, const char *spec,
                         enum lct_plan_mask mask)
{
    LCT_TRY(lct_plan_tower_all(k, spec));
    for (int64_t l = 0; l < k->tower->n_layers; l++)
        k->tower->layers[l].mask = mask;
    return LOCANT_OK;
}

/* A learned table of 'rows' rows, 'offset' of them before position 0. */
static locant_status learned(struct lct_plan_keys *k, int64_t rows,
                             int64_t offset)
{
    struct lct_position_plan *p = k->plan;
    char spec[96];

    p->length_tables = rows;
    p->length_config = p->length_trained = rows - offset;
    if (offset > 0)
        snprintf(spec, sizeof spec,
                 "learned(length=%" PRId64 ",offset=%" PRId64 ")", rows,
                 offset);
    else
        snprintf(spec, sizeof spec, "learned(length=%" PRId64 ")", rows);
    return lct_plan_tower_input(k, spec);
}

static const char *where(const struct lct_config *c)
{
    return c->text != c->root ? "text_config." : "";
}

/* -------------------------------------------------------------------- BERT */

static locant_status bert(struct lct_plan_keys *k)
{
    static const struct names names = {
        "num_hidden_layers", "hidden_size", "num_attention_heads", 12, 768, 12
    };
    int64_t hidden, heads, rows;

    LCT_TRY(layers(k, &names, &hidden, &heads));
    LCT_TRY(lct_plan_keys_whole(&rows, k, "rows", "max_position_embeddings",
                                512, 1));
    LCT_TRY(learned(k, rows, 0));
    return all(k, "none", LCT_BIDIRECTIONAL);
}

locant_status lct_plan_bert(struct lct_position_plan *p,
                            const struct lct_config *c)
{
    struct lct_plan_keys k;

    LCT_TRY(lct_plan_tower_begin(&k, p, "text", c->text, where(c)));
    return bert(&k);
}

/* ------------------------------------------------------------------- GPT-2 */

static locant_status gpt2(struct lct_plan_keys *k)
{
    static const struct names names = { "n_layer", "n_embd", "n_head",
                                        12,        768,      12 };
    struct lct_tower *t = k->tower;
    int64_t hidden, heads, rows;
    bool scaled, by_layer;

    LCT_TRY(layers(k, &names, &hidden, &heads));
    LCT_TRY(lct_plan_keys_whole(&rows, k, "rows", "n_positions", 1024, 1));
    LCT_TRY(lct_plan_keys_switch(&scaled, k, "scale_attn_weights", true));
    LCT_TRY(lct_plan_keys_switch(&by_layer, k,
                                 "scale_attn_by_inverse_layer_idx", false));
    LCT_TRY(learned(k, rows, 0));
    LCT_TRY(all(k, "none", LCT_CAUSAL));
    for (int64_t l = 0; l < t->n_layers; l++) {
        struct lct_layer_plan *layer = &t->layers[l];

        if (!scaled) {
            layer->scale = 1;
            snprintf(layer->scale_key, sizeof layer->scale_key,
                     "scale_attn_weights");
        }
        if (by_layer) {
            layer->scale /= (double)(l + 1);
            snprintf(layer->scale_key, sizeof layer->scale_key,
                     "scale_attn_by_inverse_layer_idx");
        }
    }
    return LOCANT_OK;
}

locant_status lct_plan_gpt2(struct lct_position_plan *p,
                            const struct lct_config *c)
{
    struct lct_plan_keys k;

    LCT_TRY(lct_plan_tower_begin(&k, p, "text", c->text, where(c)));
    return gpt2(&k);
}

/* ---------------------------------------------------------------------- T5 */

static locant_status t5_stack(struct lct_position_plan *p,
                              const struct lct_config *c, bool decoder)
{
    struct lct_plan_keys k;
    int64_t count, heads, width, buckets, distance;
    char spec[160];

    LCT_TRY(lct_plan_tower_begin(&k, p, decoder ? "decoder" : "encoder",
                                 c->text, where(c)));
    LCT_TRY(lct_plan_keys_whole(&count, &k, "layers", "num_layers", 6, 1));
    if (decoder)
        LCT_TRY(lct_plan_keys_whole(&count, &k, "layers", "num_decoder_layers",
                                    count, 1));
    LCT_TRY(lct_plan_keys_whole(&heads, &k, "heads", "num_heads", 8, 1));
    LCT_TRY(lct_plan_keys_whole(&width, &k, "head_dim", "d_kv", 64, 1));
    LCT_TRY(lct_plan_keys_whole(&buckets, &k, "buckets",
                                "relative_attention_num_buckets", 32, 2));
    LCT_TRY(lct_plan_keys_whole(&distance, &k, "distance",
                                "relative_attention_max_distance", 128, 2));
    if (count > LCT_PLAN_LAYERS)
        return lct_plan_keys_wrong(&k, k.where, "num_layers",
                                   json_object_get(k.object, "num_layers"),
                                   "at most %d layers", LCT_PLAN_LAYERS);
    LCT_TRY(
        lct_plan_tower_layers(k.tower, count, heads, heads, width, p->file));
    snprintf(spec, sizeof spec,
             "t5(buckets=%" PRId64 ",distance=%" PRId64 ",bidirectional=%s%s)",
             buckets, distance, decoder ? "no" : "yes",
             strcmp(p->family->model_type, "umt5") == 0 ? ",share=no" : "");
    LCT_TRY(all(&k, spec, decoder ? LCT_CAUSAL : LCT_BIDIRECTIONAL));
    for (int64_t l = 0; l < count; l++) {
        k.tower->layers[l].scale = 1;
        snprintf(k.tower->layers[l].scale_key,
                 sizeof k.tower->layers[l].scale_key, "1, by the class");
    }
    return LOCANT_OK;
}

locant_status lct_plan_t5(struct lct_position_plan *p,
                          const struct lct_config *c)
{
    LCT_TRY(t5_stack(p, c, false));
    return t5_stack(p, c, true);
}

/* ------------------------------------------------------------------- BLOOM */

static locant_status bloom(struct lct_plan_keys *k)
{
    static const struct names names = { "n_layer", "hidden_size",
                                        "n_head",  2,
                                        64,        8 };
    int64_t hidden, heads, length;

    LCT_TRY(layers(k, &names, &hidden, &heads));
    LCT_TRY(lct_plan_keys_whole(&length, k, "length", "seq_length", 0, 0));
    k->plan->length_config = k->plan->length_trained = length;
    k->tower->ids = LCT_IDS_MASK;
    return all(k, "alibi(dialect=bloom)", LCT_CAUSAL);
}

locant_status lct_plan_bloom(struct lct_position_plan *p,
                             const struct lct_config *c)
{
    struct lct_plan_keys k;

    LCT_TRY(lct_plan_tower_begin(&k, p, "text", c->text, where(c)));
    return bloom(&k);
}
