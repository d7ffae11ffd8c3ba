/* ragged_tensors.c - the tensors of packed sequences, and their checks */
#include "ragged_tensors.h"
#include "../core/tensor.h"
#include "paged.h"
#include <inttypes.h>
#include <string.h>

/* clang-format off */
#define PART(name_, member_, from_last_, keys_, written_)                  \
    { .name = name_, .member = offsetof(struct lct_ragged_call, member_), \
      .from_last = (from_last_), .keys = (keys_),                          \
      .written = LCT_RAGGED_##written_ }
/* clang-format on */

const struct lct_ragged_tensor lct_ragged_tensors[LCT_RAGGED_TENSORS] = {
    [LCT_RAGGED_OUT] = PART("out", out, 1, false, FORWARD),
    [LCT_RAGGED_LSE] = PART("lse", lse, 0, false, FORWARD),
    PART("q", a.q, 1, false, READ),
    PART("dout", dout, 1, false, READ),
    PART("dq", g.dq, 1, false, BACKWARD),
    PART("q_pos", a.q_pos, 0, false, READ),
    PART("q_docs", a.q_docs, 0, false, READ),
    PART("q_coords", a.q_coords, 1, false, READ),
    PART("k", a.k, 1, true, READ),
    PART("v", a.v, 1, true, READ),
    PART("dk", g.dk, 1, true, BACKWARD),
    PART("dv", g.dv, 1, true, BACKWARD),
    PART("k_pos", a.k_pos, 0, true, READ),
    PART("k_docs", a.k_docs, 0, true, READ),
    PART("k_coords", a.k_coords, 1, true, READ),
    PART("x", a.x, 1, true, READ),
    PART("dx", g.dx, 1, true, BACKWARD),
    PART("dq_coords", g.dq_coords, 1, false, BACKWARD),
    PART("dk_coords", g.dk_coords, 1, true, BACKWARD),
    PART("bias", a.bias, LCT_RAGGED_DENSE, true, READ),
    PART("visible", a.visible, LCT_RAGGED_DENSE, true, READ),
    PART("dbias", g.dbias, LCT_RAGGED_DENSE, true, BACKWARD),
};

const locant_tensor *
lct_ragged_tensors_given(const struct lct_ragged_call *c,
                         const struct lct_ragged_tensor *part)
{
    const locant_tensor *t;

    memcpy(&t, (const char *)c + part->member, sizeof(t));
    return t;
}

/* ------------------------------------------------------------------- checks */

static locant_status check_cumulative(const char *fn, const char *name,
                                      const locant_tensor *cu, int64_t n,
                                      int64_t tokens)
{
    int64_t before = 0;

    LCT_TRY(lct_check(fn, name, cu, LCT_IN_I64 | LCT_IN_I32, 1, &n));
    for (int64_t s = 0; s < n; s++) {
        int64_t at = lct_paged_integer(cu, 0, s);

        if (s == 0 && at != 0)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: entry 0 of %s is %" PRId64 ", expected 0",
                               fn, name, at);
        if (at < before || at > tokens)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: entry %" PRId64 " of %s is %" PRId64
                               ", expected %" PRId64 " to %" PRId64
                               ", none below the one before it",
                               fn, s, name, at, before, tokens);
        before = at;
    }
    if (before == tokens)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: the last entry of %s is %" PRId64
                       ", expected the number of tokens, %" PRId64,
                       fn, name, before, tokens);
}

/* t, unless NULL, has 'size' in dimension 'dim' from its last one on. */
static locant_status check_size(const char *fn, const char *name,
                                const locant_tensor *t, int from_last,
                                int64_t size)
{
    int dim = t == NULL ? 0 : t->rank - 1 - from_last;

    if (t == NULL || (dim >= 0 && dim < LOCANT_MAX_RANK &&
                      t->rank <= LOCANT_MAX_RANK && t->shape[dim] == size))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_SHAPE,
                       "%s: %s has size %" PRId64
                       " in dimension %d, expected %" PRId64,
                       fn, name, dim < 0 ? 0 : t->shape[dim], dim, size);
}

/* With a block table, arguments of keys have a row per sequence or one. */
static locant_status check_rows(const struct lct_ragged *r,
                                const struct lct_ragged_tensor *part)
{
    const locant_tensor *t = lct_ragged_tensors_given(&r->all, part);

    if (t == NULL || t == r->all.a.k || t == r->all.a.v ||
        (part->from_last != LCT_RAGGED_DENSE &&
         t->rank < part->from_last + 2) ||
        t->shape[0] == 1 || t->shape[0] == r->n)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_SHAPE,
                       "%s: %s has %" PRId64
                       " rows, expected 1 or one for each of %" PRId64
                       " sequences",
                       r->fn, part->name, t->shape[0], r->n);
}

