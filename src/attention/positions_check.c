/* positions_check.c - check the positions and coordinates of a call */
#include "positions_check.h"
#include "../encodings/length_limit.h"
#include "../angle/schedule.h"
#include "positions.h"
#include "real.h"
#include <inttypes.h>
#include <math.h>

/* ------------------------------------------------------------------- shapes */

/* Shape [n] or [B, n], then [axes] if 'axes' is not 0; sets position_rows. */
static locant_status check_one(struct lct_request *r, const char *name,
                               const locant_tensor *t, int64_t n, int axes)
{
    int64_t dims[3] = { r->B, n, axes };
    int rank = axes > 0 ? 2 : 1;

    if (t == NULL)
        return LOCANT_OK;
    if (t->rank == rank + 1) {
        LCT_TRY(lct_check(r->fn, name, t, axes ? LCT_IN_F64 : LCT_IN_I64,
                          rank + 1, dims));
        r->position_rows = r->B;
        return LOCANT_OK;
    }
    return lct_check(r->fn, name, t, axes ? LCT_IN_F64 : LCT_IN_I64, rank,
                     dims + 1);
}

static locant_status check_pair(const struct lct_request *r, const char *what,
                                const locant_tensor *q, const locant_tensor *k)
{
    if ((q == NULL) == (k == NULL))
        return LOCANT_OK;
    return locant_fail(
        LOCANT_ERR_NULL,
        "%s: %c_%s is NULL while %c_%s is given, expected both or neither",
        r->fn, q == NULL ? 'q' : 'k', what, q == NULL ? 'k' : 'q', what);
}

/* The part that rotates queries and keys; NULL: none. */
static const locant_encoding *rotation_of(const struct lct_request *r)
{
    const struct lct_part *part = NULL;

    if (r->a->encoding != NULL && r->a->encoding->row->layers == NULL)
        part = lct_part_of(r->a->encoding, LOCANT_DOOR_ROTATE);
    return part == NULL ? NULL : part->e;
}

/* Rotations may have several axes, biases have one. */
static int axes_of(const struct lct_request *r)
{
    const locant_encoding *e = rotation_of(r);

    return e == NULL || lct_own_axes(e) == 0 ? 1 : lct_own_axes(e);
}

/* Check coordinates of a head; those of padding may be anything. */
static locant_status check_head(const struct lct_request *r, const char *name,
                                const struct lct_positions *t)
{
    for (int64_t row = 0; row < r->position_rows; row++)
        for (int64_t i = 0; i < t->n; i++)
            for (int c = 0; c < r->axes; c++) {
                double x = lct_positions_coords(t, row, i)[c];

                if (lct_positions_doc(t, row, i) >= 0 && !(fabs(x) < 0x1p63))
                    return locant_fail(
                        LOCANT_ERR_PARAM,
                        "%s: %s of token %" PRId64
                        " is %g, expected a finite number below 2^63",
                        r->fn, name, i, x);
            }
    return LOCANT_OK;
}

static locant_status check_coords(const struct lct_request *r, const char *name,
                                  struct lct_positions *t, int64_t heads)
{
    for (t->head = 0; t->head < (r->coords_by_head ? heads : 1); t->head++)
        LCT_TRY(check_head(r, name, t));
    return LOCANT_OK;
}

/* Shape [B, heads, n, axes]. */
static locant_status check_by_head(struct lct_request *r, const char *name,
                                   const locant_tensor *t, int64_t heads,
                                   int64_t n)
{
    r->position_rows = r->B;
    return lct_check(r->fn, name, t, LCT_IN_F64, 4,
                     (int64_t[4]){ r->B, heads, n, r->axes });
}

/* Frequencies that depend on the longest position need one for all heads. */
static locant_status check_coords_by_head(struct lct_request *r)
{
    const locant_encoding *e = rotation_of(r);

    r->coords_by_head = true;
    LCT_TRY(check_by_head(r, "q_coords", r->a->q_coords, r->H, r->T));
    LCT_TRY(check_by_head(r, "k_coords", r->a->k_coords, r->Hkv, r->capacity));
    if (e != NULL && e->row->rotate.map == NULL &&
        lct_schedule_length(e, INT32_MAX) != 0)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: frequencies of %s depend on the longest "
                           "position, expected coordinates that heads share",
                           r->fn, e->spec);
    return LOCANT_OK;
}

