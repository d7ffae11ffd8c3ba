/*
 * sum.c - several encodings at once: 'a+b', and one for each layer.
 *
 * Of its parts, at most one uses a given door, at most one chooses positions,
 * and at most one sets a temperature: what two would mean is not defined.  Only
 * biases add (biases.h).
 */
#include "biases.h"
#include "length_limit.h"
#include "near_far.h"
#include <inttypes.h>

const struct lct_encoding lct_enc_sum = {
    .info = { .name = "+",
              .title = "Several encodings at once",
              .formula = "",
              .source = "",
              .used_by = "",
              .pitfalls = "" },
};

static locant_status refuse_both(const locant_encoding *a,
                                 const locant_encoding *b, const char *what)
{
    return LCT_REFUSE("%s and %s both %s, expected one of them",
                      a->row->info.name, b->row->info.name, what);
}

/* Refuse two parts whose factors would meet. */
static locant_status check_factors(const locant_encoding *a,
                                   const locant_encoding *b)
{
    static const unsigned gains = LCT_HAS_GAIN | LCT_HAS_CONTENT_GAIN;
    unsigned x = lct_factors_of(a), y = lct_factors_of(b);
    const struct lct_scale_hooks *s = &a->row->scale, *t = &b->row->scale;
    const struct lct_near_far *near_far = b->row->content.near_far;

    if ((x & gains) && (y & gains))
        return refuse_both(a, b, "multiply scores");
    if (x & y & LCT_HAS_AFTER)
        return refuse_both(a, b, "multiply weights by distance");
    if (((x & LCT_HAS_ROW) || s->of_query != NULL) &&
        ((y & LCT_HAS_ROW) || t->of_query != NULL))
        return refuse_both(a, b, "set a temperature");
    if ((x & LCT_HAS_GAIN) && near_far != NULL)
        return refuse_both(a, b, "change products of queries and keys");
    if ((x & LCT_HAS_ROW) && near_far != NULL && near_far->masks)
        return refuse_both(a, b, "depend on the keys that a query sees");
    return LOCANT_OK;
}

/* Does the content door of e rotate queries and keys? */
static bool content_rotates(const locant_encoding *e)
{
    return e->row->content.near_far != NULL ||
           e->row->content.token_angles != NULL;
}

/* Relations replace the position of a rotation. */
static locant_status check_relations(const locant_encoding *a,
                                     const locant_encoding *b)
{
    if (a->row->relations.classify == NULL)
        return LOCANT_OK;
    if (b->doors & LOCANT_DOOR_CONTENT)
        return refuse_both(a, b, "change products of queries and keys");
    if (b->row->relations.classify != NULL || lct_own_axes(b) > 0 ||
        b->row->rotate.map != NULL)
        return refuse_both(a, b, "choose how to rotate queries and keys");
    return LOCANT_OK;
}

/* Refuse two parts that would do the same. */
static locant_status check_pair(const locant_encoding *a,
                                const locant_encoding *b)
{
    static const char *const doors[] = { "add to embeddings",
                                         "rotate queries and keys",
                                         "add to scores", "read content" };

    for (int d = 0; d < 4; d++)
        if ((a->doors & b->doors & 1u << d) &&
            (1u << d != LOCANT_DOOR_SCORE || a->row == b->row))
            return refuse_both(a, b, doors[d]);
    LCT_TRY(check_relations(a, b));
    LCT_TRY(check_relations(b, a));
    if (a->row->positions.choose != NULL && b->row->positions.choose != NULL)
        return refuse_both(a, b, "choose positions");
    if (a->row->weights.stick_breaking && b->row->weights.stick_breaking)
        return refuse_both(a, b, "replace the softmax");
    LCT_TRY(check_factors(a, b));
    LCT_TRY(check_factors(b, a));
    if ((content_rotates(a) && (b->doors & LOCANT_DOOR_ROTATE)) ||
        (content_rotates(b) && (a->doors & LOCANT_DOOR_ROTATE)))
        return refuse_both(a, b, "rotate queries and keys");
    if (a->row->layers != NULL || b->row->layers != NULL)
        return LCT_REFUSE("layers stands alone; add to the encodings it holds");
    return LOCANT_OK;
}

/* Traits that a sum has only if all of its parts have them. */
static const unsigned common_traits =
    LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_ISOMETRIC | LOCANT_TRAIT_MONOTONE;

static void join(locant_encoding *e, const locant_encoding *part)
{
    unsigned both = e->traits & part->traits;

    e->doors |= part->doors;
    e->traits =
        ((e->traits | part->traits) & ~common_traits) | (both & common_traits);
}

/*
 * Queries and keys are rotated before content reads them, so products with
 * vectors of the encoding depend on their absolute positions.
 */
static bool sees_rotation(const locant_encoding *e)
{
    const struct lct_part *content = lct_part_of(e, LOCANT_DOOR_CONTENT);

    return (e->doors & LOCANT_DOOR_ROTATE) && content != NULL &&
           !content->e->row->content.scores_only;
}

/* Do relations of pairs change the positions of a rotation? */
static bool has_relations(const locant_encoding *e)
{
    for (int i = 0; i < e->parts; i++)
        if (e->part[i].e->row->relations.classify != NULL)
            return e->doors & LOCANT_DOOR_ROTATE;
    return false;
}

