/*
 * plan_decoder.c - plans of decoders (and encoders) of the shape of Llama: what
 * differs between them is in the rows of families.def
 */
#include "plan_decoder.h"
#include "plan_beside.h"
#include "plan_layers.h"
#include "plan_own.h"
#include "plan_rope.h"
#include "plan_sizes.h"
#include "plan_stack.h"
#include "plan_tower.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* All that the layers of one decoder are made of. */
struct decoder {
    struct lct_plan_keys k;
    const struct lct_family *f;
    struct lct_plan_sizes n;
    int64_t window, chunk;
    bool both_sides; /* a query sees keys on both sides */
    struct lct_plan_rope full, local;
    bool has_local; /* windows have rope parameters of their own */
    struct lct_plan_spec rope[2]; /* as text: of full layers, of windows */
    int64_t rotary_dim;           /* by width_key; 0: by the partial factor */
    int64_t section[3];           /* of mrope */
    char temperature[96]; /* of every rotated layer, or of those that are not */
    bool temperature_everywhere;
    bool interleaved;
};

/* ------------------------------------------------------------ temperatures */

static locant_status ministral(struct decoder *d)
{
    double beta;

    LCT_TRY(lct_plan_keys_real_of(&beta, &d->k, d->full.dict, d->full.where,
                                  "llama_4_scaling_beta", -1));
    if (beta <= 0)
        return LOCANT_OK;
    if (d->full.original <= 0)
        return lct_plan_keys_wrong(&d->k, d->full.where,
                                   "original_max_position_embeddings", NULL,
                                   "a length with llama_4_scaling_beta");
    snprintf(d->temperature, sizeof d->temperature,
             "temperature(kind=ministral,scale=%.17g,floor=%" PRId64 ")", beta,
             d->full.original);
    d->temperature_everywhere = true;
    return lct_plan_keys_note_real(&d->k, "temperature", "llama_4_scaling_beta",
                                   d->full.origin, beta);
}

static locant_status llama4(struct decoder *d)
{
    double scale;
    int64_t floor;
    bool on;

    LCT_TRY(lct_plan_keys_whole(&d->chunk, &d->k, "chunk",
                                "attention_chunk_size", 8192, 1));
    LCT_TRY(lct_plan_keys_switch(&on, &d->k, "attn_temperature_tuning", true));
    if (!on)
        return LOCANT_OK;
    LCT_TRY(lct_plan_keys_whole(&floor, &d->k, "floor_scale", "floor_scale",
                                8192, 1));
    LCT_TRY(lct_plan_keys_real(&scale, &d->k, "attn_scale", "attn_scale", 0.1));
    snprintf(d->temperature, sizeof d->temperature,
             "temperature(scale=%.17g,floor=%" PRId64 ")", scale, floor);
    return LOCANT_OK;
}

/* --------------------------------------------------------------- rotations */

/* MiniMax: a number of channels, unless a partial factor is given. */
static locant_status read_width(struct decoder *d)
{
    static const char partial[] = "partial_rotary_factor";
    const bool gguf = d->k.plan->dialect == LCT_DIALECT_GGUF;
    const char *key = gguf ? "rotary_dim" : d->f->width_key;

    if (key == NULL || json_object_get(d->k.object, key) == NULL ||
        json_object_get(d->k.object, partial) != NULL ||
        json_object_get(d->full.dict, partial) != NULL)
        return LOCANT_OK;
    LCT_TRY(lct_plan_keys_whole(&d->rotary_dim, &d->k, "rotated", key,
                                d->n.head_dim, 2));
    if (d->rotary_dim % 2 == 0 && d->rotary_dim <= d->n.head_dim)
        return LOCANT_OK;
    return LCT_PLAN_KEYS_WRONG(&d->k, key,
                               "an even number of at most the %" PRId64
                               " channels of a head",
                               d->n.head_dim);
}

/* mrope_section: pairs of time, rows and columns. */
static locant_status read_sections(struct decoder *d)
{
    const json_t *list = json_object_get(d->full.dict, "mrope_section");
    const bool mixed = (d->f->flags & LCT_MROPE_MIXED) != 0;
    int64_t sum = 0;

    memcpy(d->section, d->f->section, sizeof d->section);
    if (d->section[0] == 0 || list == NULL || json_is_null(list))
        return LOCANT_OK;
    for (size_t i = 0; i < 3; i++) {
        const json_t *item = json_array_get(list, i);

        d->section[i] = json_integer_value(item);
        if (json_array_size(list) != 3 || !json_is_integer(item) ||
            d->section[i] < 0 || d->section[i] > d->n.head_dim)
            return lct_plan_keys_wrong(&d->k, d->full.where, "mrope_section",
                                       list, "three numbers of pairs");
        sum += d->section[i];
    }
    if (mixed || sum == d->n.head_dim / 2)
        return LOCANT_OK;
    return lct_plan_keys_wrong(&d->k, d->full.where, "mrope_section", list,
                               "%" PRId64 " pairs in all, half of head_dim",
                               d->n.head_dim / 2);
}

