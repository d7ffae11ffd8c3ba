/* rotate.c - the rotate door: rotate queries and keys, and the inverse */
#include "rotate.h"
#include "blocks.h"
#include "length_limit.h"
#include "params.h"
#include "locant/rotate.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static locant_status check_reals(struct lct_rotate_call *c, const char *name,
                                 const locant_tensor *positions, int rank)
{
    double longest = 0;

    if (rank == 1 && c->axes > 1)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: real %s are [T], expected [T, %d] coordinates",
                           c->fn, name, c->axes);
    LCT_TRY(lct_params_check_reals(c->fn, name, positions));
    c->coords = positions->data;
    for (size_t i = 0; i < lct_elements(positions); i++)
        longest = fmax(longest, floor(c->coords[i]));
    c->length = longest < 0x1p62 ? (int64_t)longest + 1 : INT64_MAX;
    return LOCANT_OK;
}

static locant_status check_positions(struct lct_rotate_call *c,
                                     const char *name,
                                     const locant_tensor *positions)
{
    int64_t shape[2] = { (int64_t)c->tokens, c->axes }, longest = 0;
    int rank = positions != NULL && positions->dtype == LOCANT_F64 &&
                       positions->rank == 2
                   ? 2
                   : 1;

    LCT_TRY(lct_check(c->fn, name, positions, LCT_IN_I64 | LCT_IN_F64, rank,
                      shape));
    LCT_TRY(lct_check_dense(c->fn, name, positions));
    if (positions->dtype == LOCANT_F64)
        return check_reals(c, name, positions, rank);
    c->pos = positions->data;
    for (size_t t = 0; t < c->tokens; t++)
        longest = c->pos[t] > longest ? c->pos[t] : longest;
    c->length = longest < INT64_MAX ? longest + 1 : INT64_MAX;
    return LOCANT_OK;
}

/* The encoding's own check of positions; coordinates of several axes pass. */
static locant_status check_reach(const struct lct_rotate_call *c)
{
    if (c->pos != NULL)
        return lct_length_limit_check(c->e, c->fn, c->pos, c->tokens, NULL);
    if (c->axes == 1 && lct_length_limit_exists(c->e))
        for (size_t t = 0; t < c->tokens; t++) {
            int64_t whole = (int64_t)c->coords[t];

            LCT_TRY(lct_length_limit_check(c->e, c->fn, &whole, 1, NULL));
        }
    return LOCANT_OK;
}

locant_status lct_rotate_open(struct lct_rotate_call *c, const char *fn,
                              const locant_encoding *e, const char *name,
                              const locant_tensor *positions, int64_t tokens)
{
    const struct lct_part *part;

    LCT_TRY(lct_part_require(&part, fn, e, LOCANT_DOOR_ROTATE));
    *c = (struct lct_rotate_call){ .fn = fn,
                                   .e = part->e,
                                   .first_param = part->first_param,
                                   .axes = locant_encoding_axes(part->e),
                                   .tokens = (size_t)tokens };
    LCT_TRY(check_positions(c, name, positions));
    return check_reach(c);
}

locant_status lct_rotate_check_width(const char *fn, const char *name,
                                     const locant_tensor *out,
                                     const locant_tensor *x, int64_t width)
{
    int64_t shape[LOCANT_MAX_RANK];

    memcpy(shape, x->shape, sizeof(shape));
    shape[x->rank - 1] = width;
    LCT_TRY(lct_check(fn, name, out, 1u << x->dtype, x->rank, shape));
    return width == x->shape[x->rank - 1] ? LOCANT_OK
                                          : lct_check_apart(fn, out, x);
}

