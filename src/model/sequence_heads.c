/*
 * sequence_heads.c - attention of one layer where rows have several leaves.
 *
 * Each leaf is a call of its own, its queries against the keys of its row, so
 * that its results do not depend on which other leaves this process has.
 */
#include "sequence_heads.h"
#include "heads.h"
#include "sequence_exchange.h"
#include <string.h>

/* One leaf's call of attention, with the keys that the arrays have. */
struct call {
    locant_attention attention;
    locant_attention_part part; /* 'part' of sequences in blocks */
    locant_tensor state;
    locant_tensor q, k, v, x, q_pos, q_coords, k_pos; /* 'attention' points to
                                                         them */
    int first_param;
};

/* A view of the queries of leaf l of the pass, data [leaves, chunk, heads,
   head_dim], as [1, heads, chunk, head_dim]. */
static locant_tensor queries(const struct lct_model *m, real *data, int64_t l)
{
    const int64_t H = m->config.heads, D = m->head_dim, c = m->sequences.chunk;
    const int64_t shape[4] = { 1, H, c, D };
    locant_tensor t =
        locant_dense(data + l * c * H * D, LCT_REAL_DTYPE, 4, shape);

    t.stride[1] = D;
    t.stride[2] = H * D;
    return t;
}

static locant_tensor lse_view(const struct lct_model *m, real *lse, int64_t l)
{
    const int64_t H = m->config.heads, c = m->sequences.chunk;
    const int64_t shape[3] = { 1, H, c };

    return locant_dense(lse + l * H * c, LCT_REAL_DTYPE, 3, shape);
}

/* Views of an array of a sequence: of keys (part 0) or values, and of
   inputs. */
static locant_tensor by_head(const struct lct_model *m, real *data, int p)
{
    const int64_t D = m->head_dim, S = m->length / m->sequences.blocks;
    const int64_t shape[4] = { 1, m->config.kv_heads, S, D };
    locant_tensor t = locant_dense(data + m->sequences.part[p].first,
                                   LCT_REAL_DTYPE, 4, shape);

    t.stride[1] = D;
    t.stride[2] = m->kv_width;
    return t;
}

static locant_tensor inputs(const struct lct_model *m, real *data)
{
    const int64_t shape[3] = { 1, m->length, m->config.width };

    return locant_dense(data + m->sequences.part[2].first, LCT_REAL_DTYPE, 3,
                        shape);
}

/* Real positions are coordinates, beside the indices that the mask reads. */
static void set_positions(struct call *c, const struct lct_model *m, int64_t l,
                          int64_t row)
{
    const struct lct_sequences *q = &m->sequences;
    const int64_t S = m->length;
    const int64_t few[2] = { q->chunk, 1 }, all[2] = { S, 1 };
    const bool reals = m->real_positions;
    int64_t *given = (int64_t *)q->positions + l * q->chunk; /* or doubles */

    c->q_pos = locant_dense(reals ? q->index + l * q->chunk : given, LOCANT_I64,
                            1, few);
    c->attention.q_pos = &c->q_pos;
    if (!m->chooses_positions)
        return;
    c->k_pos =
        locant_dense((int64_t *)m->positions + row * S, /* or doubles */
                     reals ? LOCANT_F64 : LOCANT_I64, reals ? 2 : 1, all);
    if (!reals) {
        c->attention.k_pos = &c->k_pos;
    } else if (locant_encoding_doors(c->attention.encoding) &
               LOCANT_DOOR_ROTATE) {
        c->q_coords = locant_dense(given, LOCANT_F64, 2, few);
        c->attention.q_coords = &c->q_coords;
        c->attention.k_coords = &c->k_pos;
    }
}

/* The block among the keys of the row; the state is the leaf's, whose rows have
   'width' numbers and begin from 0. */
