/*
 * net_probe_rows.c - attention weights of a layer, a tile at a time
 *
 * If the values are unit vectors, the outputs are the weights, whatever the
 * encoding, mask, cap or content term.  A call for a block of the keys alone
 * gives the weights among these, and its log-sum-exp less that of all keys is
 * the logarithm of the block's share.
 */
#include "net_probe_rows.h"
#include "../core/error.h"
#include "../core/size.h"
#include "net_math.h"
#include <math.h>
#include <string.h>

enum { TILE = LCT_NET_PROBE_TILE, NONE = 8 };

const int64_t lct_net_probe_within[LCT_NET_PROBE_WITHIN] = { 8, 32, 128 };

int lct_net_probe_bin(int64_t d)
{
    int bin = 0;

    while (d >> bin > 0 && bin < LCT_NET_PROBE_BINS - 1)
        bin++;
    return bin;
}

/* One row of a batch, and room for a tile. */
struct rows {
    locant_attention call;
    locant_tensor q, k, q_pos, k_pos, q_docs, k_docs, q_coords, k_coords;
    const struct lct_net_math *math;
    int64_t H, T, S;
    bool whole; /* a tile needs all keys, for what depends on their set */
    int64_t *slots;
    char *ones;        /* S zero rows of TILE, TILE unit vectors, S zero rows */
    char *out, *lse;   /* [H, TILE, TILE], [H, TILE] */
    const char *total; /* [H, T]: log-sum-exp of all keys */
    unsigned char *bin; /* [S] of each distance */
    int64_t first;      /* the first token that is no padding */
    struct lct_net_probe_head *heads;
    /* the tile */
    int64_t i, n, j, m;
};

static locant_status no_memory(void)
{
    return locant_fail(LOCANT_ERR_NOMEM, "locant_model_probe: no memory");
}

/* n indices along axis 'axis' of x from 'from' on. */
static locant_tensor part(const locant_tensor *x, int axis, int64_t from,
                          int64_t n)
{
    locant_tensor t = *x;

    t.data = (char *)x->data +
             (size_t)(from * x->stride[axis]) * locant_dtype_size(x->dtype);
    t.shape[axis] = n;
    return t;
}

/* Row b of an array that may be the same for all. */
static locant_tensor row_of(const locant_tensor *x, int64_t b, int rank)
{
    return x->rank == rank ? part(x, 0, b, 1) : *x;
}

/* ---------------------------------------------------------------- the call */

/* Slots of queries before slot 0: an encoder may have fewer tokens. */
static int64_t slots_below(const struct rows *r)
{
    return r->T > r->S ? r->T - r->S : 0;
}

static locant_status reserve(struct rows *r)
{
    const size_t item = r->math->item;
    const int64_t before = slots_below(r);
    const int64_t ones[2] = { 2 * r->S + TILE, TILE };
    const int64_t out[3] = { r->H, TILE, TILE + 1 };
    size_t bytes, outs;

    if (!lct_array_bytes(&bytes, ones, 2, item) ||
        !lct_array_bytes(&outs, out, 3, item))
        return no_memory();
    r->slots = locant_alloc((size_t)(r->S + before) * sizeof(*r->slots));
    r->bin = locant_alloc((size_t)r->S);
    r->ones = locant_alloc(bytes);
    r->out = locant_alloc(outs);
    if (r->slots == NULL || r->bin == NULL || r->ones == NULL || r->out == NULL)
        return no_memory();
    r->lse = r->out + (size_t)(r->H * TILE * TILE) * item;
    memset(r->ones, 0, bytes);
    for (int64_t c = 0; c < TILE; c++) {
        const int64_t at = (r->S + c) * TILE + c;

        r->math->set(r->ones, at, 1);
    }
    for (int64_t s = 0; s < r->S + before; s++)
        r->slots[s] = s - before;
    for (int64_t s = 0; s < r->S; s++)
        r->bin[s] = (unsigned char)lct_net_probe_bin(s);
    return LOCANT_OK;
}

static void release(struct rows *r)
{
    locant_release(r->slots);
    locant_release(r->bin);
    locant_release(r->ones);
    locant_release(r->out);
}

static locant_status begin(struct rows *r, const locant_attention *call)
{
    const unsigned sums = LOCANT_DOOR_ROTATE | LOCANT_DOOR_SCORE;
    const locant_encoding *e = call->encoding;

    *r =
        (struct rows){ .call = *call,
                       .q = *call->q,
                       .k = *call->k,
                       .math = call->q->dtype == LOCANT_F64 ? &lct_net_math_f64
                                                            : &lct_net_math_f32,
                       .H = call->q->shape[1],
                       .T = call->q->shape[2],
                       .S = call->k->shape[2] };
    r->whole = e != NULL && ((locant_encoding_doors(e) & ~sums) ||
                             (locant_encoding_traits(e) & LOCANT_TRAIT_LENGTH));
    r->call.sinks = NULL;
    return reserve(r);
}