locant_status lct_rotate_invert(const struct lct_schedule **s, const char *fn)
{
    const struct lct_schedule *was = *s;
    struct lct_schedule *copy;

    if (was->magnitude == 1)
        return LOCANT_OK;
    copy = lct_schedule_new(was->pairs, was->axes, was->head_dim);
    if (copy == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for a schedule",
                           fn);
    copy->first = was->first;
    copy->length = was->length;
    copy->owned = true;
    copy->pairing = was->pairing;
    copy->bands = was->bands;
    memcpy(copy->band, was->band, sizeof(copy->band));
    copy->mode = was->mode;
    copy->base = was->base;
    copy->recipe = was->recipe;
    copy->magnitude = 1 / was->magnitude;
    memcpy(copy->frequency, was->frequency,
           (size_t)(was->pairs * was->axes) * sizeof(was->frequency[0]));
    memcpy(copy->single, was->single,
           (size_t)was->pairs * sizeof(was->single[0]));
    lct_schedule_done(was);
    *s = copy;
    return LOCANT_OK;
}

/* One or two tensors of one call. */
struct rotated {
    size_t n;
    const char *names[LCT_MOST_VIEWS]; /* of 'out' in error messages */
    locant_tensor *out[LCT_MOST_VIEWS];
    const locant_tensor *x[LCT_MOST_VIEWS];
};

/* 'back' negates the angles, 'undo' divides by the magnitude. */
static locant_status rotate_plain(const struct rotated *t,
                                  const struct lct_rotate_call *c, bool back,
                                  bool undo)
{
    int64_t dim = t->x[0]->shape[t->x[0]->rank - 1];
    struct lct_places places = { .e = c->e,
                                 .pos = c->pos,
                                 .coords = c->coords };
    struct lct_rotation r = { .angles = lct_places_angles,
                              .context = &places,
                              .sign = back ? -1.0f : 1.0f };
    locant_status status = LOCANT_OK;
    bool empty = true;

    for (size_t i = 0; i < t->n; i++) {
        LCT_TRY(lct_rotate_check_width(c->fn, t->names[i], t->out[i], t->x[i],
                                       dim));
        empty = empty && lct_empty(t->x[i]);
    }
    if (empty)
        return LOCANT_OK;
    LCT_TRY(lct_schedule_of(&places.s, c->e, c->fn, dim, c->length));
    if (undo)
        status = lct_rotate_invert(&places.s, c->fn);
    r.s = places.s;
    if (status == LOCANT_OK)
        status = lct_rotate_rows(c->fn, t->n, t->out, t->x, &r);
    lct_schedule_done(places.s);
    return status;
}

locant_status lct_rotate_check_pairs(const char *fn, int64_t channels)
{
    if (channels % 2 != 0)
        return locant_fail(
            LOCANT_ERR_SHAPE,
            "%s: heads have %" PRId64
            " channels, expected an even number to rotate in pairs",
            fn, channels);
    return LOCANT_OK;
}

locant_status lct_rotate_check_flags(const char *fn, int flags)
{
    if ((flags & ~(LOCANT_ROTATE_INVERSE | LOCANT_ROTATE_KEY)) != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: flags are 0x%x, expected LOCANT_ROTATE_* only",
                           fn, (unsigned)flags);
    return LOCANT_OK;
}

locant_status locant_encoding_rotate(locant_tensor *out, const locant_tensor *x,
                                     const locant_encoding *e,
                                     const locant_tensor *positions,
                                     const locant_tensor *params, int flags)
{
    static const char fn[] = "locant_encoding_rotate";
    static const char *const names[2] = { "out", "x" };
    bool inverse = flags & LOCANT_ROTATE_INVERSE;
    struct lct_rotate_call c;

    LCT_TRY(lct_blocks_check(fn, names, out, x, true));
    LCT_TRY(lct_rotate_open(&c, fn, e, "positions", positions,
                            x->shape[x->rank - 2]));
    LCT_TRY(lct_check_apart(fn, out, positions));
    LCT_TRY(lct_rotate_check_flags(fn, flags));
    if (c.e->row->rotate.map != NULL)
        return lct_rotate_map(&(struct lct_map_call){ "out", out, x, flags }, 1,
                              &c,
                              params == NULL ? NULL : params + c.first_param);
    return rotate_plain(&(struct rotated){ 1, { "out" }, { out }, { x } }, &c,
                        inverse, inverse);
}