static void set_part(struct call *c, const struct lct_model *m, int64_t l,
                     int64_t width)
{
    const struct lct_sequences *q = &m->sequences;
    const int64_t rows = m->config.heads * q->chunk;
    const int64_t shape[4] = { 1, m->config.heads, q->chunk, width };
    float *state =
        q->state == NULL ? NULL : q->state + l * rows * q->state_width;

    c->part = (locant_attention_part)LOCANT_ATTENTION_PART_INIT;
    c->part.first = q->block * q->chunk;
    c->part.keys = m->length;
    c->part.last = q->block + 1 == q->blocks;
    c->part.state = &c->state;
    c->state = locant_dense(state, LOCANT_F32, 4, shape);
    if (q->block == 0 && state != NULL)
        memset(state, 0, (size_t)(rows * width) * sizeof(*state));
}

/* Bytes of workspace, and the width of the state of backward. */
static locant_status sizes_of(size_t *bytes, int64_t *width,
                              const struct call *c)
{
    return locant_attention_part_workspace(bytes, width, &c->attention,
                                           &c->part);
}

/* Of leaf j of a sequence. */
static void make_call(struct call *c, const struct lct_model *m, int64_t layer,
                      const struct lct_sequence *s, int64_t j)
{
    const int64_t l = s->pass + j - s->first;

    c->q = queries(m, m->layers[layer].q, l);
    c->k = by_head(m, s->tokens, 0);
    c->v = by_head(m, s->tokens, 1);
    c->x = inputs(m, s->tokens);
    lct_heads_begin(&c->attention, &c->first_param, m, layer);
    c->attention.q = &c->q;
    c->attention.k = &c->k;
    c->attention.v = &c->v;
    c->attention.x = m->reads_x ? &c->x : NULL;
    set_positions(c, m, l, s->row);
}

/* Room for the state and the workspace of a call with one block. */
static locant_status reserve_part(struct lct_model *m, struct call *c)
{
    struct lct_sequences *q = &m->sequences;
    const int64_t forward = m->head_dim + 2;
    int64_t width;
    size_t bytes;

    set_part(c, m, 0, 0);
    LCT_TRY(sizes_of(&bytes, &width, c));
    LCT_TRY(lct_heads_grow_to(&m->workspace, &m->workspace_bytes, bytes));
    width = width > forward ? width : forward;
    if (q->state != NULL && width <= q->state_width)
        return LOCANT_OK;
    locant_release(q->state);
    q->state = locant_alloc((size_t)(m->rows * m->config.heads * width) *
                            sizeof(*q->state));
    q->state_width = width;
    return q->state != NULL
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_NOMEM,
                             "lct_model: no memory for the state of queries");
}

/* The workspace depends on positions, and each row may have its own. */
locant_status lct_sequence_heads_reserve(struct lct_model *m)
{
    struct lct_sequences *q = &m->sequences;
    const locant_encoding *before = NULL;
    struct call c;

    q->block = 0; /* others need as much */
    for (int64_t layer = 0; layer < m->config.layers; layer++) {
        const locant_encoding *e = locant_encoding_layer_of(
            NULL, m->config.encoding, layer, m->config.layers);

        for (int64_t i = 0; e != before && i < q->count; i++) {
            const struct lct_sequence *s = &q->rows[i];

            for (int64_t j = s->first; j < s->last; j++) {
                make_call(&c, m, layer, s, j);
                LCT_TRY(q->blocks > 1
                            ? reserve_part(m, &c)
                            : lct_heads_grow(&m->workspace, &m->workspace_bytes,
                                             &c.attention));
            }
        }
        before = e;
    }
    return LOCANT_OK;
}

/* ----------------------------------------------------------------- forward */

/* Of leaf l of the pass: its results, or its state after one block. */
static locant_status forward_leaf(struct lct_model *m, struct call *c,
                                  int64_t l, locant_tensor *o,
                                  locant_tensor *lse)
{
    if (m->sequences.blocks == 1)
        return locant_attention_forward(o, lse, &c->attention, m->workspace,
                                        m->workspace_bytes);
    set_part(c, m, l, m->head_dim + 2);
    return locant_attention_forward_part(
        c->part.last ? o : NULL, c->part.last ? lse : NULL, &c->attention,
        &c->part, m->workspace, m->workspace_bytes);
}

