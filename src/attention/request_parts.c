/* request_parts.c - check that the parts of an encoding suit a call */
#include "request_parts.h"
#include "../core/size.h"
#include "../encodings/biases.h"
#include "../encodings/content.h"
#include "positions_check.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Does attention use this part?  Not one that has only the input door. */
static bool is_used(const locant_encoding *leaf)
{
    return leaf->doors != LOCANT_DOOR_INPUT;
}

/* Only a rotation of pairs by position has an inverse for outputs. */
static locant_status refuse_rotated_values(const struct lct_request *r,
                                           const locant_encoding *leaf)
{
    return locant_fail(LOCANT_ERR_UNSUPPORTED,
                       "%s: %s is more than a rotation of pairs by position, "
                       "expected one with LOCANT_ATTENTION_ROTATE_VALUES",
                       r->fn, leaf->row->info.name);
}

/* A parameter with a row per head needs as many heads in k as in q. */
static locant_status check_mapped_heads(const struct lct_request *r,
                                        const locant_encoding *leaf)
{
    const struct lct_param *param = lct_params_of(leaf);

    for (int n = lct_param_count(leaf); n-- > 0; param++)
        if (strcmp(param->dims[0], "heads") == 0 && r->H != r->Hkv)
            return locant_fail(
                LOCANT_ERR_SHAPE,
                "%s: q has %" PRId64 " heads, k has %" PRId64
                ", expected as many: '%s' of %s has a row for each",
                r->fn, r->H, r->Hkv, param->name, leaf->row->info.name);
    return LOCANT_OK;
}

static locant_status check_rotate(struct lct_request *r,
                                  const locant_encoding *leaf)
{
    r->general_map = leaf->row->rotate.map != NULL;
    if (!r->general_map)
        return LOCANT_OK;
    if (r->rotate_values)
        return refuse_rotated_values(r, leaf);
    if (leaf->row->rotate.width != NULL)
        r->Dq = leaf->row->rotate.width(leaf, r->D);
    if (r->Dq != r->D && r->rotated_keys)
        return locant_fail(
            LOCANT_ERR_UNSUPPORTED,
            "%s: %s widens queries and keys, expected keys not rotated yet",
            r->fn, leaf->row->info.name);
    if (r->Dq == r->D && r->D % 2 != 0)
        return locant_fail(
            LOCANT_ERR_SHAPE,
            "%s: heads have %" PRId64
            " channels, expected an even number to rotate in pairs",
            r->fn, r->D);
    return check_mapped_heads(r, leaf);
}

/* Vectors that are added to values (Shaw) are as wide as keys. */
static locant_status check_value_vectors(const struct lct_request *r,
                                         const locant_encoding *leaf)
{
    struct lct_products products = lct_no_products();

    if ((r->Dv == r->D && !r->rotate_values) ||
        leaf->row->content.products == NULL)
        return LOCANT_OK;
    leaf->row->content.products(&products, leaf, (struct lct_span){ 0, 0 });
    for (int n = 0; n < products.count; n++)
        if (products.vectors[n].times == LCT_TIMES_WEIGHT && r->rotate_values)
            return refuse_rotated_values(r, leaf);
        else if (products.vectors[n].times == LCT_TIMES_WEIGHT)
            return locant_fail(LOCANT_ERR_UNSUPPORTED,
                               "%s: v has %" PRId64 " channels, %s adds "
                               "vectors of %" PRId64
                               " to values, expected as many",
                               r->fn, r->Dv, leaf->row->info.name, r->D);
    return LOCANT_OK;
}

/* Can x be split into a slice for each head? */
static locant_status check_slices(const struct lct_request *r,
                                  const locant_encoding *leaf)
{
    if (!leaf->row->content.splits_x || r->W == r->H * r->D)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_SHAPE,
                       "%s: x has width %" PRId64 ", expected %" PRId64
                       ": %s reads a slice of %" PRId64
                       " channels for each of %" PRId64 " heads",
                       r->fn, r->W, r->H * r->D, leaf->row->info.name, r->D,
                       r->H);
}

