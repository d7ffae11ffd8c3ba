/* request_parts.c - the parts of an encoding that attention asks */
#include "../core/size.h"
#include "problem.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A part that speaks to attention: not of the input door alone. */
static bool takes_part(const locant_encoding *leaf)
{
    return leaf->doors != LOCANT_DOOR_INPUT;
}

/* Keys that share a parameter with each query head are as many heads. */
static locant_status check_turned_heads(const struct lct_problem *p,
                                        const locant_encoding *leaf)
{
    const struct lct_param *param = lct_params_of(leaf);

    for (; param != NULL && param->name != NULL; param++)
        if (strcmp(param->dims[0], "heads") == 0 && p->H != p->Hkv)
            return locant_fail(LOCANT_ERR_SHAPE, "%s: q has %" PRId64 " heads, "
                               "k has %" PRId64 ", expected as many: '%s' of "
                               "%s has a row for each", p->fn, p->H, p->Hkv,
                               param->name, leaf->row->info.name);
    return LOCANT_OK;
}

static locant_status check_rotate(struct lct_problem *p,
                                  const locant_attention *a,
                                  const locant_encoding *leaf)
{
    const struct lct_schedule *kept; /* with leaf, for row->turn */

    p->turns = leaf->row->rotate.map != NULL;
    if (!p->turns)
        return lct_schedules_plan(p, a, leaf);
    if (leaf->row->schedule.create != NULL)
        LCT_TRY(lct_schedule_of(&kept, leaf, p->fn, p->D, 0));
    if (leaf->row->rotate.width != NULL)
        p->Dq = leaf->row->rotate.width(leaf, p->D);
    if (p->Dq != p->D && p->keys_turned)
        return locant_fail(LOCANT_ERR_UNSUPPORTED, "%s: %s widens queries and "
                           "keys, expected keys that are not turned yet",
                           p->fn, leaf->row->info.name);
    if (p->Dq == p->D && p->D % 2 != 0)
        return locant_fail(LOCANT_ERR_SHAPE, "%s: heads have %" PRId64
                           " channels, expected an even number to turn in "
                           "pairs", p->fn, p->D);
    return check_turned_heads(p, leaf);
}

static locant_status check_content(const struct lct_problem *p,
                                   const locant_attention *a,
                                   const locant_encoding *leaf)
{
    if (p->Dq != p->D)
        return locant_fail(LOCANT_ERR_UNSUPPORTED, "%s: %s widens queries to "
                           "%" PRId64 " channels, %s reads %" PRId64
                           ", expected one of them alone", p->fn,
                           p->rotate->e->row->info.name, p->Dq,
                           leaf->row->info.name, p->D);
    if (leaf->row->content.near_far != NULL && p->keys_turned)
        return locant_fail(LOCANT_ERR_UNSUPPORTED, "%s: %s turns each key for "
                           "each query, expected keys that are not turned yet",
                           p->fn, leaf->row->info.name);
    return leaf->traits & LOCANT_TRAIT_READS_X
        ? lct_positions_check_own_keys(p, a, leaf)
                                               : LOCANT_OK;
}

/* What is defined for keys up to the query only must not see later ones. */
static locant_status check_causal(const struct lct_problem *p,
                                  const locant_attention *a,
                                  const locant_encoding *leaf)
{
    if (p->causal || !(leaf->traits & LOCANT_TRAIT_CAUSAL) ||
        !lct_positions_check_keys_follow(p, a))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM, "%s: %s is defined for keys up to the "
                       "query only, expected the causal mask", p->fn,
                       leaf->row->info.name);
}