static locant_status read_rope(struct decoder *d)
{
    const unsigned flags = d->f->flags;
    struct lct_position_plan *p = d->k.plan;

    if (flags & LCT_NOPE)
        return LOCANT_OK;
    d->interleaved = p->interleaved;
    if ((flags & LCT_MLA) && p->pairing_assumed &&
        json_object_get(d->k.object, "rope_interleave") != NULL)
        LCT_TRY(lct_plan_keys_switch(&d->interleaved, &d->k, "rope_interleave",
                                     true));
    p->interleaved = d->interleaved;
    d->has_local = (flags & LCT_ROPE_BY_TYPE) != 0;
    LCT_TRY(lct_plan_rope_read(
        &d->full, &d->k, d->has_local ? "full_attention" : NULL, d->n.length));
    if (d->full.original > 0 && d->full.original < p->length_trained)
        p->length_trained = d->full.original;
    if (d->has_local)
        LCT_TRY(lct_plan_rope_read(&d->local, &d->k, "sliding_attention",
                                   d->n.length));
    LCT_TRY(read_width(d));
    LCT_TRY(read_sections(d));
    if (flags & LCT_MINISTRAL)
        LCT_TRY(ministral(d));
    return LOCANT_OK;
}

/* mlx-lm drops the sections; vLLM alternates only if it is told to. */
static const char *layout_of(const struct decoder *d)
{
    const json_t *mixed = json_object_get(d->full.dict, "mrope_interleaved");
    const enum lct_stack stack = d->k.plan->stack;

    if (stack == LCT_STACK_MLX)
        return NULL;
    return (d->f->flags & LCT_MROPE_MIXED) &&
                   (stack != LCT_STACK_VLLM || json_is_true(mixed))
               ? "interleaved"
               : "chunked";
}

static locant_status put_rope(struct lct_plan_spec *s, struct decoder *d,
                              enum lct_plan_kind kind, int64_t head_dim)
{
    const bool local = kind == LCT_KIND_WINDOW;
    struct lct_plan_spec *rope = &d->rope[local];
    const bool mla = (d->f->flags & LCT_MLA) != 0;
    struct lct_plan_rotation r = {
        .head_dim = head_dim,
        .dim = mla ? head_dim : d->rotary_dim,
        .trailing = mla,
        .interleaved = d->interleaved,
        .score = lct_plan_stack_score(d->k.plan->stack, d->f),
    };

    memcpy(r.section, d->section, sizeof r.section);
    if (r.section[0] > 0)
        r.layout = layout_of(d);
    if (rope->n == 0)
        LCT_TRY(lct_plan_rope_put(
            rope, &d->k, d->has_local && local ? &d->local : &d->full, &r));
    lct_plan_spec_put(s, "%s", rope->failed ? "" : rope->text);
    s->failed |= rope->failed;
    return LOCANT_OK;
}

static locant_status put_layer(struct lct_plan_spec *s, struct decoder *d,
                               const struct lct_plan_layer_kind *kind,
                               int64_t head_dim)
{
    const char *plus = "";

    if (d->temperature[0] && kind->kind != LCT_KIND_LINEAR &&
        (d->temperature_everywhere || !kind->rotated)) {
        lct_plan_spec_put(s, "%s", d->temperature);
        plus = "+";
    }
    if (kind->kind == LCT_KIND_WINDOW) {
        lct_plan_spec_put(s, "%swindow(size=%" PRId64 ")", plus, d->window);
        plus = "+";
    }
    if (kind->kind == LCT_KIND_CHUNK) {
        lct_plan_spec_put(s, "%schunked(size=%" PRId64 ")", plus, d->chunk);
        plus = "+";
    }
    if (kind->rotated) {
        lct_plan_spec_put(s, "%s", plus);
        return put_rope(s, d, kind->kind, head_dim);
    }
    lct_plan_spec_put(s, "%s", *plus ? "" : "none");
    return LOCANT_OK;
}

/* ------------------------------------------------------------------ layers */

