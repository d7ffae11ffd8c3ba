/* plan.c - the public handle of a position plan; see locant/models.h */
#include "locant/models.h"
#include "../files/document.h"
#include "family.h"
#include "plan_spec.h"
#include "position_plan.h"
#include <string.h>

enum { TOWERS = 3 };

struct locant_plan {
    struct lct_position_plan plan;
    char *spec[TOWERS]; /* of whole towers; NULL: more than one can name */
    char hash[65];
};

static locant_status check_stack(const char *fn, locant_stack as)
{
    if (as >= LOCANT_STACK_TRUE && as <= LOCANT_STACK_MLX)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: as is %d, expected a LOCANT_STACK_*", fn, (int)as);
}

/* End the making of a plan: whole specs and the hash, or free it. */
static locant_status finish(locant_plan **out, locant_plan *p, locant_status s)
{
    for (int t = 0; t < p->plan.n_towers; t++)
        if (lct_plan_spec_of_tower(&p->spec[t], &p->plan.towers[t],
                                   p->plan.file) == LOCANT_ERR_NOMEM)
            s = LOCANT_ERR_NOMEM; /* else one spec cannot say all layers */
    if (s == LOCANT_OK)
        s = lct_position_plan_hash(p->hash, &p->plan);
    if (s == LOCANT_OK)
        *out = p;
    else
        locant_plan_free(p);
    return s;
}

locant_status locant_plan_read(locant_plan **out, const char *path,
                               locant_stack as)
{
    static const char fn[] = "locant_plan_read";
    locant_plan *p;

    LCT_NOT_NULL(fn, out);
    *out = NULL;
    LCT_NOT_NULL(fn, path);
    LCT_TRY(check_stack(fn, as));
    p = locant_alloc(sizeof *p);
    if (p == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", fn);
    return finish(
        out, p, lct_position_plan_read_as(&p->plan, path, (enum lct_stack)as));
}

locant_status locant_plan_parse(locant_plan **out, const char *text, size_t n,
                                const char *name, locant_stack as)
{
    static const char fn[] = "locant_plan_parse";
    struct lct_config c;
    locant_plan *p;
    locant_status s;

    LCT_NOT_NULL(fn, out);
    *out = NULL;
    LCT_NOT_NULL(fn, text);
    LCT_NOT_NULL(fn, name);
    LCT_TRY(check_stack(fn, as));
    p = locant_alloc(sizeof *p);
    if (p == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", fn);
    s = lct_config_parse(&c, text, n, name);
    if (s == LOCANT_OK)
        s = lct_position_plan_as(&p->plan, &c, (enum lct_stack)as);
    lct_config_free(&c);
    return finish(out, p, s);
}

void locant_plan_free(locant_plan *p)
{
    if (p == NULL)
        return;
    for (int t = 0; t < TOWERS; t++)
        locant_release(p->spec[t]);
    lct_position_plan_free(&p->plan);
    locant_release(p);
}

const char *locant_plan_family(const locant_plan *p)
{
    return p->plan.family->model_type;
}

int locant_plan_towers(const locant_plan *p)
{
    return p->plan.n_towers;
}

static const struct lct_tower *tower_at(const locant_plan *p, int tower)
{
    return tower >= 0 && tower < p->plan.n_towers ? &p->plan.towers[tower]
                                                  : NULL;
}

const char *locant_plan_tower(const locant_plan *p, int tower)
{
    const struct lct_tower *t = tower_at(p, tower);

    return t != NULL ? t->name : NULL;
}

int64_t locant_plan_layers(const locant_plan *p, int tower)
{
    const struct lct_tower *t = tower_at(p, tower);

    return t != NULL ? t->n_layers : 0;
}

const char *locant_plan_layer_spec(const locant_plan *p, int tower,
                                   int64_t layer)
{
    const struct lct_tower *t = tower_at(p, tower);

    return t != NULL && layer >= 0 && layer < t->n_layers
               ? t->layers[layer].spec
               : NULL;
}

const char *locant_plan_input_spec(const locant_plan *p, int tower)
{
    const struct lct_tower *t = tower_at(p, tower);

    return t != NULL ? t->input : NULL;
}

const char *locant_plan_spec(const locant_plan *p, int tower)
{
    return tower_at(p, tower) != NULL ? p->spec[tower] : NULL;
}

const char *locant_plan_hash(const locant_plan *p)
{
    return p->hash;
}

locant_status locant_plan_json(char **out, size_t *size, const locant_plan *p)
{
    static const char fn[] = "locant_plan_json";
    json_t *root;

    LCT_NOT_NULL(fn, out);
    *out = NULL;
    LCT_NOT_NULL(fn, p);
    LCT_TRY(lct_position_plan_json(&root, &p->plan));
    return lct_document_text(out, size, root, JSON_INDENT(1), fn);
}
