/*
 * ragged.c - packed sequences of different lengths: a call for each of them.
 *
 * No tile holds tokens of two sequences, so nothing is computed for padding or
 * for pairs of different sequences, and the bits are those of the calls.
 */
#include "ragged_tensors.h"
#include "../core/tensor.h"
#include "outputs.h"
#include "paged.h"
#include "problem.h"
#include <string.h>

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
    struct lct_ragged_call call;
    locant_tensor slice[LCT_RAGGED_TENSORS], table, length;
};

/* The slice of a dense bias or mask: what all tokens share is left whole. */
static locant_tensor slice_dense(const struct lct_ragged *r,
                                 const locant_tensor *t, int64_t s)
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

static locant_tensor slice_of(const struct lct_ragged *r,
                              const struct lct_ragged_tensor *part, int64_t s)
{
    const locant_tensor *t = lct_ragged_tensors_given(&r->all, part);
    const locant_tensor *cu = part->keys ? r->cu_k : r->cu_q;
    const locant_attention *a = &r->all.a;
    int dim = t->rank - 1 - part->from_last;
    int64_t from;

    if (part->from_last == LCT_RAGGED_DENSE)
        return slice_dense(r, t, s);
    if (part->keys && a->block_table != NULL) /* a row per sequence, or one */
        return t == a->k || t == a->v || dim < 1 || t->shape[0] == 1
                   ? *t
                   : slice(t, 0, s, 1);
    from = lct_paged_integer(cu, 0, s);
    return slice(t, dim, from, lct_paged_integer(cu, 0, s + 1) - from);
}

static void sequence_of(struct sequence *x, const struct lct_ragged *r,
                        int64_t s)
{
    const locant_attention *a = &r->all.a;

    x->call = r->all;
    for (int i = 0; i < LCT_RAGGED_TENSORS; i++) {
        const struct lct_ragged_tensor *part = &lct_ragged_tensors[i];
        const locant_tensor *t = &x->slice[i];

        if (lct_ragged_tensors_given(&r->all, part) == NULL)
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
static locant_status check_sequence(const struct lct_ragged *r, int64_t s,
                                    void *workspace, size_t bytes,
                                    size_t *needed)
{
    struct sequence one;
    const struct lct_ragged_call *c = &one.call;
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
static locant_status check(struct lct_ragged *r, const locant_attention *a,
                           void *workspace, size_t bytes, size_t *needed)
{
    LCT_TRY(lct_ragged_tensors_check(r, a));
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
    struct lct_ragged r = { .fn = "locant_attention_ragged_workspace",
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
    struct lct_ragged r = { .fn = "locant_attention_ragged_forward",
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
        LCT_TRY(locant_attention_forward(&one.slice[LCT_RAGGED_OUT],
                                         &one.slice[LCT_RAGGED_LSE],
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
    struct lct_ragged r = { .fn = "locant_attention_ragged_backward",
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
