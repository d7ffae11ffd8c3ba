/* positions.c - positions, coordinates and documents: checked and laid out */
#include "positions.h"
#include <inttypes.h>
#include <math.h>

/* ---------------------------------------------------------------- checking */

/* [n] or [B, n], with 'axes' more where it is not 0; sets position_rows. */
static locant_status check_one(struct lct_problem *p, const char *name,
                               const locant_tensor *t, int64_t n, int axes)
{
    int64_t dims[3] = { p->B, n, axes };
    int rank = axes > 0 ? 2 : 1;

    if (t == NULL)
        return LOCANT_OK;
    if (t->rank == rank + 1) {
        LCT_TRY(lct_check(p->fn, name, t, axes ? LCT_IN_F64 : LCT_IN_I64,
                          rank + 1, dims));
        p->position_rows = p->B;
        return LOCANT_OK;
    }
    return lct_check(p->fn, name, t, axes ? LCT_IN_F64 : LCT_IN_I64, rank,
                     dims + 1);
}

static locant_status check_pair(const struct lct_problem *p, const char *what,
                                const locant_tensor *q, const locant_tensor *k)
{
    if ((q == NULL) == (k == NULL))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_NULL, "%s: %c_%s is NULL while %c_%s is "
                       "given, expected both or neither", p->fn,
                       q == NULL ? 'q' : 'k', what, q == NULL ? 'k' : 'q',
                       what);
}

/* Coordinates are those of the part that turns queries and keys. */
static locant_status check_axes(struct lct_problem *p,
                                const locant_attention *a)
{
    const struct lct_part *part = NULL;

    if (a->encoding != NULL && a->encoding->row->layers == NULL)
        part = lct_part_of(a->encoding, LOCANT_DOOR_ROTATE);
    if (part == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED, "%s: q_coords is given, "
                           "expected an encoding that turns queries and keys "
                           "to read it", p->fn);
    p->axes = part->e->row->positions.axes;
    p->axes = p->axes > 0 ? p->axes : 1;
    return LOCANT_OK;
}

/* Those of padding may be anything. */
static locant_status check_reals(const struct lct_problem *p, const char *name,
                                 const struct lct_positions *t)
{
    for (int64_t row = 0; row < p->position_rows; row++)
        for (int64_t i = 0; i < t->n; i++)
            for (int c = 0; c < p->axes && lct_positions_document(t, row, i) >=
                 0; c++)
                if (!(fabs(lct_positions_coords(t, row, i)[c]) < 0x1p63))
                    return locant_fail(LOCANT_ERR_PARAM, "%s: %s of token " "%"
                                       PRId64 " is %g, expected a finite "
                                       "number below 2^63", p->fn, name, i,
                                       lct_positions_coords(t, row, i)[c]);
    return LOCANT_OK;
}

locant_status lct_positions_check(struct lct_problem *p,
                                  const locant_attention *a)
{
    struct lct_positions q, k;

    p->position_rows = 1;
    LCT_TRY(check_one(p, "q_pos", a->q_pos, p->T, 0));
    LCT_TRY(check_one(p, "k_pos", a->k_pos, p->S, 0));
    LCT_TRY(check_pair(p, "docs", a->q_docs, a->k_docs));
    LCT_TRY(check_one(p, "q_docs", a->q_docs, p->T, 0));
    LCT_TRY(check_one(p, "k_docs", a->k_docs, p->S, 0));
    p->documents = a->q_docs != NULL;
    LCT_TRY(check_pair(p, "coords", a->q_coords, a->k_coords));
    if (a->q_coords == NULL)
        return LOCANT_OK;
    LCT_TRY(check_axes(p, a));
    LCT_TRY(check_one(p, "q_coords", a->q_coords, p->T, p->axes));
    LCT_TRY(check_one(p, "k_coords", a->k_coords, p->S, p->axes));
    q = lct_positions_of_queries(p, a);
    k = lct_positions_of_keys(p, a);
    LCT_TRY(check_reals(p, "q_coords", &q));
    return check_reals(p, "k_coords", &k);
}

/* ------------------------------------------------------------------ extents */

struct lct_extent lct_positions_extent(const struct lct_positions *t,
                                       int64_t row)
{
    struct lct_extent x = { 0, 0, false };
    bool any = false;

    if (t->pos == NULL && t->docs == NULL)
        return (struct lct_extent){ t->n ? t->first : 0,
                                    t->n ? t->first + t->n - 1 : 0, true };
    for (int64_t i = 0; i < t->n; i++) {
        int64_t at = lct_positions_at(t, row, i);

        if (lct_positions_document(t, row, i) < 0)
            continue;
        x.low = !any || at < x.low ? at : x.low;
        x.high = !any || at > x.high ? at : x.high;
        any = true;
    }
    return x;
}

struct lct_extent lct_positions_queries_extent(const struct lct_problem *p,
                                               const locant_attention *a,
                                               int64_t row)
{
    struct lct_positions t = lct_positions_of_queries(p, a);

    return lct_positions_extent(&t, row);
}

struct lct_extent lct_positions_keys_extent(const struct lct_problem *p,
                                            const locant_attention *a,
                                            int64_t row)
{
    struct lct_positions t = lct_positions_of_keys(p, a);

    return lct_positions_extent(&t, row);
}

/* ------------------------------------------------------------------ lengths */

/* Those of a row that a length is counted over. */
struct some {
    int64_t row, doc; /* -1: of all rows, all but padding */
};

