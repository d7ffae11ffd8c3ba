/* schedules.c - the schedule of rotation of each query and key */
#include "schedules.h"
#include "positions.h"
#include <math.h>

/* The tokens of one row and document; -1: of all rows, of all documents. */
struct tokens {
    int64_t row, doc;
};

/* The largest position of these tokens, at least 0. */
static int64_t largest_position(const struct lct_plan *p,
                                const struct lct_positions *t, struct tokens of)
{
    int64_t row = of.row < 0 ? 0 : of.row, most = 0;
    int64_t end = of.row < 0 ? p->position_rows : row + 1;
    bool by_coords = t->coords != NULL && p->request->axes == 1;

    for (; row < end; row++)
        for (int64_t i = 0; i < t->n; i++) {
            int64_t doc = lct_positions_doc(t, row, i), at;

            if (doc < 0 || (of.doc >= 0 && doc != of.doc))
                continue;
            at = by_coords ? (int64_t)floor(lct_positions_coords(t, row, i)[0])
                           : lct_positions_at(t, row, i);
            most = at > most ? at : most;
        }
    return most;
}

/* The length of a sequence that ends with the largest position. */
static int64_t length_of(const struct lct_plan *p, struct tokens of)
{
    struct lct_positions q = lct_positions_of(p->request, LCT_QUERY);
    struct lct_positions k = lct_positions_of(p->request, LCT_KEY);
    int64_t q_most = largest_position(p, &q, of);
    int64_t k_most = largest_position(p, &k, of);
    int64_t most = k_most > q_most ? k_most : q_most;

    return most == INT64_MAX ? most : most + 1;
}

/*
 * The first schedule, of length 1, is for padding and for keys whose document
 * has no query.  No query sees these tokens, but their schedule decides the
 * sign of their zero gradients.
 */
static locant_status find_lengths(struct lct_plan *p)
{
    struct lct_positions q = lct_positions_of(p->request, LCT_QUERY);
    struct tokens of = { 0, -1 };

    LCT_TRY(lct_lengths_add(&p->lengths, p->request->fn, 1));
    for (; of.row < p->position_rows; of.row++, of.doc = -1)
        for (int64_t i = 0; i < p->T; i++) {
            int64_t doc = lct_positions_doc(&q, of.row, i);

            if (doc < 0 || doc == of.doc)
                continue;
            of.doc = doc;
            LCT_TRY(
                lct_lengths_add(&p->lengths, p->request->fn, length_of(p, of)));
        }
    return LOCANT_OK;
}

/* Plan the rotate door; a general map finds its schedule in 'e', not in p. */
static locant_status plan_rotate(struct lct_plan *p, const locant_encoding *e)
{
    const struct lct_schedule *kept;
    const char *fn = p->request->fn;

    if (e->row->schedule.create == NULL)
        return LOCANT_OK;
    if (p->request->general_map)
        return lct_schedule_of(&kept, e, fn, p->D, 0);
    if (!lct_lengths_matter(e))
        return lct_schedule_of(&p->schedule, e, fn, p->D,
                               length_of(p, (struct tokens){ -1, -1 }));
    p->lengths.e = e;
    p->lengths.head_dim = p->D;
    LCT_TRY(find_lengths(p));
    p->schedule = p->lengths.of[0];
    return LOCANT_OK;
}

/* Plan the content door: it rotates by a schedule or makes its basis of it. */
static locant_status plan_content(struct lct_plan *p, const locant_encoding *e)
{
    const struct lct_schedule *kept;
    const char *fn = p->request->fn;
    bool near_far = e->row->content.near_far != NULL;

    if (e->row->schedule.create == NULL)
        return LOCANT_OK;
    if (near_far && p->engine != LCT_REFERENCE)
        return lct_schedule_of(&p->schedule, e, fn, p->D, 0);
    return lct_schedule_of(&kept, e, fn, near_far ? p->D : p->W, 0);
}

locant_status lct_schedules_plan(struct lct_plan *p)
{
    const struct lct_request *r = p->request;

    if (r->rotate != NULL)
        LCT_TRY(plan_rotate(p, r->rotate->e));
    if (r->content != NULL)
        return plan_content(p, r->content->e);
    return LOCANT_OK;
}

void lct_schedules_fill(const struct lct_schedule **by,
                        const struct lct_plan *p, enum lct_role role,
                        int64_t row)
{
    const struct lct_positions t = lct_positions_of(p->request, role);

    for (int64_t i = 0; i < t.n; i++) {
        struct tokens of = { row, lct_positions_doc(&t, row, i) };

        if (i > 0 && of.doc == lct_positions_doc(&t, row, i - 1)) {
            by[i] = by[i - 1];
            continue;
        }
        by[i] =
            of.doc < 0 ? NULL : lct_lengths_find(&p->lengths, length_of(p, of));
        if (by[i] == NULL)
            by[i] = p->schedule;
    }
}