/* Has x a channel for each number that is read from one? */
static locant_status check_channels(const struct lct_request *r,
                                    const locant_encoding *leaf)
{
    int64_t least = r->token_numbers->channels != NULL
                        ? r->token_numbers->channels(r->content)
                        : 0;

    if (r->W >= least)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_SHAPE,
                       "%s: x has width %" PRId64 ", expected at least %" PRId64
                       ": %s reads its numbers of tokens there",
                       r->fn, r->W, least, leaf->row->info.name);
}

static locant_status check_token_angles(struct lct_request *r,
                                        const locant_encoding *leaf)
{
    const struct lct_content_door *door = &leaf->row->content;

    r->token_angles = door->token_angles;
    r->token_numbers =
        r->token_angles != NULL ? r->token_angles : door->token_numbers;
    if (r->token_numbers != NULL && r->token_numbers->count != NULL &&
        r->token_numbers->count(r->content) == 0)
        r->token_numbers = NULL;
    if (r->token_numbers == NULL)
        return LOCANT_OK;
    LCT_TRY(check_channels(r, leaf));
    if (r->token_angles == NULL)
        return door->scores_only ? LOCANT_OK : check_mapped_heads(r, leaf);
    r->general_map = true;
    if (r->D % 2 != 0)
        return locant_fail(
            LOCANT_ERR_SHAPE,
            "%s: heads have %" PRId64
            " channels, expected an even number to rotate in pairs",
            r->fn, r->D);
    return check_mapped_heads(r, leaf);
}

static locant_status check_content(struct lct_request *r,
                                   const locant_encoding *leaf)
{
    const struct lct_content_door *door = &leaf->row->content;

    if (r->rotate_values &&
        (door->near_far != NULL || door->token_angles != NULL))
        return refuse_rotated_values(r, leaf);
    LCT_TRY(check_value_vectors(r, leaf));
    if (r->Dq != r->D)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: %s widens queries to %" PRId64
                           " channels, %s reads %" PRId64
                           ", expected one of them alone",
                           r->fn, r->rotate->e->row->info.name, r->Dq,
                           leaf->row->info.name, r->D);
    if ((door->near_far != NULL || door->token_angles != NULL) &&
        r->rotated_keys)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: %s rotates each key %s, expected keys not "
                           "rotated yet",
                           r->fn, leaf->row->info.name,
                           door->near_far != NULL ? "for each query"
                                                  : "by its input");
    LCT_TRY(check_slices(r, leaf));
    LCT_TRY(check_token_angles(r, leaf));
    return leaf->traits & LOCANT_TRAIT_READS_X
               ? lct_positions_check_own_keys(r, leaf)
               : LOCANT_OK;
}

/* Note what part n does in attention. */
static void sort_part(struct lct_request *r, int n)
{
    const locant_encoding *e = r->call[n].e;
    const unsigned factors = lct_factors_of(e);

    if (e->row->scale.of_query != NULL)
        r->temperature = e;
    if (e->row->weights.stick_breaking) {
        r->stick = e;
        r->own_rest = e->row->weights.own_rest(e);
    }
    if (e->row->relations.classify != NULL)
        r->relations = e;
    if (factors & LCT_HAS_GAIN)
        r->gain = &r->call[n];
    if (factors & LCT_HAS_AFTER)
        r->after = &r->call[n];
    if (factors & LCT_HAS_ROW)
        r->row = &r->call[n];
    if (e->row->mask.hide != NULL)
        r->mask_hook[r->mask_hooks++] = e;
    if (e->doors & LOCANT_DOOR_ROTATE)
        r->rotate = &r->call[n];
    if (e->doors & LOCANT_DOOR_SCORE)
        r->score = &r->call[n];
    if (e->doors & LOCANT_DOOR_CONTENT)
        r->content = &r->call[n];
}

