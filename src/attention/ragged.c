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
#include <string.h>

/* The arguments of a call of locant_attention_forward() or _backward(). */
struct call {
    locant_attention a;
    const locant_tensor *out, *lse, *dout; /* dout: backward only */
    locant_attention_gradients g;          /* backward only */
};

/* The arguments of one public call. */
struct ragged {
    const char *fn;
    const locant_ragged *lengths;
    const locant_tensor *cu_q, *cu_k; /* of 'lengths' */
    int64_t n;                        /* sequences */
    enum lct_pass pass;
    struct call all; /* all sequences; check_lengths() sets 'a' */
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

/* ------------------------------------------------------------------ tensors */

/* Outputs are written in forward, gradients in backward. */
enum written { READ, OUTPUT, GRADIENT };

/* A tensor of a call and how it is cut: by which lengths, in which dimension.
 */
struct part {
    const char *name;
    size_t member; /* of struct call */
    int from_last; /* dimensions after that of the tokens; DENSE */
    bool keys;
    enum written written;
};

enum { DENSE = -1 }; /* [1, H or 1, T or 1, S or 1]: cut in two dimensions */

/* All tensors that have a dimension of tokens. */
enum { OUT, LSE }; /* the others are found by 'member' */

/* clang-format off */
#define PART(name_, member_, ...) \
    { .name = name_, .member = offsetof(struct call, member_), __VA_ARGS__ }
/* clang-format on */
static const struct part parts[] = {
    [OUT] = PART("out", out, 1, false, OUTPUT),
    [LSE] = PART("lse", lse, 0, false, OUTPUT),
    PART("q", a.q, 1, false, READ),
    PART("dout", dout, 1, false, READ),
    PART("dq", g.dq, 1, false, GRADIENT),
    PART("q_pos", a.q_pos, 0, false, READ),
    PART("q_docs", a.q_docs, 0, false, READ),
    PART("q_coords", a.q_coords, 1, false, READ),
    PART("k", a.k, 1, true, READ),
    PART("v", a.v, 1, true, READ),
    PART("dk", g.dk, 1, true, GRADIENT),
    PART("dv", g.dv, 1, true, GRADIENT),
    PART("k_pos", a.k_pos, 0, true, READ),
    PART("k_docs", a.k_docs, 0, true, READ),
    PART("k_coords", a.k_coords, 1, true, READ),
    PART("x", a.x, 1, true, READ),
    PART("dx", g.dx, 1, true, GRADIENT),
    PART("dq_coords", g.dq_coords, 1, false, GRADIENT),
    PART("dk_coords", g.dk_coords, 1, true, GRADIENT),
    PART("bias", a.bias, DENSE, true, READ),
    PART("visible", a.visible, DENSE, true, READ),
    PART("dbias", g.dbias, DENSE, true, GRADIENT),
};

enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

/* NULL: not given. */
static const locant_tensor *tensor_of(const struct call *c,
                                      const struct part *part)
{
    const locant_tensor *t;

    memcpy(&t, (const char *)c + part->member, sizeof(t));
    return t;
}

/* With a block table, arguments of keys have a row per sequence or one. */
static locant_status check_rows(const struct ragged *r, const struct part *part)
{
    const locant_tensor *t = tensor_of(&r->all, part);

    if (t == NULL || t == r->all.a.k || t == r->all.a.v ||
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
    const locant_tensor *t = tensor_of(&r->all, part);

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
    if (part->written == GRADIENT && t->shape[2] == 1 && r->n > 1)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: a bias that all queries and keys share has no "
                           "gradient summed over sequences, expected dbias to "
                           "be NULL",
                           r->fn);
    return LOCANT_OK;
}

static locant_status check_parts(const struct ragged *r)
{
    const locant_attention *a = &r->all.a;

    for (const struct part *part = parts; part < parts + PARTS; part++)
        if (part->from_last == DENSE)
            LCT_TRY(check_dense(r, part));
        else if (part->keys && a->block_table != NULL)
            LCT_TRY(check_rows(r, part));
        else
            LCT_TRY(check_size(r->fn, part->name, tensor_of(&r->all, part),
                               part->from_last,
                               part->keys ? a->k->shape[2] : a->q->shape[2]));
    return LOCANT_OK;
}

/* Slices of one sequence are checked in its call; these are of different ones.
 */
static locant_status check_apart(const struct ragged *r)
{
    const enum written written =
        r->pass == LCT_PASS_BACKWARD ? GRADIENT : OUTPUT;

    for (int i = 0; i < PARTS; i++) {
        const locant_tensor *to = tensor_of(&r->all, &parts[i]);

        for (int n = 0; n < PARTS && to != NULL; n++) {
            const locant_tensor *t = tensor_of(&r->all, &parts[n]);

            if (parts[i].written == written && t != NULL && t != to)
                LCT_TRY(lct_check_apart(r->fn, to, t));
        }
    }
    return LOCANT_OK;
}

static locant_status check_lengths(struct ragged *r, const locant_attention *a)
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

/* The call of one sequence, which points to its slices: do not move. */
struct sequence {
    struct call call;
    locant_tensor slice[PARTS], table, length;
};

/* The slice of a dense bias or mask: what all tokens share is left whole. */
static locant_tensor slice_dense(const struct ragged *r, const locant_tensor *t,
                                 int64_t s)
{
    int64_t q = lct_paged_integer(r->cu_q, 0, s), k;
    locant_tensor cut = *t;

    if (t->shape[2] != 1)
        cut = slice(&cut, 2, q, lct_paged_integer(r->cu_q, 0, s + 1) - q);
    if (r->all.a.block_table != NULL)
        return t->shape[0] == 1 ? cut : slice(&cut, 0, s, 1);
    k = lct_paged_integer(r->cu_k, 0, s);
    return t->shape[3] == 1
               ? cut
               : slice(&cut, 3, k, lct_paged_integer(r->cu_k, 0, s + 1) - k);
}

static locant_tensor slice_of(const struct ragged *r, const struct part *part,
                              int64_t s)
{
    const locant_tensor *t = tensor_of(&r->all, part);
    const locant_tensor *cu = part->keys ? r->cu_k : r->cu_q;
    const locant_attention *a = &r->all.a;
    int dim = t->rank - 1 - part->from_last;
    int64_t from;

    if (part->from_last == DENSE)
        return slice_dense(r, t, s);
    if (part->keys && a->block_table != NULL) /* a row per sequence, or one */
        return t == a->k || t == a->v || dim < 1 || t->shape[0] == 1
                   ? *t
                   : slice(t, 0, s, 1);
    from = lct_paged_integer(cu, 0, s);
    return slice(t, dim, from, lct_paged_integer(cu, 0, s + 1) - from);
}

static void sequence_of(struct sequence *x, const struct ragged *r, int64_t s)
{
    const locant_attention *a = &r->all.a;

    x->call = r->all;
    for (int i = 0; i < PARTS; i++) {
        const struct part *part = &parts[i];
        const locant_tensor *t = &x->slice[i];

        if (tensor_of(&r->all, part) == NULL)
            continue;
        x->slice[i] = slice_of(r, part, s);
        memcpy((char *)&x->call + part->member, &t, sizeof(t));
    }
    if (a->block_table != NULL) {
        x->table = slice(a->block_table, 0, s, 1);
        x->length = slice(a->lengths, 0, s, 1);
        x->call.a.block_table = &x->table;
        x->call.a.lengths = &x->length;
    }
}

/* Check the call of a sequence; *bytes grows to its workspace. */
static locant_status check_sequence(const struct ragged *r, int64_t s,
                                    void *workspace, size_t bytes,
                                    size_t *needed)
{
    struct sequence one;
    const struct call *c = &one.call;
    struct lct_problem x;
    locant_status status = LOCANT_OK;
    unsigned dtype;

    sequence_of(&one, r, s);
    LCT_TRY(lct_problem_begin(&x, r->fn, &c->a, r->pass, workspace, bytes));
    dtype = 1u << x.request.q.dtype;
    *needed = x.plan.bytes > *needed ? x.plan.bytes : *needed;
    if (r->pass == LCT_PASS_BACKWARD)
        status = lct_outputs_check_gradients(&x.plan, &c->g, c->dout, c->out,
                                             c->lse, dtype);
    else if (workspace != NULL)
        status = lct_outputs_check(&x.plan, c->out, c->lse, dtype);
    lct_problem_end(&x);
    return status;
}

/* Check everything. */
static locant_status check(struct ragged *r, const locant_attention *a,
                           void *workspace, size_t bytes, size_t *needed)
{
    LCT_TRY(check_lengths(r, a));
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
                        .lengths = lengths,
                        .pass = LCT_PASS_FORWARD };
    size_t needed;

