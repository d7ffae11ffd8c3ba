/* plan_tower.c - towers and their layers: making, filling, freeing */
#include "plan_tower.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static locant_status no_memory(const char *file)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", file);
}

locant_status lct_plan_tower_begin(struct lct_plan_keys *k,
                                   struct lct_position_plan *p,
                                   const char *name, const json_t *object,
                                   const char *where)
{
    *k = (struct lct_plan_keys){ .plan = p,
                                 .tower = &p->towers[p->n_towers++],
                                 .family = p->family,
                                 .object = object,
                                 .where = where };
    k->tower->name = name;
    k->tower->input_scale = 1;
    return lct_plan_tower_input(k, NULL);
}

void lct_plan_tower_end(struct lct_plan_keys *k)
{
    json_decref(k->own);
    k->own = NULL;
}

locant_status lct_plan_tower_layers(struct lct_tower *t, int64_t n,
                                    int64_t heads, int64_t kv_heads, int64_t D,
                                    const char *file)
{
    t->layers = locant_alloc((size_t)n * sizeof *t->layers);
    if (t->layers == NULL)
        return no_memory(file);
    t->n_layers = n;
    for (int64_t l = 0; l < n; l++) {
        struct lct_layer_plan *layer = &t->layers[l];

        *layer = (struct lct_layer_plan){ .attention = LCT_SOFTMAX,
                                          .heads = heads,
                                          .kv_heads = kv_heads,
                                          .qk_dim = D,
                                          .v_dim = D,
                                          .scale = 1 / sqrt((double)D),
                                          .score_factor = 1,
                                          .keys_of = -1 };
        snprintf(layer->scale_key, sizeof layer->scale_key, "head_dim^-0.5");
    }
    return LOCANT_OK;
}

locant_status lct_plan_tower_input(struct lct_plan_keys *k, const char *text)
{
    struct lct_plan_spec s = { 0 };
    locant_encoding *e = NULL;
    locant_status status;

    locant_release(k->tower->input);
    k->tower->input = NULL;
    lct_plan_spec_put(&s, "%s", text != NULL ? text : "none");
    status = lct_plan_spec_create(&k->tower->input, &e, &s, k->plan->file);
    locant_encoding_free(e);
    locant_release(s.text);
    return status;
}

locant_status lct_plan_tower_layer(struct lct_tower *t, int64_t l,
                                   struct lct_plan_spec *s, const char *file)
{
    struct lct_layer_plan *layer = &t->layers[l];
    locant_status status =
        lct_plan_spec_create(&layer->spec, &layer->encoding, s, file);

    locant_release(s->text);
    *s = (struct lct_plan_spec){ 0 };
    return status;
}

locant_status lct_plan_tower_same(struct lct_plan_keys *k, const char *spec,
                                  enum lct_plan_mask mask)
{
    for (int64_t l = 0; l < k->tower->n_layers; l++) {
        struct lct_plan_spec s = { 0 };

        lct_plan_spec_put(&s, "%s", spec);
        LCT_TRY(lct_plan_tower_layer(k->tower, l, &s, k->plan->file));
        k->tower->layers[l].mask = mask;
    }
    return LOCANT_OK;
}

locant_status lct_plan_tower_same_put(struct lct_plan_keys *k,
                                      struct lct_plan_spec *s,
                                      enum lct_plan_mask mask)
{
    locant_status status = s->failed ? no_memory(k->plan->file)
                                     : lct_plan_tower_same(k, s->text, mask);

    locant_release(s->text);
    return status;
}

/* ------------------------------------------------------------------- sizes */

const char *lct_plan_tower_where(const struct lct_config *c)
{
    return c->text != c->root ? "text_config." : "";
}

locant_status lct_plan_tower_size(int64_t *out, struct lct_plan_keys *k,
                                  const char *field, const char *key,
                                  const char *usual, int64_t fallback)
{
    if (json_object_get(k->object, key) == NULL &&
        json_object_get(k->object, usual) != NULL)
        key = usual;
    return lct_plan_keys_whole(out, k, field, key,
                               fallback > 0 ? fallback : LCT_PLAN_NEEDED, 1);
}

locant_status lct_plan_tower_count(struct lct_plan_keys *k, const char *key,
                                   int64_t n)
{
    if (n <= LCT_PLAN_LAYERS)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: %s%s is %" PRId64 ", expected at most %d layers",
                       k->plan->file, k->where, key, n, LCT_PLAN_LAYERS);
}

locant_status lct_plan_tower_sizes(struct lct_plan_keys *k, const char *layers,
                                   const char *heads, int64_t *hidden)
{
    const struct lct_family *f = k->family;
    int64_t n, H;

    if (layers == NULL)
        layers = f->names->layers;
    if (heads == NULL)
        heads = f->names->heads;
    LCT_TRY(lct_plan_tower_size(&n, k, "layers", layers, "num_hidden_layers",
                                f->layers));
    LCT_TRY(lct_plan_tower_count(k, layers, n));
    LCT_TRY(lct_plan_tower_size(hidden, k, "hidden", f->names->hidden,
                                "hidden_size", f->hidden));
    LCT_TRY(lct_plan_tower_size(&H, k, "heads", heads, "num_attention_heads",
                                f->heads));
    if (H > *hidden)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: %s%s is %" PRId64 " and %s %" PRId64
                           ", expected no more heads than channels",
                           k->plan->file, k->where, heads, H, f->names->hidden,
                           *hidden);
    return lct_plan_tower_layers(k->tower, n, H, H, *hidden / H, k->plan->file);
}

locant_status lct_plan_tower_learned(struct lct_plan_keys *k, int64_t length,
                                     int64_t offset)
{
    struct lct_position_plan *p = k->plan;
    char spec[96];

    if (length < 1)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: %s%s leaves %" PRId64 " rows of the table after"
                           " the first %" PRId64 ", expected at least 1",
                           p->file, k->where, k->family->names->length, length,
                           offset);
    if (p->length_config == 0)
        p->length_config = p->length_trained = length;
    p->length_tables = length + offset;
    snprintf(spec, sizeof spec,
             "learned(length=%" PRId64 ",offset=%" PRId64 ")", length, offset);
    return lct_plan_tower_input(k, spec);
}

void lct_plan_tower_scale(struct lct_tower *t, double x, const char *why)
{
    for (int64_t l = 0; l < t->n_layers; l++) {
        t->layers[l].scale = x;
        snprintf(t->layers[l].scale_key, sizeof t->layers[l].scale_key, "%s",
                 why);
    }
}

void lct_plan_tower_free(struct lct_tower *t)
{
    for (int64_t l = 0; l < t->n_layers; l++) {
        locant_release(t->layers[l].spec);
        locant_encoding_free(t->layers[l].encoding);
    }
    locant_release(t->layers);
    locant_release(t->input);
    locant_release(t->notes);
    *t = (struct lct_tower){ 0 };
}