/* No output may overlap the other output or the other input. */
static locant_status check_qk(const char *fn, const struct rotated *t)
{
    static const char *const names[2][2] = { { "q_out", "q" },
                                             { "k_out", "k" } };
    const locant_tensor *q = t->x[0], *k = t->x[1];

    for (int i = 0; i < 2; i++)
        LCT_TRY(lct_blocks_check(fn, names[i], t->out[i], t->x[i], true));
    if (k->shape[k->rank - 2] != q->shape[q->rank - 2] ||
        k->shape[k->rank - 1] != q->shape[q->rank - 1])
        return locant_fail(
            LOCANT_ERR_SHAPE,
            "%s: k is [.., %" PRId64 ", %" PRId64
            "], expected the tokens and channels of q, [.., %" PRId64
            ", %" PRId64 "]",
            fn, k->shape[k->rank - 2], k->shape[k->rank - 1],
            q->shape[q->rank - 2], q->shape[q->rank - 1]);
    LCT_TRY(lct_check_apart(fn, t->out[0], t->out[1]));
    LCT_TRY(lct_check_apart(fn, t->out[0], k));
    return lct_check_apart(fn, t->out[1], q);
}

locant_status locant_encoding_rotate_qk(
    locant_tensor *q_out, locant_tensor *k_out, const locant_tensor *q,
    const locant_tensor *k, const locant_encoding *e,
    const locant_tensor *positions, const locant_tensor *params, int flags)
{
    static const char fn[] = "locant_encoding_rotate_qk";
    const struct rotated t = {
        2, { "q_out", "k_out" }, { q_out, k_out }, { q, k }
    };
    bool inverse = flags & LOCANT_ROTATE_INVERSE;
    struct lct_rotate_call c;

    LCT_TRY(check_qk(fn, &t));
    LCT_TRY(lct_rotate_open(&c, fn, e, "positions", positions,
                            q->shape[q->rank - 2]));
    LCT_TRY(lct_check_apart(fn, q_out, positions));
    LCT_TRY(lct_check_apart(fn, k_out, positions));
    if ((flags & ~LOCANT_ROTATE_INVERSE) != 0)
        return locant_fail(
            LOCANT_ERR_PARAM,
            "%s: flags are 0x%x, expected LOCANT_ROTATE_INVERSE or 0", fn,
            (unsigned)flags);
    if (c.e->row->rotate.map != NULL)
        return lct_rotate_map(
            (const struct lct_map_call[]){
                { "q_out", q_out, q, flags },
                { "k_out", k_out, k, flags | LOCANT_ROTATE_KEY } },
            2, &c, params == NULL ? NULL : params + c.first_param);
    return rotate_plain(&t, &c, inverse, inverse);
}

/* forward: out = m R x with R orthogonal, so dx = m R^T dout */
locant_status locant_encoding_rotate_backward(
    locant_tensor *dx, locant_tensor *dparams, const locant_tensor *dout,
    const locant_tensor *x, const locant_encoding *e,
    const locant_tensor *positions, const locant_tensor *params, int flags)
{
    static const char fn[] = "locant_encoding_rotate_backward";
    static const char *const names[2] = { "dx", "dout" };
    struct lct_rotate_call c;

    LCT_TRY(lct_blocks_check(fn, names, dx, dout, true));
    LCT_TRY(lct_rotate_open(&c, fn, e, "positions", positions,
                            dout->shape[dout->rank - 2]));
    LCT_TRY(lct_check_apart(fn, dx, positions));
    LCT_TRY(lct_rotate_check_flags(fn, flags));
    if (c.e->row->rotate.map == NULL)
        return rotate_plain(&(struct rotated){ 1, { "dx" }, { dx }, { dout } },
                            &c, !(flags & LOCANT_ROTATE_INVERSE),
                            flags & LOCANT_ROTATE_INVERSE);
    return lct_rotate_map_backward(
        dx, dparams == NULL ? NULL : dparams + c.first_param, dout, x, &c,
        params == NULL ? NULL : params + c.first_param, flags);
}