static locant_status fill(struct decoder *d,
                          const struct lct_plan_layer_kind *kinds)
{
    struct lct_tower *t = d->k.tower;
    struct lct_qk_norm norm;
    const char *why;
    double scale, softcap;

    LCT_TRY(lct_plan_beside_scale(&scale, &why, &d->k));
    LCT_TRY(lct_plan_beside_norm(&norm, &d->k));
    LCT_TRY(lct_plan_beside_softcap(&softcap, &d->k));
    LCT_TRY(lct_plan_own_layers(&d->k, &d->n, kinds));
    for (int64_t l = 0; l < t->n_layers; l++) {
        struct lct_layer_plan *layer = &t->layers[l];
        struct lct_plan_spec s = { 0 };
        locant_status status =
            put_layer(&s, d, &kinds[l],
                      d->f->flags & LCT_MLA ? d->n.rope_dim : layer->qk_dim);

        if (status != LOCANT_OK) {
            locant_release(s.text);
            return status;
        }
        LCT_TRY(lct_plan_tower_layer(t, l, &s, d->k.plan->file));
        layer->scale = isnan(scale) ? 1 / sqrt((double)layer->qk_dim) : scale;
        snprintf(layer->scale_key, sizeof layer->scale_key, "%s", why);
        if (kinds[l].rotated)
            layer->score_factor =
                d->has_local && kinds[l].kind == LCT_KIND_WINDOW
                    ? d->local.score
                    : d->full.score;
        layer->softcap = softcap;
        layer->norm = norm;
        if (norm.kind == LCT_QK_L2 && !kinds[l].rotated)
            layer->norm = (struct lct_qk_norm){ .kind = LCT_QK_NONE };
        layer->sinks = (d->f->flags & LCT_SINKS) != 0;
        layer->mask = d->both_sides ? LCT_BIDIRECTIONAL : LCT_CAUSAL;
        layer->chunk = kinds[l].kind == LCT_KIND_CHUNK ? d->chunk : 0;
        if (kinds[l].kind == LCT_KIND_LINEAR)
            layer->attention = LCT_LINEAR_ATTENTION;
    }
    return LOCANT_OK;
}

static locant_status read_mask(struct decoder *d)
{
    const json_t *value =
        json_object_get(d->k.object, "use_bidirectional_attention");

    d->both_sides = (d->f->flags & LCT_ENCODER) != 0;
    if (value == NULL || json_is_null(value) || json_is_false(value) ||
        !(d->f->flags & LCT_BOTH_SIDES))
        return LOCANT_OK;
    if (json_is_string(value)) /* Gemma 4: "vision" or "all" */
        d->both_sides = strcmp(json_string_value(value), "all") == 0;
    else
        LCT_TRY(lct_plan_keys_switch(&d->both_sides, &d->k,
                                     "use_bidirectional_attention", false));
    return LOCANT_OK;
}

static locant_status plan(struct decoder *d)
{
    struct lct_plan_layer_kind *kinds;
    locant_status status;

    LCT_TRY(lct_plan_sizes_read(&d->n, &d->k));
    LCT_TRY(read_mask(d));
    LCT_TRY(lct_plan_layers_window(&d->window, &d->k, &d->both_sides));
    if (d->f->rule == LCT_LAYERS_LLAMA4)
        LCT_TRY(llama4(d));
    LCT_TRY(lct_plan_tower_layers(d->k.tower, d->n.layers, d->n.heads,
                                  d->n.kv_heads, d->n.head_dim,
                                  d->k.plan->file));
    for (int64_t l = 0; l < d->n.layers; l++)
        d->k.tower->layers[l].v_dim = d->n.v_dim;
    kinds = locant_alloc((size_t)d->n.layers * sizeof *kinds);
    if (kinds == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", d->k.plan->file);
    status = lct_plan_layers_read(kinds, &d->k, d->n.layers, d->window);
    if (status == LOCANT_OK)
        status = read_rope(d);
    if (status == LOCANT_OK)
        status = fill(d, kinds);
    locant_release(kinds);
    return status;
}

locant_status lct_plan_decoder(struct lct_position_plan *p,
                               const struct lct_config *c)
{
    struct decoder d = { .f = p->family };
    locant_status status =
        lct_plan_tower_begin(&d.k, p, "text", c->text, lct_plan_tower_where(c));

    if (status == LOCANT_OK)
        status = plan(&d);
    if (d.f->section[0] > 0)
        d.k.tower->ids = LCT_IDS_MROPE;
    lct_plan_tower_end(&d.k);
    locant_release(d.rope[0].text);
    locant_release(d.rope[1].text);
    return status;
}