static locant_status compose_sum(locant_encoding *e)
{
    int first = 0;

    for (int i = 0; i < LCT_MAX_PARTS && e->nested[i] != NULL; i++) {
        for (int j = 0; j < i; j++)
            LCT_TRY(check_pair(e->nested[j], e->nested[i]));
        if (i == 0) {
            e->doors = e->nested[0]->doors;
            e->traits = e->nested[0]->traits;
        }
        join(e, e->nested[i]);
        e->part[e->parts++] = (struct lct_part){ e->nested[i], first };
        first += lct_param_count(e->nested[i]);
    }
    if (sees_rotation(e) || has_relations(e))
        e->traits &= ~(unsigned)LOCANT_TRAIT_RELATIVE;
    return lct_biases_make(e);
}

locant_status lct_encoding_compose(locant_encoding *e)
{
    bool any = false;

    if (e->row == &lct_enc_sum)
        return compose_sum(e);
    e->doors = e->row->doors != NULL ? e->row->doors(e) : e->row->info.doors;
    e->traits = lct_own_traits(e);
    e->parts = 1;
    e->part[0] = (struct lct_part){ e, 0 };
    if (e->row->layers != NULL)
        for (int k = 0; k < LCT_MAX_KEYS; k++) {
            if (e->nested[k] == NULL)
                continue;
            if (!any)
                e->traits = e->nested[k]->traits;
            join(e, e->nested[k]);
            any = true;
        }
    return LOCANT_OK;
}

const struct lct_part *lct_part_of(const locant_encoding *e, unsigned door)
{
    for (int i = 0; i < e->parts; i++)
        if (e->part[i].e->doors & door)
            return &e->part[i];
    return NULL;
}

int64_t locant_encoding_layer_count(const locant_encoding *e)
{
    return e == NULL || e->row->layer_count == NULL ? 0
                                                    : e->row->layer_count(e);
}

const locant_encoding *
locant_encoding_layer(int *first_param, const locant_encoding *e, int64_t layer)
{
    return locant_encoding_layer_of(first_param, e, layer, 0);
}

const locant_encoding *locant_encoding_layer_of(int *first_param,
                                                const locant_encoding *e,
                                                int64_t layer, int64_t count)
{
    int first = 0, chosen;

    if (first_param != NULL)
        *first_param = 0;
    if (e == NULL || e->row->layers == NULL)
        return e;
    chosen = e->row->layers(e, layer, count);
    for (int k = 0; k < chosen; k++)
        if (e->nested[k] != NULL)
            first += lct_param_count(e->nested[k]);
    if (first_param != NULL)
        *first_param = first;
    return e->nested[chosen];
}

/* --------------------------------------------------------------- positions */

const locant_encoding *lct_placing_part(const locant_encoding *e)
{
    if (e->row->layers != NULL)
        for (int k = 0; k < LCT_MAX_KEYS; k++)
            if (e->nested[k] != NULL && lct_placing_part(e->nested[k]) != NULL)
                return lct_placing_part(e->nested[k]);
    if (e->row->layers == NULL)
        for (int i = 0; i < e->parts; i++)
            if (e->part[i].e->row->positions.choose != NULL)
                return e->part[i].e;
    return NULL;
}

int locant_encoding_chooses_positions(const locant_encoding *e)
{
    return e != NULL && lct_placing_part(e) != NULL;
}

/* Check that the part, if any, has positions for T tokens. */
static locant_status check_room(const locant_encoding *part, const char *fn,
                                int64_t T, int training)
{
    const int64_t last = T - 1;

    if (part == NULL)
        return LOCANT_OK;
    if (training && part->row->positions.longest != NULL &&
        T > part->row->positions.longest(part))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: out has rows of %" PRId64
                           " tokens, expected at most the %" PRId64
                           " that %s is to be trained for",
                           fn, T, part->row->positions.longest(part),
                           part->spec);
    return lct_length_limit_check(part, fn, &last, 1, NULL);
}

locant_status locant_encoding_ids(locant_tensor *out, const locant_encoding *e,
                                  uint64_t seed, int training)
{
    static const char fn[] = "locant_encoding_ids";
    const int64_t any[2] = { -1, -1 };
    const locant_encoding *part;
    bool real;

    if (e == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: e is NULL", fn);
    real = e->traits & LOCANT_TRAIT_REAL;
    LCT_TRY(lct_check(fn, "out", out, real ? LCT_IN_F64 : LCT_IN_I64, 2, any));
    LCT_TRY(lct_check_dense(fn, "out", out));
    if (lct_empty(out))
        return LOCANT_OK;
    part = lct_placing_part(e);
    LCT_TRY(check_room(part, fn, out->shape[1], training));
    for (int64_t b = 0; b < out->shape[0]; b++) {
        locant_random r = { .seed = seed, .stream = (uint64_t)b };
        int64_t T = out->shape[1];
        int64_t *ids = real ? NULL : (int64_t *)out->data + b * T;
        double *reals = real ? (double *)out->data + b * T : NULL;

        if (part != NULL) {
            part->row->positions.choose(ids, reals, part, T,
                                        training ? &r : NULL);
            continue;
        }
        for (int64_t t = 0; t < T; t++) {
            if (real)
                reals[t] = (double)t;
            else
                ids[t] = t;
        }
    }
    return LOCANT_OK;
}