/* Turn to row b of the batch. */
static void turn(struct rows *r, const locant_attention *call,
                 const locant_tensor *lse, int64_t b)
{
    r->q = part(call->q, 0, b, 1);
    r->k = part(call->k, 0, b, 1);
    r->total =
        (const char *)lse->data + (size_t)(b * r->H * r->T) * r->math->item;
    r->k_pos = locant_dense(r->slots + slots_below(r), LOCANT_I64, 1, &r->S);
    r->q_pos = locant_dense(r->slots + slots_below(r) + r->S - r->T, LOCANT_I64,
                            1, &r->T);
    if (call->q_pos != NULL) {
        r->q_pos = row_of(call->q_pos, b, 2);
        r->k_pos = row_of(call->k_pos, b, 2);
    }
    if (call->q_coords != NULL) {
        r->q_coords = row_of(call->q_coords, b, 3);
        r->k_coords = row_of(call->k_coords, b, 3);
    }
    r->first = 0;
    if (call->q_docs == NULL)
        return;
    r->q_docs = row_of(call->q_docs, b, 2);
    r->k_docs = row_of(call->k_docs, b, 2);
    while (r->first < r->S && ((const int64_t *)r->k_docs.data)[r->first] < 0)
        r->first++;
}

static locant_status run(locant_tensor *out, locant_tensor *lse,
                         const locant_attention *call)
{
    size_t bytes;
    void *room;
    locant_status status;

    LCT_TRY(locant_attention_workspace(&bytes, call));
    room = locant_alloc(bytes > 0 ? bytes : 1);
    if (room == NULL)
        return no_memory();
    status = locant_attention_forward(out, lse, call, room, bytes);
    locant_release(room);
    return status;
}

/* Weights among the keys of the tile, and their log-sum-exp. */
static locant_status read_tile(struct rows *r)
{
    const int64_t from = r->whole ? 0 : r->j, keys = r->whole ? r->S : r->m;
    const int64_t shape[4] = { 1, r->H, r->n, TILE };
    const int64_t before = r->whole ? r->S - r->j : r->S;
    locant_tensor q = part(&r->q, 2, r->i, r->n);
    locant_tensor k = part(&r->k, 2, from, keys);
    locant_tensor v = { .data =
                            r->ones + (size_t)(before * TILE) * r->math->item,
                        .dtype = r->q.dtype,
                        .rank = 4,
                        .shape = { 1, r->k.shape[1], keys, TILE },
                        .stride = { 0, 0, TILE, 1 } };
    locant_tensor q_pos = part(&r->q_pos, r->q_pos.rank - 1, r->i, r->n);
    locant_tensor k_pos = part(&r->k_pos, r->k_pos.rank - 1, from, keys);
    locant_tensor out = locant_dense(r->out, r->q.dtype, 4, shape);
    locant_tensor lse = locant_dense(r->lse, r->q.dtype, 3, shape);
    locant_tensor q_docs, k_docs, q_coords, k_coords;
    locant_attention call = r->call;

    call.q = &q;
    call.k = &k;
    call.v = &v;
    call.q_pos = &q_pos;
    call.k_pos = &k_pos;
    if (call.q_docs != NULL) {
        q_docs = part(&r->q_docs, r->q_docs.rank - 1, r->i, r->n);
        k_docs = part(&r->k_docs, r->k_docs.rank - 1, from, keys);
        call.q_docs = &q_docs;
        call.k_docs = &k_docs;
    }
    if (call.q_coords != NULL) {
        q_coords = part(&r->q_coords, r->q_coords.rank - 2, r->i, r->n);
        k_coords = part(&r->k_coords, r->k_coords.rank - 2, from, keys);
        call.q_coords = &q_coords;
        call.k_coords = &k_coords;
    }
    return run(&out, &lse, &call);
}

/* ----------------------------------------------------------------- the sums */

static void add_weight(struct lct_net_probe_head *h, const struct rows *r,
                       double p, int64_t d, bool first)
{
    const int64_t apart = d < 0 ? -d : d;

    h->weight += p;
    h->entropy -= p * log(p);
    h->distance += p * (double)apart;
    h->bin[r->bin[apart < r->S ? apart : r->S - 1]] += p;
    for (int w = 0; w < LCT_NET_PROBE_WITHIN; w++)
        h->within[w] += apart < lct_net_probe_within[w] ? p : 0;
    h->first += first ? p : 0;
    h->own += d == 0 ? p : 0;
    h->previous += d == 1 ? p : 0;
    h->next += d == -1 ? p : 0;
    h->after += d < 0 ? p : 0;
}

