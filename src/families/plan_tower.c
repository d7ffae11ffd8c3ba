/* plan_tower.c - towers and their layers: making, filling, freeing */
#include "plan_tower.h"
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

locant_status lct_plan_tower_all(struct lct_plan_keys *k, const char *text)
{
    for (int64_t l = 0; l < k->tower->n_layers; l++) {
        struct lct_plan_spec s = { 0 };

        lct_plan_spec_put(&s, "%s", text);
        LCT_TRY(lct_plan_tower_layer(k->tower, l, &s, k->plan->file));
    }
    return LOCANT_OK;
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
