/*
 * position_plan.c - the position plan of a configuration: its family fills the
 * towers
 */
#include "position_plan.h"
#include "family.h"
#include "plan_tower.h"
#include <stdio.h>

locant_status lct_position_plan_as(struct lct_position_plan *out,
                                   const struct lct_config *c,
                                   enum lct_stack stack)
{
    char known[360];
    locant_status s;

    *out = (struct lct_position_plan){ .dialect = c->dialect, .stack = stack };
    snprintf(out->file, sizeof out->file, "%s", c->file);
    out->family = lct_family_find(c->model_type);
    if (out->family == NULL) {
        lct_family_suggest(known, sizeof known, c->model_type);
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: model_type is '%.60s', which is no known "
                           "family%s",
                           c->file, c->model_type, known);
    }
    out->interleaved = out->family->interleaved;
    out->pairing_assumed = true;
    s = out->family->plan(out, c);
    if (s != LOCANT_OK)
        lct_position_plan_free(out);
    return s;
}

locant_status lct_position_plan_of(struct lct_position_plan *out,
                                   const struct lct_config *c)
{
    return lct_position_plan_as(out, c, LCT_STACK_TRUE);
}

locant_status lct_position_plan_read(struct lct_position_plan *out,
                                     const char *path)
{
    struct lct_config c;
    locant_status s;

    *out = (struct lct_position_plan){ 0 };
    LCT_TRY(lct_config_read(&c, path));
    s = lct_position_plan_of(out, &c);
    lct_config_free(&c);
    return s;
}

void lct_position_plan_free(struct lct_position_plan *p)
{
    for (int i = 0; i < p->n_towers; i++)
        lct_plan_tower_free(&p->towers[i]);
    *p = (struct lct_position_plan){ 0 };
}