static bool is_padding(const struct rows *r, int64_t i)
{
    return r->call.q_docs != NULL && ((const int64_t *)r->q_docs.data)[i] < 0;
}

static void add_head(void *context, size_t head, int slot)
{
    const struct rows *r = context;
    const int64_t *q_pos = r->q_pos.data, *k_pos = r->k_pos.data;
    const int64_t h = (int64_t)head;

    (void)slot;
    for (int64_t i = 0; i < r->n; i++) {
        const int64_t row = h * r->n + i, at = r->i + i;
        const double share = exp(r->math->get(r->lse, row) -
                                 r->math->get(r->total, h * r->T + at));

        if (is_padding(r, at) || !(share > 0))
            continue;
        for (int64_t c = 0; c < r->m; c++) {
            const double p = share * r->math->get(r->out, row * TILE + c);

            if (p > 0)
                add_weight(&r->heads[h], r, p, q_pos[at] - k_pos[r->j + c],
                           r->j + c == r->first);
        }
    }
}

static locant_status add_row(struct rows *r)
{
    for (r->i = 0; r->i < r->T; r->i += TILE) {
        r->n = r->T - r->i < TILE ? r->T - r->i : TILE;
        for (r->j = 0; r->j < r->S; r->j += TILE) {
            /* slots are in the order of positions */
            if (r->call.mask == LOCANT_MASK_CAUSAL &&
                r->j >= r->S - r->T + r->i + r->n)
                break;
            r->m = r->S - r->j < TILE ? r->S - r->j : TILE;
            LCT_TRY(read_tile(r));
            locant_parallel_for((size_t)r->H, add_head, r);
        }
    }
    return LOCANT_OK;
}

static locant_status add_call(struct lct_net_probe_head *heads,
                              const locant_attention *call,
                              const locant_tensor *lse)
{
    struct rows r;
    locant_status status = begin(&r, call);

    r.heads = heads;
    for (int64_t b = 0; b < call->q->shape[0] && status == LOCANT_OK; b++) {
        turn(&r, call, lse, b);
        status = add_row(&r);
    }
    release(&r);
    return status;
}

/* ------------------------------------------------------------- even weights */

/* The same call of one head whose scores are all 0. */
static locant_status add_even(struct lct_net_probe_head *head,
                              const locant_attention *call,
                              const locant_encoding *only)
{
    const int64_t B = call->q->shape[0], T = call->q->shape[2];
    const double zero[NONE] = { 0 };
    const int64_t shape[4] = { B, 1, T, 1 };
    locant_tensor q = { .data = (void *)(uintptr_t)zero,
                        .dtype = LOCANT_F64,
                        .rank = 4,
                        .shape = { B, 1, T, NONE },
                        .stride = { 0, 0, 0, 1 } };
    locant_tensor k = q, v, out, lse;
    locant_attention even = *call;
    double *room = locant_alloc((size_t)(2 * B * T) * sizeof(*room));
    locant_status status;

    if (room == NULL)
        return no_memory();
    k.shape[2] = call->k->shape[2];
    v = part(&k, 3, 0, 1);
    out = locant_dense(room, LOCANT_F64, 4, shape);
    lse = locant_dense(room + B * T, LOCANT_F64, 3, shape);
    even.q = &q;
    even.k = &k;
    even.v = &v;
    even.encoding = only;
    even.params = NULL;
    even.flags = 0;
    even.sinks = NULL;
    even.softcap = 0;
    even.q_coords = even.k_coords = NULL;
    status = run(&out, &lse, &even);
    if (status == LOCANT_OK)
        status = add_call(head, &even, &lse);
    locant_release(room);
    return status;
}

locant_status lct_net_probe_rows(struct lct_net_probe_head *heads, double *rows,
                                 const locant_attention *call,
                                 const locant_tensor *lse,
                                 const locant_encoding *only)
{
    const int64_t B = call->q->shape[0], T = call->q->shape[2];

    LCT_TRY(add_call(heads, call, lse));
    LCT_TRY(add_even(heads + call->q->shape[1], call, only));
    for (int64_t b = 0; b < B; b++)
        for (int64_t i = 0; i < T; i++)
            *rows +=
                call->q_docs == NULL ||
                ((const int64_t *)
                     call->q_docs->data)[b * call->q_docs->stride[0] + i] >= 0;
    return LOCANT_OK;
}
