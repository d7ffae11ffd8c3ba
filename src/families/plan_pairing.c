/* plan_pairing.c - see plan_pairing.h */
#include "plan_pairing.h"
#include "../encodings/encoding.h"
#include "pairing.h"
#include "plan_spec.h"
#include <string.h>

static const struct lct_part *rotating_part(const struct lct_layer_plan *layer)
{
    return layer->encoding ? lct_part_of(layer->encoding, LOCANT_DOOR_ROTATE)
                           : NULL;
}

struct lct_tower *lct_plan_pairing_tower(struct lct_position_plan *p)
{
    for (int i = 0; i < p->n_towers; i++)
        for (int64_t l = 0; l < p->towers[i].n_layers; l++)
            if (rotating_part(&p->towers[i].layers[l]) != NULL)
                return &p->towers[i];
    return NULL;
}

static locant_status set_layer(struct lct_layer_plan *layer, bool interleaved,
                               const char *file)
{
    const struct lct_part *part = rotating_part(layer);
    struct lct_plan_spec s = { 0 };
    locant_encoding *e = NULL;
    char *changed, *canonical;
    locant_status status;
    const char *at;

    if (part == NULL)
        return LOCANT_OK;
    LCT_TRY(lct_pairing_spec(&changed, part->e->spec, interleaved));
    at = strstr(layer->spec, part->e->spec); /* a part of a sum, or all */
    if (at != NULL)
        lct_plan_spec_put(&s, "%.*s%s%s", (int)(at - layer->spec), layer->spec,
                          changed, at + strlen(part->e->spec));
    status = at != NULL ? lct_plan_spec_create(&canonical, &e, &s, file)
                        : locant_fail(LOCANT_ERR_UNSUPPORTED,
                                      "%s: the spec %.100s has no pairing",
                                      file, layer->spec);
    locant_release(changed);
    locant_release(s.text);
    LCT_TRY(status);
    locant_release(layer->spec);
    locant_encoding_free(layer->encoding);
    layer->spec = canonical;
    layer->encoding = e;
    return LOCANT_OK;
}

locant_status lct_plan_pairing_set(struct lct_position_plan *p,
                                   bool interleaved)
{
    struct lct_tower *t = lct_plan_pairing_tower(p);

    p->interleaved = interleaved;
    for (int64_t l = 0; t != NULL && l < t->n_layers; l++)
        LCT_TRY(set_layer(&t->layers[l], interleaved, p->file));
    return LOCANT_OK;
}
