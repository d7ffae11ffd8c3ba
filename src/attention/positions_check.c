/* positions_check.c - what encodings refuse of positions and coordinates */
#include "positions.h"
#include <inttypes.h>

/* What a leaf is asked about: positions, or coordinates towards 0. */
struct question {
    const locant_encoding *leaf;
    const locant_tensor *params;
    bool coords;
};

/* Ask about n tokens from 'first' on, room for which is at 'pos'. */
static locant_status ask(const struct question *q, const char *fn,
                         const struct lct_positions_row *r, int64_t first,
                         int64_t n, int64_t *pos)
{
    for (int64_t i = 0; i < n; i++)
        pos[i] = q->coords ? (int64_t)lct_positions_row_coord(r, first + i, 0)
                             : lct_positions_row_at(r, first + i);
    return q->leaf->row->positions.check(q->leaf, fn, pos, (size_t)n,
                                         q->params);
}

/* Ask about the whole row, for a sentence that tells where in it. */
static locant_status ask_again(const struct question *q, const char *fn,
                               const struct lct_positions_row *r)
{
    int64_t n = r->t->n, *pos = locant_alloc((size_t)n * sizeof(*pos));
    locant_status status;

    if (pos == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %" PRId64
                           " positions", fn, n);
    status = ask(q, fn, r, 0, n, pos);
    locant_release(pos);
    return status;
}

/* By chunks on the stack: a call that is fine allocates nothing. */
static locant_status check_known(const struct lct_problem *p,
                                 const struct lct_positions *t,
                                 const struct question *q)
{
    int64_t pos[256], most = (int64_t)(sizeof(pos) / sizeof(*pos)), i;

    for (int64_t row = 0; row < p->position_rows; row++) {
        struct lct_positions_row r = lct_positions_row_of(t, row);

        i = 0;
        do {
            int64_t n = t->n - i < most ? t->n - i : most;
            locant_status status = ask(q, p->fn, &r, i, n, pos);

            if (status != LOCANT_OK)
                return i == 0 ? status : ask_again(q, p->fn, &r);
            i += n;
        } while (i < t->n);
    }
    return LOCANT_OK;
}

locant_status lct_positions_check_known(const struct lct_problem *p,
                                        const locant_attention *a,
                                        const locant_encoding *leaf,
                                        const locant_tensor *params)
{
    struct lct_positions q = lct_positions_of_queries(p, a),
        k = lct_positions_of_keys(p, a);
    struct question question = { leaf, params, false };

    if (leaf->row->positions.check == NULL)
        return LOCANT_OK;
    if (leaf->doors == LOCANT_DOOR_ROTATE && a->q_coords != NULL) {
        if (p->axes > 1) /* what it refuses are flat positions */
            return LOCANT_OK;
        question.coords = true;
    }
    LCT_TRY(check_known(p, &q, &question));
    return check_known(p, &k, &question);
}

/* Does a key follow one of the queries i to 'end', all of one document? */
static bool follows(const struct lct_positions *q,
                    const struct lct_positions *k, int64_t row, int64_t i,
                    int64_t end)
{
    int64_t doc = lct_positions_document(q, row, i),
        low = lct_positions_at(q, row, i);

    for (; i < end; i++)
        low = lct_positions_at(q, row, i) < low ? lct_positions_at(q, row, i)
            : low;
    for (int64_t j = 0; doc >= 0 && j < k->n; j++)
        if (lct_positions_document(k, row, j) == doc &&
            lct_positions_at(k, row, j) > low)
            return true;
    return false;
}

bool lct_positions_check_keys_follow(const struct lct_problem *p,
                                     const locant_attention *a)
{
    struct lct_positions q = lct_positions_of_queries(p, a),
        k = lct_positions_of_keys(p, a);

    for (int64_t row = 0; row < p->position_rows && p->S > 0; row++) {
        if (p->T == 0 || lct_positions_extent(&k, row).high <=
            lct_positions_extent(&q, row).low)
            continue;
        if (!p->documents)
            return true;
        for (int64_t i = 0, end; i < p->T; i = end) {
            int64_t doc = lct_positions_document(&q, row, i);

            for (end = i + 1; end < p->T && lct_positions_document(&q, row,
                                                                   end) == doc;
                 end++)
                ;
            if (follows(&q, &k, row, i, end))
                return true;
        }
    }
    return false;
}

static bool is_own(const struct lct_positions *q, const struct lct_positions *k,
                   int64_t row, int64_t i, int64_t j)
{
    return lct_positions_at(q, row, i) == lct_positions_at(k, row, j) &&
           lct_positions_document(q, row, i) ==
               lct_positions_document(k, row, j);
}

locant_status lct_positions_check_own_keys(const struct lct_problem *p,
                                           const locant_attention *a,
                                           const locant_encoding *leaf)
{
    struct lct_positions q = lct_positions_of_queries(p, a),
        k = lct_positions_of_keys(p, a);

    for (int64_t row = 0; row < p->position_rows; row++)
        for (int64_t i = 0; i < p->T; i++) {
            int64_t j = p->S - p->T + i; /* where it is mostly */

            if (lct_positions_document(&q, row, i) < 0 ||
                (j >= 0 && is_own(&q, &k, row, i, j)))
                continue;
            for (j = 0; j < p->S && !is_own(&q, &k, row, i, j); j++)
                ;
            if (j == p->S)
                return locant_fail(LOCANT_ERR_PARAM, "%s: no key sits at the "
                                   "position %" PRId64 " of query %" PRId64
                                   ", expected one: %s reads the input there",
                                   p->fn, lct_positions_at(&q, row, i), i,
                                   leaf->row->info.name);
        }
    return LOCANT_OK;
}
