/*
 * ragged.c - packed sequences of different lengths: a call for each of them.
 *
 * No tile holds tokens of two sequences, so nothing is computed for padding or
 * for pairs of different sequences, and the bits are those of the calls.
 */
#include "locant/ragged.h"
#include "../core/tensor.h"
#include "outputs.h"
#include "paged.h"
#include "problem.h"
#include <inttypes.h>

/* The arguments of one public call. */
struct ragged {
    const char *fn;
    const locant_attention *a;
    const locant_ragged *lengths;
    const locant_tensor *cu_q, *cu_k; /* of 'lengths' */
    int64_t n;                        /* sequences */
    enum lct_pass pass;
    const locant_tensor *out, *lse, *dout; /* dout: backward only */
    const locant_attention_gradients *g;   /* backward only */
};

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

/* A tensor and how it is cut: by which lengths, in which dimension. */
struct part {
    const char *name;
    const locant_tensor *t;
    int from_last; /* dimensions after that of the tokens; DENSE */
    bool keys;
};
enum { DENSE = -1 }; /* [1, H or 1, T or 1, S or 1]: cut in two dimensions */

/* All tensors of a call that have a dimension of tokens. */
enum {
    Q,
    OUT,
    LSE,
    DOUT,
    DQ,
    Q_POS,
    Q_DOCS,
    Q_COORDS,
    K,
    V,
    DK,
    DV,
    K_POS,
    K_DOCS,
    K_COORDS,
    X,
    DX,
    DQ_COORDS,
    DK_COORDS,
    BIAS,
    VISIBLE,
    DBIAS,
    PARTS
};

static void parts_of(struct part out[PARTS], const struct ragged *r)
{
    const locant_attention_gradients none = { 0 };
    const locant_attention_gradients *g = r->g == NULL ? &none : r->g;
    const locant_attention *a = r->a;
    const struct part all[] = {
        [Q] = { "q", a->q, 1, false },
        [OUT] = { "out", r->out, 1, false },
        [LSE] = { "lse", r->lse, 0, false },
        [DOUT] = { "dout", r->dout, 1, false },
        [DQ] = { "dq", g->dq, 1, false },
        [Q_POS] = { "q_pos", a->q_pos, 0, false },
        [Q_DOCS] = { "q_docs", a->q_docs, 0, false },
        [Q_COORDS] = { "q_coords", a->q_coords, 1, false },
        [K] = { "k", a->k, 1, true },
        [V] = { "v", a->v, 1, true },
        [DK] = { "dk", g->dk, 1, true },
        [DV] = { "dv", g->dv, 1, true },
        [K_POS] = { "k_pos", a->k_pos, 0, true },
        [K_DOCS] = { "k_docs", a->k_docs, 0, true },
        [K_COORDS] = { "k_coords", a->k_coords, 1, true },
        [X] = { "x", a->x, 1, true },
        [DX] = { "dx", g->dx, 1, true },
        [DQ_COORDS] = { "dq_coords", g->dq_coords, 1, false },
        [DK_COORDS] = { "dk_coords", g->dk_coords, 1, true },
        [BIAS] = { "bias", a->bias, DENSE, true },
        [VISIBLE] = { "visible", a->visible, DENSE, true },
        [DBIAS] = { "dbias", g->dbias, DENSE, true },
    };

    for (int i = 0; i < PARTS; i++)
        out[i] = all[i];
}

/* With a block table, arguments of keys have a row per sequence or one. */
static locant_status check_rows(const struct ragged *r, const struct part *part)
{
    const locant_tensor *t = part->t;

    if (t == NULL || t == r->a->k || t == r->a->v ||
        (part->from_last != DENSE && t->rank < part->from_last + 2) ||
        t->shape[0] == 1 || t->shape[0] == r->n)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_SHAPE,
                       "%s: %s has %" PRId64
                       " rows, expected 1 or one for each of %" PRId64
                       " sequences",
                       r->fn, part->name, t->shape[0], r->n);
}

/* A dense bias or mask has all queries or 1, and all keys or 1. */
static locant_status check_dense(const struct ragged *r,
                                 const struct part *part)
{
    const locant_tensor *t = part->t;

    if (t == NULL)
        return LOCANT_OK;
    if (t->rank != 4)
        return locant_fail(LOCANT_ERR_SHAPE, "%s: %s has rank %d, expected 4",
                           r->fn, part->name, (int)t->rank);
    if (t->shape[2] != 1)
        LCT_TRY(check_size(r->fn, part->name, t, 1, r->a->q->shape[2]));
    if (r->a->block_table != NULL)
        return check_rows(r, part);
    if (t->shape[3] != 1)
        return check_size(r->fn, part->name, t, 0, r->a->k->shape[2]);
    if (part->t != r->a->bias && part->t != r->a->visible && t->shape[2] == 1 &&
        r->n > 1)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: a bias that all queries and keys share has no "
                           "gradient summed over sequences, expected dbias to "
                           "be NULL",
                           r->fn);
    return LOCANT_OK;
}