static locant_status check_part(struct lct_request *r, int n)
{
    const locant_attention *a = r->a;
    const struct lct_part *part = &a->encoding->part[n];
    const locant_encoding *e = part->e;
    const locant_tensor *params = a->params;
    const locant_sizes sizes = {
        .width = r->W, .heads = r->H, .kv_heads = r->Hkv, .head_dim = r->D
    };
    size_t elements;

    if ((e->traits & LOCANT_TRAIT_READS_X) && a->x == NULL)
        return locant_fail(LOCANT_ERR_NULL,
                           "%s: %s reads the input of its layer, x is NULL",
                           r->fn, e->row->info.name);
    if (params != NULL)
        params += part->first_param;
    LCT_TRY(lct_params_check(&elements, r->fn, e, params, &sizes));
    r->call[n] = (struct lct_call){ .e = e,
                                    .heads = r->H,
                                    .kv_heads = r->Hkv,
                                    .head_dim = r->D,
                                    .width = r->W,
                                    .scale = r->scale };
    r->part_param[n] = r->params;
    if (!lct_add(&r->params, r->params, elements))
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: the parameters do not fit in memory", r->fn);
    LCT_TRY(lct_positions_check_known(r, e, params));
    LCT_TRY(lct_positions_check_causal(r, e));
    sort_part(r, n);
    return e->doors & LOCANT_DOOR_ROTATE ? check_rotate(r, e) : LOCANT_OK;
}

/* Relations of pairs choose places of a rotation by whole positions. */
static locant_status check_relations(struct lct_request *r)
{
    if (r->rotate == NULL) {
        r->relations = NULL; /* there is nothing to choose */
        return LOCANT_OK;
    }
    if (r->rotate_values)
        return refuse_rotated_values(r, r->relations);
    if (r->a->q_coords != NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: %s replaces whole positions, expected no "
                           "coordinates",
                           r->fn, r->relations->row->info.name);
    return LOCANT_OK;
}

/* Multiply the scale of the scores by the factors of the encoding. */
static locant_status multiply_scale(struct lct_request *r,
                                    const locant_encoding *e)
{
    const double given = r->scale;

    for (int n = 0; n < e->parts; n++)
        if (e->part[n].e->row->scale.of_scores != NULL)
            r->scale *= e->part[n].e->row->scale.of_scores(e->part[n].e);
    if (isfinite((float)r->scale))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: scale is %g, which %s multiplies to %g, expected "
                       "at most 3.4e38 in magnitude",
                       r->fn, given, lct_name(e), r->scale);
}

locant_status lct_request_parts_check(struct lct_request *r)
{
    const locant_encoding *e = r->a->encoding;
    const struct lct_part *part;

    if (e == NULL)
        return LOCANT_OK;
    if (e->row->layers != NULL)
        return lct_part_open(&part, r->fn, e, LOCANT_DOOR_SCORE);
    LCT_TRY(multiply_scale(r, e));
    for (int n = 0; n < e->parts; n++)
        if (is_used(e->part[n].e))
            LCT_TRY(check_part(r, n));
    if (lct_biases_of(e) != NULL) {
        r->call[LCT_MAX_PARTS] = lct_biases_call(e, r->call);
        r->score = &r->call[LCT_MAX_PARTS];
    }
    if (r->relations != NULL)
        LCT_TRY(check_relations(r));
    if (r->stick != NULL && r->rotate_values)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: %s adds a query's own value to its output, "
                           "expected values that do not rotate",
                           r->fn, r->stick->row->info.name);
    if (r->stick != NULL && r->sinks != NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: %s replaces the softmax, in which sinks take "
                           "part, expected sinks to be NULL",
                           r->fn, r->stick->row->info.name);
    return r->content == NULL ? LOCANT_OK : check_content(r, r->content->e);
}
