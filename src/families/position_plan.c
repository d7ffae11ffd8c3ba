/*
 * position_plan.c - the position plan of a configuration: its family fills the
 * towers
 */
#include "position_plan.h"
#include "../core/quote.h"
#include "family.h"
#include "plan_gguf.h"
#include "plan_params.h"
#include "plan_tower.h"
#include "weights.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The image tower of a multimodal model, if it is of a known family. */
static locant_status plan_vision(struct lct_position_plan *p,
                                 const struct lct_config *c)
{
    const struct lct_family *text = p->family;
    struct lct_config inner = *c;
    const int64_t config = p->length_config, trained = p->length_trained,
                  tables = p->length_tables;
    lct_plan_fn *plan = text->vision;
    const char *type;
    locant_status s;

    inner.text = json_object_get(c->root, "vision_config");
    if (!json_is_object(inner.text))
        return LOCANT_OK;
    if (plan == NULL) {
        type = json_string_value(json_object_get(inner.text, "model_type"));
        p->family = type != NULL ? lct_family_find(type) : NULL;
        plan = p->family != NULL ? p->family->plan : NULL;
    }
    s = plan != NULL ? plan(p, &inner) : LOCANT_OK;
    if (p->n_towers > 1)
        p->towers[1].name = "vision";
    p->family = text; /* the model is of the family of its text */
    p->length_config = config;
    p->length_trained = trained;
    p->length_tables = tables;
    return s;
}

static locant_status unknown(const struct lct_config *c)
{
    char known[1536], shown[LCT_QUOTE_BYTES];

    lct_family_suggest(known, sizeof known, c->model_type);
    return locant_fail(
        LOCANT_ERR_UNSUPPORTED,
        "%s: model_type is '%s', which is no known family%s", c->file,
        lct_quote(shown, c->model_type, strlen(c->model_type)), known);
}

static locant_status plan_config(struct lct_position_plan *p,
                                 const struct lct_config *c)
{
    p->family = lct_family_find(c->model_type);
    if (p->family == NULL)
        return unknown(c);
    if (p->stack == LCT_STACK_HF4 && (p->family->flags & LCT_HF5_ONLY))
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: transformers 4 has no class for '%s'", c->file,
                           p->family->model_type);
    if (p->pairing_assumed)
        p->interleaved = p->family->interleaved;
    LCT_TRY(p->family->plan(p, c));
    return p->n_towers < 2 ? plan_vision(p, c) : LOCANT_OK;
}

/* No head is wider, so that tables of its channels stay small. */
enum { WIDEST = 4096 };

static locant_status check_widths(const struct lct_position_plan *p)
{
    for (int i = 0; i < p->n_towers; i++)
        for (int64_t l = 0; l < p->towers[i].n_layers; l++) {
            const struct lct_layer_plan *layer = &p->towers[i].layers[l];
            const int64_t widest =
                layer->qk_dim > layer->v_dim ? layer->qk_dim : layer->v_dim;

            if (widest > WIDEST)
                return locant_fail(LOCANT_ERR_FORMAT,
                                   "%s: the heads of layer %" PRId64
                                   " have %" PRId64
                                   " channels, expected at most %d",
                                   p->file, l, widest, WIDEST);
        }
    return LOCANT_OK;
}

locant_status lct_position_plan_beside(struct lct_position_plan *out,
                                       const struct lct_config *c,
                                       enum lct_stack stack,
                                       const struct lct_weights *w)
{
    locant_status s;

    *out = (struct lct_position_plan){
        .dialect = c->dialect,
        .stack = stack,
        .interleaved = c->pairing == LCT_PAIRING_INTERLEAVED,
        .pairing_assumed = c->pairing == LCT_PAIRING_UNSAID
    };
    snprintf(out->file, sizeof out->file, "%s", c->file);
    s = c->dialect == LCT_DIALECT_GGUF ? lct_plan_gguf(out, c, w)
        : lct_config_is_params(c)      ? lct_plan_params(out, c)
                                       : plan_config(out, c);
    if (s == LOCANT_OK)
        s = check_widths(out);
    if (s != LOCANT_OK) {
        const bool lacks_key = out->lacks_key;

        lct_position_plan_free(out);
        out->lacks_key = lacks_key;
    }
    return s;
}

locant_status lct_position_plan_as(struct lct_position_plan *out,
                                   const struct lct_config *c,
                                   enum lct_stack stack)
{
    return lct_position_plan_beside(out, c, stack, NULL);
}

locant_status lct_position_plan_of(struct lct_position_plan *out,
                                   const struct lct_config *c)
{
    return lct_position_plan_as(out, c, LCT_STACK_TRUE);
}

locant_status lct_position_plan_read_as(struct lct_position_plan *out,
                                        const char *path, enum lct_stack stack)
{
    struct lct_weights *w;
    struct lct_config c;
    locant_status s = lct_config_read_both(&c, &w, path);

    *out = (struct lct_position_plan){ 0 };
    if (s == LOCANT_OK)
        s = lct_position_plan_beside(out, &c, stack, w);
    lct_weights_close(w);
    lct_config_free(&c);
    return s;
}

locant_status lct_position_plan_read(struct lct_position_plan *out,
                                     const char *path)
{
    return lct_position_plan_read_as(out, path, LCT_STACK_TRUE);
}

void lct_position_plan_free(struct lct_position_plan *p)
{
    for (int i = 0; i < p->n_towers; i++)
        lct_plan_tower_free(&p->towers[i]);
    *p = (struct lct_position_plan){ 0 };
}