static locant_status check_parts(const struct ragged *r)
{
    bool paged = r->a->block_table != NULL;
    struct part part[PARTS];

    parts_of(part, r);
    for (int i = 0; i < PARTS; i++)
        if (part[i].from_last == DENSE)
            LCT_TRY(check_dense(r, &part[i]));
        else if (part[i].keys && paged)
            LCT_TRY(check_rows(r, &part[i]));
        else
            LCT_TRY(check_size(
                r->fn, part[i].name, part[i].t, part[i].from_last,
                part[i].keys ? r->a->k->shape[2] : r->a->q->shape[2]));
    return LOCANT_OK;
}

/* Slices of one sequence are checked in its call; these are of different ones.
 */
static locant_status check_apart(const struct ragged *r)
{
    static const int written[] = { OUT, LSE,       DQ,        DK,   DV,
                                   DX,  DQ_COORDS, DK_COORDS, DBIAS };
    struct part part[PARTS];
    /* out and lse are read in backward */
    size_t first = r->pass == LCT_PASS_BACKWARD ? 2 : 0;

    parts_of(part, r);
    for (size_t i = first; i < sizeof(written) / sizeof(*written); i++) {
        const locant_tensor *to = part[written[i]].t;

        for (int n = 0; n < PARTS && to != NULL; n++)
            if (part[n].t != NULL && part[n].t != to)
                LCT_TRY(lct_check_apart(r->fn, to, part[n].t));
    }
    return LOCANT_OK;
}

