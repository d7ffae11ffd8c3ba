/* position_plan_json.c - a plan as JSON, and its hash, the passport */
#include "../files/decimal.h"
#include "../files/sha256.h"
#include "family.h"
#include "plan_spec.h"
#include "plan_waves.h"
#include "position_plan.h"
#include <inttypes.h>
#include <string.h>

static const char schema[] = "locant.position-plan/1";

static const char *const dialects[] = { "hf4", "hf5", "meta", "mistral",
                                        "gguf" };
static const char *const stacks[] = { "true", "hf4",       "hf5",
                                      "vllm", "llama.cpp", "mlx" };
static const char *const attentions[] = { "softmax", "linear", "none" };
static const char *const masks[] = { "causal", "bidirectional", "prefix",
                                     "cross" };
static const char *const norms[] = { "none", "rms", "layer", "l2" };
static const char *const overs[] = { "head", "all", "each" };
static const char *const ids[] = { "arange", "mask", "pad", "mrope", "grid" };
static const char *const origins[] = { "given", "default", "derived" };

static bool same_norm(const struct lct_qk_norm *a, const struct lct_qk_norm *b)
{
    return a->kind == b->kind && a->over == b->over &&
           a->after_rotation == b->after_rotation &&
           a->plus_one == b->plus_one && a->eps == b->eps;
}

/* Do two layers use positions in the same way? */
static bool same_layer(const struct lct_layer_plan *a,
                       const struct lct_layer_plan *b)
{
    return a->attention == b->attention && strcmp(a->spec, b->spec) == 0 &&
           a->heads == b->heads && a->kv_heads == b->kv_heads &&
           a->qk_dim == b->qk_dim && a->v_dim == b->v_dim &&
           a->scale == b->scale && a->softcap == b->softcap &&
           a->mask == b->mask && a->chunk == b->chunk &&
           a->grid_window == b->grid_window && a->sinks == b->sinks &&
           same_norm(&a->norm, &b->norm) && a->keys_of == b->keys_of;
}

/* -------------------------------------------------------------------- JSON */

/* The name without its folders, which are the reader's own. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* Whole numbers that are 0 when there is none. */
static json_t *whole(int64_t n)
{
    return n > 0 ? json_integer((json_int_t)n) : json_null();
}

static json_t *norm_json(const struct lct_qk_norm *n)
{
    if (n->kind == LCT_QK_NONE)
        return json_null();
    return json_pack("{s:s, s:s, s:b, s:b, s:f}", "kind", norms[n->kind],
                     "over", overs[n->over], "after_rotation",
                     n->after_rotation, "plus_one", n->plus_one, "epsilon",
                     n->eps);
}

/* Wavelengths of at most so many groups are listed, as models have a few. */
enum { WITH_WAVES = 64 };

/* How a layer is rotated in calls of its configured length. */
static json_t *rotation_json(const struct lct_layer_plan *l, int64_t length,
                             const char *file)
{
    const double turn = 6.283185307179586;
    json_t *waves, *out;
    struct lct_plan_waves w;
    const locant_status status = lct_plan_waves_of(&w, l, length, file);

    if (status == LOCANT_ERR_NOMEM)
        return NULL;
    if (status != LOCANT_OK || w.pairs == 0)
        return json_null();
    waves = json_array();
    for (int64_t c = 0; c < w.pairs; c++)
        json_array_append_new(waves, w.frequency[c] > 0
                                         ? json_real(turn / w.frequency[c])
                                         : json_null());
    out = json_pack("{s:s, s:I, s:I, s:f, s:b, s:o}", "pairing",
                    w.interleaved ? "interleaved" : "half", "first",
                    (json_int_t)w.first, "channels", (json_int_t)(2 * w.pairs),
                    "factor", w.factor, "by_length", w.by_length, "wavelengths",
                    waves);
    lct_plan_waves_free(&w);
    return out;
}

static json_t *layer_json(const struct lct_layer_plan *l, json_t *numbers,
                          json_t *rotation)
{
    return json_pack(
        "{s:o, s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:s, s:f, s:o, s:s, s:o, "
        "s:o, s:b, s:o, s:o, s:o}",
        "layers", numbers, "spec", l->spec, "attention",
        attentions[l->attention], "heads", (json_int_t)l->heads, "kv_heads",
        (json_int_t)l->kv_heads, "qk_dim", (json_int_t)l->qk_dim, "v_dim",
        (json_int_t)l->v_dim, "scale", l->scale, "scale_from", l->scale_key,
        "score_factor", l->score_factor, "softcap",
        l->softcap > 0 ? json_real(l->softcap) : json_null(), "mask",
        masks[l->mask], "chunk", whole(l->chunk), "grid_window",
        whole(l->grid_window), "sinks", l->sinks, "qk_norm",
        norm_json(&l->norm), "keys_of",
        l->keys_of >= 0 ? json_integer((json_int_t)l->keys_of) : json_null(),
        "rotation", rotation);
}

/* The numbers of the layers equal to layer l, NULL if an earlier one is. */
static json_t *numbers_of(const struct lct_tower *t, int64_t l)
{
    json_t *numbers;

    for (int64_t i = 0; i < l; i++)
        if (same_layer(&t->layers[i], &t->layers[l]))
            return NULL;
    numbers = json_array();
    for (int64_t i = l; i < t->n_layers; i++)
        if (same_layer(&t->layers[i], &t->layers[l]))
            json_array_append_new(numbers, json_integer((json_int_t)i));
    return numbers;
}