/* Part n: its parameters, positions and hooks. */
static locant_status check_part(struct lct_problem *p,
                                const locant_attention *a, int n)
{
    const struct lct_part *part = &a->encoding->part[n];
    const locant_encoding *e = part->e;
    const locant_tensor *params = a->params;
    const locant_sizes sizes = { .width = p->W, .heads = p->H,
                                 .kv_heads = p->Hkv, .head_dim = p->D };
    size_t elements;

    if ((e->traits & LOCANT_TRAIT_READS_X) && a->x == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s reads the input of its "
                           "layer, x is NULL", p->fn, e->row->info.name);
    if (params != NULL)
        params += part->first_param;
    LCT_TRY(lct_params_check(&elements, p->fn, e, params, &sizes));
    p->call[n] = (struct lct_call){ .e = e, .heads = p->H, .kv_heads = p->Hkv,
                                    .head_dim = p->D, .width = p->W,
                                    .scale = p->scale };
    p->part_param[n] = p->params;
    if (!lct_add(&p->params, p->params, elements))
        return locant_fail(LOCANT_ERR_SHAPE, "%s: the parameters do not fit in "
                           "memory", p->fn);
    LCT_TRY(lct_positions_check_known(p, a, e, params));
    LCT_TRY(check_causal(p, a, e));
    if (e->row->scale.of_query != NULL)
        p->heat = e;
    if (e->row->mask.hide != NULL)
        p->hiding[p->hidings++] = e;
    if (e->doors & LOCANT_DOOR_ROTATE) {
        p->rotate = &p->call[n];
        LCT_TRY(check_rotate(p, a, e));
    }
    if (e->doors & LOCANT_DOOR_SCORE)
        p->score = &p->call[n];
    if (e->doors & LOCANT_DOOR_CONTENT)
        p->content = &p->call[n];
    return LOCANT_OK;
}

/* The scale of the scores, with what encodings multiply it by. */
static locant_status check_scale(struct lct_problem *p,
                                 const locant_encoding *e)
{
    const double given = p->scale;

    for (int n = 0; n < e->parts; n++)
        if (e->part[n].e->row->scale.of_scores != NULL)
            p->scale *= e->part[n].e->row->scale.of_scores(e->part[n].e);
    if (isfinite((float)p->scale))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM, "%s: scale is %g, which %s multiplies "
                       "to %g, expected at most 3.4e38 in magnitude", p->fn,
                       given, lct_name(e), p->scale);
}

locant_status lct_request_parts_check(struct lct_problem *p,
                                      const locant_attention *a)
{
    const locant_encoding *e = a->encoding;
    const struct lct_part *part;

    if (e == NULL)
        return LOCANT_OK;
    if (e->row->layers != NULL)
        return lct_part_open(&part, p->fn, e, LOCANT_DOOR_SCORE);
    LCT_TRY(check_scale(p, e));
    for (int n = 0; n < e->parts; n++)
        if (takes_part(e->part[n].e))
            LCT_TRY(check_part(p, a, n));
    return p->content == NULL ? LOCANT_OK
                              : check_content(p, a, p->content->e);
}

void lct_param_gradients_of(double *out[LCT_MAX_PARAMS],
                            const struct lct_problem *p,
                            const struct lct_call *c, double *dparam)
{
    for (int i = 0; i < LCT_MAX_PARAMS; i++)
        out[i] = c->param[i] != NULL
                     ? dparam + (c->param[i] - p->param_memory)
                     : NULL;
}

void lct_param_gradients_accumulate(const struct lct_problem *p,
                                    locant_tensor *dparams,
                                    const locant_attention *a)
{
    for (int n = 0; a->encoding != NULL && n < a->encoding->parts; n++) {
        int first = a->encoding->part[n].first_param;

        if (p->call[n].e != NULL && lct_param_count(p->call[n].e) > 0)
            lct_params_add(dparams + first, p->dparam + p->part_param[n],
                           p->call[n].e, a->params + first);
    }
}

struct lct_call lct_bias_call(const struct lct_problem *p, int64_t row,
                              int64_t i)
{
    struct lct_call c = *p->score;

    c.last = p->q_last != NULL ? p->q_last[row * p->T + i] : p->last[row];
    return c;
}