/* The longest position of some tokens, at least 0. */
static int64_t longest(const struct lct_problem *p,
                       const struct lct_positions *t, struct some of)
{
    int64_t row = of.row < 0 ? 0 : of.row, most = 0;
    int64_t end = of.row < 0 ? p->position_rows : row + 1;
    bool real = t->coords != NULL && p->axes == 1;

    for (; row < end; row++)
        for (int64_t i = 0; i < t->n; i++) {
            int64_t doc = lct_positions_document(t, row, i), at;

            if (doc < 0 || (of.doc >= 0 && doc != of.doc))
                continue;
            at = real ? (int64_t)floor(lct_positions_coords(t, row, i)[0])
                      : lct_positions_at(t, row, i);
            most = at > most ? at : most;
        }
    return most;
}

static int64_t length_of(const struct lct_problem *p,
                         const locant_attention *a, struct some of)
{
    struct lct_positions q = lct_positions_of_queries(p, a),
        k = lct_positions_of_keys(p, a);
    int64_t most = longest(p, &q, of), other = longest(p, &k, of);

    most = other > most ? other : most;
    return most == INT64_MAX ? most : most + 1;
}

/*
 * First that of padding, and of keys that no query is with: nobody sees it, but
 * gradients of 0 get their sign from it.
 */
static locant_status find_lengths(struct lct_problem *p,
                                  const locant_attention *a)
{
    struct lct_positions q = lct_positions_of_queries(p, a);
    struct some of = { 0, -1 };

    LCT_TRY(lct_lengths_add(&p->lengths, p->fn, 1));
    for (; of.row < p->position_rows; of.row++, of.doc = -1)
        for (int64_t i = 0; i < p->T; i++) {
            int64_t doc = lct_positions_document(&q, of.row, i);

            if (doc < 0 || doc == of.doc)
                continue;
            of.doc = doc;
            LCT_TRY(lct_lengths_add(&p->lengths, p->fn, length_of(p, a, of)));
        }
    return LOCANT_OK;
}

locant_status lct_schedules_plan(struct lct_problem *p,
                                 const locant_attention *a,
                                 const locant_encoding *leaf)
{
    if (leaf->row->schedule.create == NULL)
        return LOCANT_OK;
    if (!lct_lengths_matter(leaf))
        return lct_schedule_of(&p->schedule, leaf, p->fn, p->D,
                               length_of(p, a, (struct some){ -1, -1 }));
    p->lengths.e = leaf;
    p->lengths.head_dim = p->D;
    LCT_TRY(find_lengths(p, a));
    p->schedule = p->lengths.of[0];
    return LOCANT_OK;
}

/* The schedule of each of some tokens of a row. */
static void fill_schedules(const struct lct_schedule **by,
                           const struct lct_problem *p,
                           const locant_attention *a,
                           const struct lct_positions *t, int64_t row)
{
    for (int64_t i = 0; i < t->n; i++) {
        struct some of = { row, lct_positions_document(t, row, i) };

        if (i > 0 && of.doc == lct_positions_document(t, row, i - 1)) {
            by[i] = by[i - 1];
            continue;
        }
        by[i] = of.doc < 0 ? NULL
                           : lct_lengths_find(&p->lengths,
                                              length_of(p, a, of));
        if (by[i] == NULL)
            by[i] = p->schedule;
    }
}

/* ------------------------------------------------------------------ filling */

static void fill(int64_t *pos, double *coords, int64_t *docs, int axes,
                 const struct lct_positions *t, int64_t row)
{
    struct lct_positions_row r = lct_positions_row_of(t, row);

    for (int64_t i = 0; i < t->n; i++)
        pos[i] = lct_positions_row_at(&r, i);
    for (int64_t i = 0; coords != NULL && i < t->n; i++)
        for (int c = 0; c < axes; c++)
            coords[i * axes + c] = lct_positions_row_coord(&r, i, c);
    for (int64_t i = 0; docs != NULL && i < t->n; i++)
        docs[i] = lct_positions_document(t, row, i);
}

/* The largest position among the keys of each query's document. */
static void fill_last(const struct lct_problem *p, int64_t row)
{
    const int64_t *q_docs = p->q_docs + row * p->T, *pos = p->k_pos;
    const int64_t *docs = p->k_docs + row * p->S;
    int64_t *last = p->q_last + row * p->T;

    pos += row * p->S;
    for (int64_t i = 0; i < p->T; i++) {
        bool any = false;

        last[i] = i > 0 && q_docs[i] == q_docs[i - 1] ? last[i - 1]
                                                     : p->last[row];
        if (i > 0 && q_docs[i] == q_docs[i - 1])
            continue;
        for (int64_t j = 0; j < p->S; j++)
            if (docs[j] == q_docs[i] && (!any || pos[j] > last[i])) {
                last[i] = pos[j];
                any = true;
            }
    }
}

void lct_positions_fill(struct lct_problem *p, const locant_attention *a)
{
    struct lct_positions q = lct_positions_of_queries(p, a),
        k = lct_positions_of_keys(p, a);

    for (int64_t row = 0; row < p->position_rows; row++) {
        int64_t t = row * p->T, s = row * p->S;

        fill(p->q_pos + t, p->q_coords ? p->q_coords + t * p->axes : NULL,
             p->documents ? p->q_docs + t : NULL, p->axes, &q, row);
        fill(p->k_pos + s, p->k_coords ? p->k_coords + s * p->axes : NULL,
             p->documents ? p->k_docs + s : NULL, p->axes, &k, row);
        if (p->q_by != NULL)
            fill_schedules(p->q_by + t, p, a, &q, row);
        if (p->q_by != NULL && !p->keys_turned)
            fill_schedules(p->k_by + s, p, a, &k, row);
        p->last[row] = lct_positions_extent(&k, row).high;
        if (p->q_last != NULL)
            fill_last(p, row);
        for (int64_t i = 0; p->tau != NULL && i < p->T; i++)
            p->tau[t + i] = p->heat->row->scale.of_query(p->heat,
                                                      p->q_pos[t + i]);
    }
}