    if (bytes == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: bytes is NULL", r.fn);
    LCT_TRY(check(&r, a, NULL, 0, &needed));
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
                        .lengths = lengths,
                        .pass = LCT_PASS_FORWARD,
                        .all = { .out = out, .lse = lse } };
    size_t needed;

    if (workspace == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: workspace is NULL", r.fn);
    if (out == NULL || lse == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", r.fn,
                           out == NULL ? "out" : "lse");
    LCT_TRY(check(&r, a, workspace, bytes, &needed));
    for (int64_t s = 0; s < r.n; s++) {
        struct sequence one;

        sequence_of(&one, &r, s);
        LCT_TRY(locant_attention_forward(&one.slice[OUT], &one.slice[LSE],
                                         &one.call.a, workspace, bytes));
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
                        .lengths = lengths,
                        .pass = LCT_PASS_BACKWARD,
                        .all = { .out = out, .lse = lse, .dout = dout } };
    size_t needed;

    if (workspace == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: workspace is NULL", r.fn);
    if (gradients == NULL || dout == NULL || out == NULL || lse == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", r.fn,
                           gradients == NULL ? "gradients"
                           : dout == NULL    ? "dout"
                           : out == NULL     ? "out"
                                             : "lse");
    r.all.g = *gradients;
    LCT_TRY(check(&r, a, workspace, bytes, &needed));
    for (int64_t s = 0; s < r.n; s++) {
        struct sequence one;

        sequence_of(&one, &r, s);
        LCT_TRY(locant_attention_backward(&one.call.g, one.call.dout,
                                          one.call.out, one.call.lse,
                                          &one.call.a, workspace, bytes));
    }
    return LOCANT_OK;
}