locant_status lct_positions_check(struct lct_request *r)
{
    struct lct_positions q, k;

    r->position_rows = 1;
    LCT_TRY(check_one(r, "q_pos", r->a->q_pos, r->T, 0));
    LCT_TRY(check_one(r, "k_pos", r->a->k_pos, r->capacity, 0));
    LCT_TRY(check_pair(r, "docs", r->a->q_docs, r->a->k_docs));
    LCT_TRY(check_one(r, "q_docs", r->a->q_docs, r->T, 0));
    LCT_TRY(check_one(r, "k_docs", r->a->k_docs, r->capacity, 0));
    r->documents = r->a->q_docs != NULL || r->paged.table != NULL;
    if (r->paged.table != NULL)
        r->position_rows = r->B;
    LCT_TRY(check_pair(r, "coords", r->a->q_coords, r->a->k_coords));
    if (r->a->q_coords == NULL)
        return LOCANT_OK;
    r->axes = axes_of(r);
    LCT_TRY(lct_real_check(r));
    if (r->a->q_coords->rank == 4) {
        LCT_TRY(check_coords_by_head(r));
    } else {
        LCT_TRY(check_one(r, "q_coords", r->a->q_coords, r->T, r->axes));
        LCT_TRY(check_one(r, "k_coords", r->a->k_coords, r->capacity, r->axes));
    }
    q = lct_positions_of(r, LCT_QUERY);
    k = lct_positions_of(r, LCT_KEY);
    LCT_TRY(check_coords(r, "q_coords", &q, r->H));
    return check_coords(r, "k_coords", &k, r->Hkv);
}

/* -------------------------------------------------- what encodings refuse */

/* The check of a length limit. */
struct check {
    const locant_encoding *leaf;
    const locant_tensor *params;
    bool coords; /* of coordinates, rounded towards 0, instead of positions */
};

/* Check n tokens from 'first' on; 'pos' [n] is scratch. */
static locant_status check_tokens(const struct check *c, const char *fn,
                                  const struct lct_positions_row *r,
                                  int64_t first, int64_t n, int64_t *pos)
{
    for (int64_t i = 0; i < n; i++)
        pos[i] = c->coords ? (int64_t)lct_positions_row_coord(r, first + i, 0)
                           : lct_positions_row_at(r, first + i);
    return lct_length_limit_check(c->leaf, fn, pos, (size_t)n, c->params);
}

