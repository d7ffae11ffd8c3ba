/* part.c - attention over some of the keys, with a state of each query */
#include "part.h"
#include "content_maps.h"
#include "relations.h"
#include <inttypes.h>
#include <string.h>

enum { SPLIT = LCT_SPLIT_TILES * LCT_TILE };

static const int64_t MOST = (int64_t)1 << 40; /* keys of the whole call */

/* ------------------------------------------------------------------- checks */

static locant_status check_range(const struct lct_request *r, int64_t n)
{
    const locant_attention_part *part = r->part;

    if (part->keys < 0 || part->keys > MOST)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: keys is %" PRId64 ", expected 0 .. 2^40", r->fn,
                           part->keys);
    if (part->first < 0 || part->first > part->keys - n)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: k has keys %" PRId64 " to %" PRId64
                           ", expected some of the %" PRId64
                           " keys of the whole call",
                           r->fn, part->first, part->first + n - 1, part->keys);
    if (part->first % SPLIT != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: first is %" PRId64
                           ", expected a multiple of %d",
                           r->fn, part->first, SPLIT);
    if (n % SPLIT != 0 && part->first + n != part->keys)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: k has %" PRId64
                           " keys, expected a multiple of %d or all up to the "
                           "last",
                           r->fn, n, SPLIT);
    return LOCANT_OK;
}

locant_status lct_part_check(struct lct_request *r)
{
    const locant_attention_part *part = r->part;

    if (part->struct_size != sizeof(*part))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size of part is %zu, expected %zu; "
                           "start from LOCANT_ATTENTION_PART_INIT",
                           r->fn, part->struct_size, sizeof(*part));
    if (part->last != 0 && part->last != 1)
        return locant_fail(LOCANT_ERR_PARAM, "%s: last is %d, expected 0 or 1",
                           r->fn, part->last);
    if (r->a->block_table != NULL || r->a->quant != LOCANT_QUANT_NONE ||
        r->a->state != NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: %s is given, expected none with a part of the "
                           "keys",
                           r->fn,
                           r->a->state != NULL         ? "a state of decoding"
                           : r->a->block_table != NULL ? "a paged cache"
                                                       : "a quantised cache");
    LCT_TRY(check_range(r, r->S));
    r->first_key = part->first;
    r->held_keys = r->S;
    r->S = r->capacity = part->keys;
    return LOCANT_OK;
}

static locant_status refuse(const struct lct_plan *p, const locant_encoding *e,
                            const char *why)
{
    return locant_fail(LOCANT_ERR_UNSUPPORTED,
                       "%s: %s %s, expected an encoding that takes keys in "
                       "parts",
                       p->request->fn, e->row->info.name, why);
}

locant_status lct_part_check_plan(const struct lct_plan *p)
{
    const struct lct_request *r = p->request;

    if (r->part == NULL || p->B == 0 || p->H == 0)
        return LOCANT_OK;
    if (r->q.dtype == LOCANT_F64)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: q is F64, expected F32, F16 or BF16: rows in "
                           "double need all keys",
                           r->fn);
    if (r->stick != NULL)
        return refuse(p, r->stick, "takes keys from the newest to the oldest");
    if (r->content == NULL)
        return LOCANT_OK;
    if (p->engine != LCT_TILED)
        return refuse(p, r->content->e, "needs all keys of a query at once");
    if (lct_content_maps_are_used(p))
        return refuse(p, r->content->e, "multiplies maps of all newer keys");
    if (p->pass == LCT_PASS_BACKWARD)
        return refuse(p, r->content->e, "has gradients that sum over all keys");
    return LOCANT_OK;
}

/* -------------------------------------------------------------------- state */

int64_t lct_part_width(const struct lct_plan *p, enum lct_pass pass)
{
    return pass == LCT_PASS_BACKWARD ? p->Dq * lct_tables_relations(p)
                                     : p->Dv + 2;
}

/* The state of row i of the tile. */
static float *state_of(const struct lct_plan *p, const struct lct_tile *t,
                       int64_t i)
{
    return lct_at(p->request->part->state, (int64_t[3]){ t->b, t->h, t->i + i },
                  3);
}

void lct_part_load_out(const struct lct_plan *p, const struct lct_tile *t,
                       struct lct_scratch *s)
{
    size_t n = (size_t)p->Dv, width = (size_t)p->padded_v;

    for (int64_t i = 0; i < t->rows; i++) {
        const float *from = state_of(p, t, i);
        float *to = s->total + (size_t)i * width;

        memcpy(to, from, n * sizeof(*to));
        memset(to + n, 0, (width - n) * sizeof(*to));
        s->total_max[i] = from[n];
        s->total_sum[i] = from[n + 1];
    }
}

void lct_part_store_out(const struct lct_plan *p, const struct lct_tile *t,
                        const struct lct_scratch *s)
{
    size_t n = (size_t)p->Dv;

    for (int64_t i = 0; i < t->rows; i++) {
        float *to = state_of(p, t, i);

        memcpy(to, s->total + i * p->padded_v, n * sizeof(*to));
        to[n] = s->total_max[i];
        to[n + 1] = s->total_sum[i];
    }
}

/* Has a key of the tile's queries relation r to them?  If not, the state of
 * their dq in it stays 0. */
static bool has(const struct lct_scratch *s, int r)
{
    return s->relations >> r & 1;
}

void lct_part_load_dq(const struct lct_plan *p, const struct lct_tile *t,
                      struct lct_scratch *s)
{
    for (int r = 0; r < lct_tables_relations(p); r++)
        if (has(s, r))
            for (int64_t i = 0; i < t->rows; i++)
                memcpy(lct_relations_queries(s, r).dq + i * p->padded_q,
                       state_of(p, t, i) + r * p->Dq,
                       (size_t)p->Dq * sizeof(float));
}

void lct_part_store_dq(const struct lct_plan *p, const struct lct_tile *t,
                       const struct lct_scratch *s)
{
    for (int r = 0; r < lct_tables_relations(p); r++)
        if (has(s, r))
            for (int64_t i = 0; i < t->rows; i++)
                memcpy(state_of(p, t, i) + r * p->Dq,
                       lct_relations_queries(s, r).dq + i * p->padded_q,
                       (size_t)p->Dq * sizeof(float));
}