static json_t *notes_json(const struct lct_tower *t)
{
    json_t *notes = json_array();

    for (size_t i = 0; i < t->n_notes; i++) {
        const struct lct_plan_note *n = &t->notes[i];
        json_t *note = json_pack(
            "{s:s, s:s, s:s*, s:s}", "field", n->field, "value", n->value,
            "key", n->key[0] ? n->key : NULL, "origin", origins[n->origin]);

        if (json_array_append_new(notes, note) != 0) {
            json_decref(notes);
            return NULL;
        }
    }
    return notes;
}

/* One object for each set of equal layers. */
static json_t *groups_json(const struct lct_tower *t,
                           const struct lct_position_plan *p)
{
    const int64_t length = p->length_config > 0 ? p->length_config : 1;
    json_t *groups = json_array();

    for (int64_t l = 0; l < t->n_layers; l++) {
        const struct lct_layer_plan *layer = &t->layers[l];
        json_t *numbers = numbers_of(t, l);

        if (numbers == NULL)
            continue;
        if (json_array_append_new(
                groups, layer_json(layer, numbers,
                                   json_array_size(groups) < WITH_WAVES
                                       ? rotation_json(layer, length, p->file)
                                       : json_null())) != 0) {
            json_decref(groups);
            return NULL;
        }
    }
    return groups;
}

static json_t *tower_json(const struct lct_tower *t,
                          const struct lct_position_plan *p)
{
    json_t *tower;
    char *spec;

    if (lct_plan_spec_of_tower(&spec, t, p->file) != LOCANT_OK)
        spec = NULL; /* no one spec says so many kinds of layers */
    tower = json_pack("{s:s, s:s?, s:s, s:f, s:s, s:o, s:I, s:o, s:o}", "name",
                      t->name, "spec", spec, "input", t->input, "input_scale",
                      t->input_scale, "ids", ids[t->ids], "pad",
                      t->ids == LCT_IDS_PAD ? json_integer((json_int_t)t->pad)
                                            : json_null(),
                      "layers", (json_int_t)t->n_layers, "groups",
                      groups_json(t, p), "notes", notes_json(t));
    locant_release(spec);
    return tower;
}

locant_status lct_position_plan_json(json_t **out,
                                     const struct lct_position_plan *p)
{
    json_t *towers = json_array();
    char hash[65];

    *out = NULL;
    for (int i = 0; i < p->n_towers; i++)
        json_array_append_new(towers, tower_json(&p->towers[i], p));
    if (lct_position_plan_hash(hash, p) != LOCANT_OK) {
        json_decref(towers);
        return LOCANT_ERR_NOMEM;
    }
    *out = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:{s:o, s:o, s:o}, s:o}",
        "schema", schema, "hash", hash, "file", name_of(p->file), "dialect",
        dialects[p->dialect], "as", stacks[p->stack], "family",
        p->family->model_type, "title", p->family->title, "pairing",
        p->interleaved ? "interleaved" : "half", "pairing_assumed",
        p->pairing_assumed, "length", "config", whole(p->length_config),
        "trained", whole(p->length_trained), "tables", whole(p->length_tables),
        "towers", towers);
    if (*out == NULL || json_array_size(towers) != (size_t)p->n_towers)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", p->file);
    return LOCANT_OK;
}

/* -------------------------------------------------------------------- hash */

static void put_layer(struct lct_plan_spec *s, const struct lct_layer_plan *l)
{
    lct_plan_spec_put(
        s, "%s %s heads %" PRId64 "/%" PRId64 " dims %" PRId64 "/%" PRId64,
        attentions[l->attention], l->spec, l->heads, l->kv_heads, l->qk_dim,
        l->v_dim);
    lct_plan_spec_number(s, " scale ", l->scale);
    lct_plan_spec_number(s, " softcap ", l->softcap);
    lct_plan_spec_put(s,
                      " %s chunk %" PRId64 " grid %" PRId64
                      " sinks %d keys %" PRId64 " norm %s",
                      masks[l->mask], l->chunk, l->grid_window, l->sinks,
                      l->keys_of, norms[l->norm.kind]);
    if (l->norm.kind != LCT_QK_NONE) {
        lct_plan_spec_put(s, " %s %s%s", overs[l->norm.over],
                          l->norm.after_rotation ? "after" : "before",
                          l->norm.plus_one ? " plus-one" : "");
        lct_plan_spec_number(s, " ", l->norm.eps);
    }
    lct_plan_spec_put(s, "\n");
}

locant_status lct_position_plan_hash(char out[65],
                                     const struct lct_position_plan *p)
{
    struct lct_plan_spec s = { 0 };
    locant_status status = LOCANT_OK;

    lct_plan_spec_put(&s, "%s\n", schema);
    for (int i = 0; i < p->n_towers; i++) {
        const struct lct_tower *t = &p->towers[i];

        lct_plan_spec_put(&s, "%s input %s", t->name, t->input);
        lct_plan_spec_number(&s, " scale ", t->input_scale);
        lct_plan_spec_put(&s, " ids %s %" PRId64 "\n", ids[t->ids], t->pad);
        for (int64_t l = 0; l < t->n_layers; l++)
            put_layer(&s, &t->layers[l]);
    }
    if (s.failed)
        status = locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", p->file);
    else
        lct_sha256_hex(out, s.text, s.n);
    locant_release(s.text);
    return status;
}