/* Check the whole row, so that the error message has the index in the row. */
static locant_status check_row(const struct check *c, const char *fn,
                               const struct lct_positions_row *r)
{
    int64_t n = r->t->n, *pos = locant_alloc((size_t)n * sizeof(*pos));
    locant_status status;

    if (pos == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for %" PRId64 " positions", fn, n);
    status = check_tokens(c, fn, r, 0, n, pos);
    locant_release(pos);
    return status;
}

/* Check in chunks on the stack: only a failing call allocates memory. */
static locant_status check_known(const struct lct_request *r,
                                 const struct lct_positions *t,
                                 const struct check *c)
{
    int64_t pos[256], most = (int64_t)(sizeof(pos) / sizeof(*pos)), i;

    for (int64_t row = 0; row < r->position_rows; row++) {
        struct lct_positions_row x = lct_positions_row_of(t, row);

        i = 0;
        do {
            int64_t n = t->n - i < most ? t->n - i : most;
            locant_status status = check_tokens(c, r->fn, &x, i, n, pos);

            if (status != LOCANT_OK)
                return i == 0 ? status : check_row(c, r->fn, &x);
            i += n;
        } while (i < t->n);
    }
    return LOCANT_OK;
}

locant_status lct_positions_check_known(const struct lct_request *r,
                                        const locant_encoding *leaf,
                                        const locant_tensor *params)
{
    struct lct_positions q = lct_positions_of(r, LCT_QUERY);
    struct lct_positions k = lct_positions_of(r, LCT_KEY);
    struct check c = { leaf, params, false };

    if (!lct_length_limit_exists(leaf))
        return LOCANT_OK;
    if (leaf->doors == LOCANT_DOOR_ROTATE && r->a->q_coords != NULL) {
        if (r->axes > 1) /* its check is for one axis */
            return LOCANT_OK;
        c.coords = true;
    }
    for (; q.head < (c.coords && r->coords_by_head ? r->H : 1); q.head++)
        LCT_TRY(check_known(r, &q, &c));
    for (; k.head < (c.coords && r->coords_by_head ? r->Hkv : 1); k.head++)
        LCT_TRY(check_known(r, &k, &c));
    return LOCANT_OK;
}

/* Does a key come after one of queries i .. end - 1, all of one document? */
static bool key_follows(const struct lct_positions *q,
                        const struct lct_positions *k, int64_t row, int64_t i,
                        int64_t end)
{
    int64_t doc = lct_positions_doc(q, row, i);
    int64_t low = lct_positions_at(q, row, i);

    if (doc < 0)
        return false;
    for (; i < end; i++) {
        int64_t at = lct_positions_at(q, row, i);

        low = at < low ? at : low;
    }
    for (int64_t j = 0; j < k->n; j++)
        if (lct_positions_doc(k, row, j) == doc &&
            lct_positions_at(k, row, j) > low)
            return true;
    return false;
}

/* Does a key come after a query of its document? */
static bool keys_follow(const struct lct_request *r)
{
    struct lct_positions q = lct_positions_of(r, LCT_QUERY);
    struct lct_positions k = lct_positions_of(r, LCT_KEY);

    if (r->T == 0 || r->S == 0)
        return false;
    for (int64_t row = 0; row < r->position_rows; row++) {
        if (lct_positions_extent(&k, row).high <=
            lct_positions_extent(&q, row).low)
            continue;
        if (!r->documents)
            return true;
        for (int64_t i = 0, end; i < r->T; i = end) {
            int64_t doc = lct_positions_doc(&q, row, i);

            end = i + 1;
            while (end < r->T && lct_positions_doc(&q, row, end) == doc)
                end++;
            if (key_follows(&q, &k, row, i, end))
                return true;
        }
    }
    return false;
}

locant_status lct_positions_check_causal(const struct lct_request *r,
                                         const locant_encoding *leaf)
{
    if (r->causal || !(leaf->traits & LOCANT_TRAIT_CAUSAL) || !keys_follow(r))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: %s is defined for keys up to the query only, "
                       "expected the causal mask",
                       r->fn, leaf->row->info.name);
}

/* Is key j at the position of query i, in its document? */
static bool is_own(const struct lct_positions *q, const struct lct_positions *k,
                   int64_t row, int64_t i, int64_t j)
{
    return lct_positions_at(q, row, i) == lct_positions_at(k, row, j) &&
           lct_positions_doc(q, row, i) == lct_positions_doc(k, row, j);
}

locant_status lct_positions_check_own_keys(const struct lct_request *r,
                                           const locant_encoding *leaf)
{
    struct lct_positions q = lct_positions_of(r, LCT_QUERY);
    struct lct_positions k = lct_positions_of(r, LCT_KEY);

    for (int64_t row = 0; row < r->position_rows; row++) {
        int64_t j = r->S - r->T; /* usually the key of the first query, and
                                    those of the others follow it */

        for (int64_t i = 0; i < r->T; i++, j++) {
            int64_t left = r->S;

            if (lct_positions_doc(&q, row, i) < 0)
                continue;
            for (j = j < 0 ? 0 : j; left > 0; left--, j++) {
                j = j < r->S ? j : 0;
                if (is_own(&q, &k, row, i, j))
                    break;
            }
            if (left == 0)
                return locant_fail(LOCANT_ERR_PARAM,
                                   "%s: no key sits at the position %" PRId64
                                   " of query %" PRId64
                                   ", expected one: %s reads the input there",
                                   r->fn, lct_positions_at(&q, row, i), i,
                                   leaf->row->info.name);
        }
    }
    return LOCANT_OK;
}