static locant_status check_lengths(struct ragged *r)
{
    const locant_attention *a = r->a;
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

/* ---------------------------------------------------------------- sequences */

/* 'n' of t from 'from' on in dimension 'dim'. */
static locant_tensor slice(const locant_tensor *t, int dim, int64_t from,
                           int64_t n)
{
    locant_tensor s = *t;

    s.shape[dim] = n;
    if (n > 0 && t->data != NULL)
        s.data = (char *)t->data +
                 from * t->stride[dim] * (int64_t)locant_dtype_size(t->dtype);
    return s;
}

/* The call of one sequence; 'part' holds its slices, so it must not move. */
struct sequence {
    locant_attention a;
    locant_attention_gradients g;
    locant_tensor slice[PARTS], table, length;
    locant_tensor *part[PARTS]; /* NULL: not given */
};

/* Arguments of keys of a paged cache: a row per sequence, or one for all. */
static locant_tensor slice_of_paged(const struct part *part, int64_t s)
{
    int rank = part->from_last + 2;

    if (part->t->rank < rank || part->t->shape[0] == 1)
        return *part->t;
    return slice(part->t, 0, s, 1);
}

/* The slice of a dense bias or mask: what all tokens share is left whole. */
static locant_tensor slice_dense(const struct ragged *r, const locant_tensor *t,
                                 int64_t s)
{
    int64_t q = lct_paged_integer(r->cu_q, 0, s), k;
    locant_tensor cut = *t;

    if (t->shape[2] != 1)
        cut = slice(&cut, 2, q, lct_paged_integer(r->cu_q, 0, s + 1) - q);
    if (r->a->block_table != NULL)
        return t->shape[0] == 1 ? cut : slice(&cut, 0, s, 1);
    k = lct_paged_integer(r->cu_k, 0, s);
    return t->shape[3] == 1
               ? cut
               : slice(&cut, 3, k, lct_paged_integer(r->cu_k, 0, s + 1) - k);
}

static void cut(struct sequence *x, const struct ragged *r, int64_t s)
{
    bool paged = r->a->block_table != NULL;
    struct part part[PARTS];

    parts_of(part, r);
    for (int i = 0; i < PARTS; i++) {
        const locant_tensor *cu = part[i].keys ? r->cu_k : r->cu_q;
        bool pool = paged && part[i].keys;
        int64_t from = pool ? 0 : lct_paged_integer(cu, 0, s);

        x->part[i] = NULL;
        if (part[i].t == NULL)
            continue;
        x->part[i] = &x->slice[i];
        if (part[i].from_last == DENSE)
            x->slice[i] = slice_dense(r, part[i].t, s);
        else if (!pool)
            x->slice[i] =
                slice(part[i].t, part[i].t->rank - 1 - part[i].from_last, from,
                      lct_paged_integer(cu, 0, s + 1) - from);
        else if (part[i].t == r->a->k || part[i].t == r->a->v)
            x->slice[i] = *part[i].t;
        else
            x->slice[i] = slice_of_paged(&part[i], s);
    }
}

static void sequence_of(struct sequence *x, const struct ragged *r, int64_t s)
{
    cut(x, r, s);
    x->a = *r->a;
    x->a.q = x->part[Q];
    x->a.k = x->part[K];
    x->a.v = x->part[V];
    x->a.q_pos = x->part[Q_POS];
    x->a.k_pos = x->part[K_POS];
    x->a.q_docs = x->part[Q_DOCS];
    x->a.k_docs = x->part[K_DOCS];
    x->a.q_coords = x->part[Q_COORDS];
    x->a.k_coords = x->part[K_COORDS];
    x->a.x = x->part[X];
    x->a.bias = x->part[BIAS];
    x->a.visible = x->part[VISIBLE];
    if (r->a->block_table != NULL) {
        x->table = slice(r->a->block_table, 0, s, 1);
        x->length = slice(r->a->lengths, 0, s, 1);
        x->a.block_table = &x->table;
        x->a.lengths = &x->length;
    }
    if (r->g == NULL)
        return;
    x->g = *r->g;
    x->g.dq = x->part[DQ];
    x->g.dk = x->part[DK];
    x->g.dv = x->part[DV];
    x->g.dx = x->part[DX];
    x->g.dq_coords = x->part[DQ_COORDS];
    x->g.dk_coords = x->part[DK_COORDS];
    x->g.dbias = x->part[DBIAS];
}

/* Check the call of a sequence; *bytes grows to its workspace. */
static locant_status check_sequence(const struct ragged *r, int64_t s,
                                    void *workspace, size_t bytes,
                                    size_t *needed)
{
    struct sequence one;
    struct lct_problem x;
    locant_status status = LOCANT_OK;
    unsigned dtype;

    sequence_of(&one, r, s);
    LCT_TRY(lct_problem_begin(&x, r->fn, &one.a, r->pass, workspace, bytes));
    dtype = 1u << x.request.q.dtype;
    *needed = x.plan.bytes > *needed ? x.plan.bytes : *needed;
    if (r->g != NULL)
        status =
            lct_outputs_check_gradients(&x.plan, &one.g, one.part[DOUT],
                                        one.part[OUT], one.part[LSE], dtype);
    else if (workspace != NULL)
        status =
            lct_outputs_check(&x.plan, one.part[OUT], one.part[LSE], dtype);
    lct_problem_end(&x);
    return status;
}

/* Check everything. */
static locant_status check(struct ragged *r, void *workspace, size_t bytes,
                           size_t *needed)
{
    LCT_TRY(check_lengths(r));
    LCT_TRY(check_parts(r));
    LCT_TRY(check_apart(r));
    *needed = 0;
    for (int64_t s = 0; s < r->n; s++)
        LCT_TRY(check_sequence(r, s, workspace, bytes, needed));
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- public */

locant_status locant_attention_ragged_workspace(size_t *bytes,
                                                const locant_attention *a,
                                                const locant_ragged *lengths)
{
    struct ragged r = { .fn = "locant_attention_ragged_workspace",
                        .a = a,
                        .lengths = lengths,
                        .pass = LCT_PASS_FORWARD };
    size_t needed;

    if (bytes == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: bytes is NULL", r.fn);
    LCT_TRY(check(&r, NULL, 0, &needed));
    *bytes = needed;
    return LOCANT_OK;
}

locant_status locant_attention_ragged_forward(locant_tensor *out,
                                              locant_tensor *lse,
                                              const locant_attention *a,
                                              const locant_ragged *lengths,
                                              void *workspace, size_t bytes)
{
    struct ragged r = { .fn = "locant_attention_ragged_forward",
                        .a = a,
                        .lengths = lengths,
                        .pass = LCT_PASS_FORWARD,
                        .out = out,
                        .lse = lse };
    size_t needed;

    if (workspace == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: workspace is NULL", r.fn);
    if (out == NULL || lse == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", r.fn,
                           out == NULL ? "out" : "lse");
    LCT_TRY(check(&r, workspace, bytes, &needed));
    for (int64_t s = 0; s < r.n; s++) {
        struct sequence one;

        sequence_of(&one, &r, s);
        LCT_TRY(locant_attention_forward(one.part[OUT], one.part[LSE], &one.a,
                                         workspace, bytes));
    }
    return LOCANT_OK;
}

locant_status locant_attention_ragged_backward(
    const locant_attention_gradients *gradients, const locant_tensor *dout,
    const locant_tensor *out, const locant_tensor *lse,
    const locant_attention *a, const locant_ragged *lengths, void *workspace,
    size_t bytes)
{
    struct ragged r = { .fn = "locant_attention_ragged_backward",
                        .a = a,
                        .lengths = lengths,
                        .pass = LCT_PASS_BACKWARD,
                        .out = out,
                        .lse = lse,
                        .dout = dout,
                        .g = gradients };
    size_t needed;

    if (workspace == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: workspace is NULL", r.fn);
    if (gradients == NULL || dout == NULL || out == NULL || lse == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", r.fn,
                           gradients == NULL ? "gradients"
                           : dout == NULL    ? "dout"
                           : out == NULL     ? "out"
                                             : "lse");
    LCT_TRY(check(&r, workspace, bytes, &needed));
    for (int64_t s = 0; s < r.n; s++) {
        struct sequence one;

        sequence_of(&one, &r, s);
        LCT_TRY(locant_attention_backward(&one.g, one.part[DOUT], one.part[OUT],
                                          one.part[LSE], &one.a, workspace,
                                          bytes));
    }
    return LOCANT_OK;
}