/* A dense bias or mask has all queries or 1, and all keys or 1. */
static locant_status check_dense(const struct lct_ragged *r,
                                 const struct lct_ragged_tensor *part)
{
    const locant_tensor *t = lct_ragged_tensors_given(&r->all, part);

    if (t == NULL)
        return LOCANT_OK;
    if (t->rank != 4)
        return locant_fail(LOCANT_ERR_SHAPE, "%s: %s has rank %d, expected 4",
                           r->fn, part->name, (int)t->rank);
    if (t->shape[2] != 1)
        LCT_TRY(check_size(r->fn, part->name, t, 1, r->all.a.q->shape[2]));
    if (r->all.a.block_table != NULL)
        return check_rows(r, part);
    if (t->shape[3] != 1)
        return check_size(r->fn, part->name, t, 0, r->all.a.k->shape[2]);
    if (part->written == LCT_RAGGED_BACKWARD && t->shape[2] == 1 && r->n > 1)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: a bias that all queries and keys share has no "
                           "gradient summed over sequences, expected dbias to "
                           "be NULL",
                           r->fn);
    return LOCANT_OK;
}

static locant_status check_parts(const struct lct_ragged *r)
{
    const locant_attention *a = &r->all.a;

    for (const struct lct_ragged_tensor *part = lct_ragged_tensors;
         part < lct_ragged_tensors + LCT_RAGGED_TENSORS; part++)
        if (part->from_last == LCT_RAGGED_DENSE)
            LCT_TRY(check_dense(r, part));
        else if (part->keys && a->block_table != NULL)
            LCT_TRY(check_rows(r, part));
        else
            LCT_TRY(check_size(
                r->fn, part->name, lct_ragged_tensors_given(&r->all, part),
                part->from_last, part->keys ? a->k->shape[2] : a->q->shape[2]));
    return LOCANT_OK;
}

/* Slices of one sequence are checked in its call; these are of different ones.
 */
static locant_status check_apart(const struct lct_ragged *r)
{
    const enum lct_ragged_written written =
        r->pass == LCT_PASS_BACKWARD ? LCT_RAGGED_BACKWARD : LCT_RAGGED_FORWARD;

    for (int i = 0; i < LCT_RAGGED_TENSORS; i++) {
        const locant_tensor *to =
            lct_ragged_tensors_given(&r->all, &lct_ragged_tensors[i]);

        if (to == NULL || lct_ragged_tensors[i].written != written)
            continue;
        for (int n = 0; n < LCT_RAGGED_TENSORS; n++) {
            const locant_tensor *t =
                lct_ragged_tensors_given(&r->all, &lct_ragged_tensors[n]);

            if (t != NULL && t != to)
                LCT_TRY(lct_check_apart(r->fn, to, t));
        }
    }
    return LOCANT_OK;
}

static locant_status check_lengths(struct lct_ragged *r,
                                   const locant_attention *a)
{
    int64_t any[4] = { 1, -1, -1, -1 };

    if (a == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: the problem is NULL", r->fn);
    if (r->lengths == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: lengths is NULL", r->fn);
    if (a->state != NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: state is of one text, expected NULL with "
                           "packed sequences",
                           r->fn);
    r->all.a = *a;
    r->cu_q = r->lengths->cu_q;
    r->cu_k = r->lengths->cu_k;
    LCT_TRY(lct_check(r->fn, "q", a->q, LCT_IN_FLOAT, 4, any));
    any[0] = a->block_table == NULL ? 1 : -1;
    LCT_TRY(lct_check(r->fn, "k", a->k, LCT_IN_FLOAT, 4, any));
    LCT_TRY(lct_check(r->fn, "cu_q", r->cu_q, LCT_IN_I64 | LCT_IN_I32, 1,
                      (int64_t[]){ -1 }));
    r->n = r->cu_q->shape[0] - 1;
    if (r->n < 0)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: cu_q is empty, expected an entry more than "
                           "there are sequences",
                           r->fn);
    LCT_TRY(check_cumulative(r->fn, "cu_q", r->cu_q, r->n + 1, a->q->shape[2]));
    if (a->block_table == NULL)
        return check_cumulative(r->fn, "cu_k", r->cu_k, r->n + 1,
                                a->k->shape[2]);
    if (r->cu_k != NULL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: cu_k is given with a block table, expected "
                           "NULL: 'lengths' has the keys of each sequence",
                           r->fn);
    LCT_TRY(check_size(r->fn, "block_table", a->block_table, 1, r->n));
    return check_size(r->fn, "lengths", a->lengths, 0, r->n);
}

locant_status lct_ragged_tensors_check(struct lct_ragged *r,
                                       const locant_attention *a)
{
    LCT_TRY(check_lengths(r, a));
    LCT_TRY(check_parts(r));
    return check_apart(r);
}