static locant_status forward_row(struct lct_model *m, int64_t layer,
                                 const struct lct_sequence *s)
{
    const struct lct_layer *a = &m->layers[layer];
    struct call c;

    if (lct_sequence_is_whole(&m->sequences, s))
        lct_sequence_copy(m, layer, s);
    for (int64_t j = s->first; j < s->last; j++) {
        const int64_t l = s->pass + j - s->first;
        locant_tensor o = queries(m, a->o, l), lse = lse_view(m, a->lse, l);

        make_call(&c, m, layer, s, j);
        LCT_TRY(forward_leaf(m, &c, l, &o, &lse));
    }
    return LOCANT_OK;
}

/* Saved for backward: q, k, v, joined_norm, o, lse. */
locant_status lct_sequence_heads_forward(struct lct_model *m, int64_t layer)
{
    struct lct_sequences *q = &m->sequences;

    for (q->block = 0; q->block < q->blocks; q->block++) {
        LCT_TRY(lct_sequence_exchange_tokens(m, layer));
        for (int64_t i = 0; i < q->count; i++)
            LCT_TRY(forward_row(m, layer, &q->rows[i]));
    }
    return LOCANT_OK;
}

/* ---------------------------------------------------------------- backward */

/* Gradients of the queries of leaf j, of the keys, values and inputs of its row
   in 'sums', and of parameters. */
static locant_status backward_leaf(struct lct_model *m, int64_t layer,
                                   const struct lct_sequence *s, int64_t j,
                                   real *sums)
{
    const struct lct_layer *a = &m->layers[layer];
    const int64_t l = s->pass + j - s->first;
    int64_t width;
    size_t bytes;
    locant_tensor o = queries(m, a->o, l), lse = lse_view(m, a->lse, l);
    locant_tensor d_o = queries(m, m->d.branch, l);
    locant_tensor dq = queries(m, m->d.q, l), dx = inputs(m, sums);
    locant_tensor dk = by_head(m, sums, 0), dv = by_head(m, sums, 1);
    locant_tensor *grads = lct_layer_grads(m, l, layer);
    locant_attention_gradients d = LOCANT_ATTENTION_GRADIENTS_INIT;
    struct call c;

    make_call(&c, m, layer, s, j);
    d.dq = &dq;
    d.dk = &dk;
    d.dv = &dv;
    d.dx = m->reads_x ? &dx : NULL;
    d.dparams = grads == NULL ? NULL : grads + c.first_param;
    if (m->sequences.blocks == 1)
        return locant_attention_backward(&d, &d_o, &o, &lse, &c.attention,
                                         m->workspace, m->workspace_bytes);
    set_part(&c, m, l, 0);
    LCT_TRY(sizes_of(&bytes, &width, &c));
    set_part(&c, m, l, width);
    d.dq = c.part.last ? &dq : NULL;
    return locant_attention_backward_part(&d, &d_o, &o, &lse, &c.attention,
                                          &c.part, m->workspace,
                                          m->workspace_bytes);
}

static locant_status backward_row(struct lct_model *m, int64_t layer,
                                  const struct lct_sequence *s)
{
    const size_t n = lct_sequence_numbers(&m->sequences);
    struct lct_tree tree;

    if (lct_sequence_is_whole(&m->sequences, s))
        lct_sequence_copy(m, layer, s);
    lct_tree_begin(&tree, 0, s->first); /* its order only */
    for (int64_t j = s->first; j < s->last; j++) {
        int array = tree.count;

        LCT_TRY(backward_leaf(m, layer, s, j, s->sums + (size_t)array * n));
        lct_tree_add(&tree, NULL);
        for (; array >= tree.count; array--)
            lct_sequence_add(m, s, array);
    }
    if (lct_sequence_is_whole(&m->sequences, s))
        lct_sequence_use_sums(m, s);
    return LOCANT_OK;
}

/* forward: o = attention(q, k, v) */
locant_status lct_sequence_heads_backward(struct lct_model *m, int64_t layer)
{
    struct lct_sequences *q = &m->sequences;

    for (q->block = 0; q->block < q->blocks; q->block++) {
        LCT_TRY(lct_sequence_exchange_tokens(m, layer));
        for (int64_t i = 0; i < q->count; i++)
            LCT_TRY(backward_row(m, layer, &q->rows[i]));
        LCT_TRY(lct_sequence_exchange_sums(m));
    }
    return LOCANT_OK;
}
