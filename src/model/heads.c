/* heads.c - attention over the heads of one layer, through the public API */
#include "parts.h"
#include "../core/size.h"
#include <inttypes.h>
#include <string.h>

/* A view of [B, T, heads, head_dim] in memory as [B, heads, T, head_dim]. */
static locant_tensor by_head(const struct lct_model *m, real *data,
                             int64_t heads, int64_t B, int64_t T)
{
    const int64_t D = m->head_dim;
    const int64_t shape[4] = { B, heads, T, D };
    locant_tensor t = locant_dense(data, LCT_REAL_DTYPE, 4, shape);

    t.stride[0] = T * heads * D;
    t.stride[1] = D;
    t.stride[2] = heads * D;
    return t;
}

static locant_tensor row_sums(const struct lct_model *m, real *lse)
{
    const int64_t shape[3] = { m->B, m->config.heads, m->T };

    return locant_dense(lse, LCT_REAL_DTYPE, 3, shape);
}

struct problem {
    locant_tensor q, k, v, x, q_pos, k_pos;
    locant_attention attention;
    int first_param; /* of the layer's encoding, among all */
};

/* Set positions [B, S], or coordinates [B, S, 1] if they are real numbers. */
static void set_positions(struct problem *p, const struct lct_model *m,
                          int64_t B, int64_t T, int64_t past)
{
    const int64_t shape[3] = { B, past + T, 1 };
    const bool reals = m->real_positions;
    unsigned doors = locant_encoding_doors(p->attention.encoding);

    if (reals && !(doors & LOCANT_DOOR_ROTATE))
        return;
    p->k_pos = locant_dense(m->positions, reals ? LOCANT_F64 : LOCANT_I64,
                            reals ? 3 : 2, shape);
    p->q_pos = p->k_pos;
    p->q_pos.shape[1] = T;
    p->q_pos.data = (int64_t *)m->positions + past; /* or as many doubles */
    if (reals) {
        p->attention.q_coords = &p->q_pos;
        p->attention.k_coords = &p->k_pos;
    } else {
        p->attention.q_pos = &p->q_pos;
        p->attention.k_pos = &p->k_pos;
    }
}

/* B x T tokens are queries; they and 'past' remembered tokens are keys. */
static void make_problem(struct problem *p, const struct lct_model *m,
                         int64_t layer, int64_t B, int64_t T, int64_t past)
{
    const struct lct_layer *a = &m->layers[layer];
    const int64_t S = past + T, shape[3] = { B, S, m->config.width };
    locant_tensor *params = lct_layer_views(m, m->encoding_params, layer);

    p->q = by_head(m, a->q, m->config.heads, B, T);
    p->k = by_head(m, a->k, m->config.kv_heads, B, S);
    p->v = by_head(m, a->v, m->config.kv_heads, B, S);
    p->x = locant_dense(a->whole_norm, LCT_REAL_DTYPE, 3, shape);
    p->attention = (locant_attention)LOCANT_ATTENTION_INIT;
    p->attention.q = &p->q;
    p->attention.k = &p->k;
    p->attention.v = &p->v;
    p->attention.x = m->reads_x ? &p->x : NULL;
    p->attention.encoding =
        locant_encoding_layer(&p->first_param, m->config.encoding, layer);
    p->attention.params = params == NULL ? NULL : params + p->first_param;
    p->attention.mask = LOCANT_MASK_CAUSAL;
    if (m->chooses_positions)
        set_positions(p, m, B, T, past);
}

/* Make the workspace, of *bytes, large enough for 'attention'. */
static locant_status grow(void **workspace, size_t *bytes,
                          const locant_attention *attention)
{
    size_t need;
    void *larger;

    LCT_TRY(locant_attention_workspace(&need, attention));
    if (need <= *bytes)
        return LOCANT_OK;
    larger = locant_alloc(need);
    if (larger == NULL)
        return locant_fail(
            LOCANT_ERR_NOMEM,
            "lct_model: no memory for %zu bytes of attention's workspace",
            need);
    locant_release(*workspace);
    *workspace = larger;
    *bytes = need;
    return LOCANT_OK;
}

/*
 * Ensure workspace for B sequences of T tokens.  Its size depends on the number
 * of threads, the layer's encoding and the range of positions; it is allocated
 * with the model and grows if a pass needs more.
 */
locant_status lct_heads_reserve(struct lct_model *m, int64_t B, int64_t T,
                                int64_t past)
{
    const locant_encoding *before = NULL;
    struct problem p;

    for (int64_t l = 0; l < m->config.layers; l++) {
        const locant_encoding *e =
            locant_encoding_layer(NULL, m->config.encoding, l);

        if (e != before) {
            make_problem(&p, m, l, B, T, past);
            LCT_TRY(grow(&m->workspace, &m->workspace_bytes, &p.attention));
        }
        before = e;
    }
    return LOCANT_OK;
}

/*
 * o [B, T, heads, head_dim] = attention(q, k, v), causal, with the rotate,
 * score and content doors of the layer's encoding.
 *
 * Saved for backward: q, k, v, whole_norm, o, lse.
 */
locant_status lct_heads_forward(struct lct_model *m, int64_t layer)
{
    const struct lct_layer *a = &m->layers[layer];
    locant_tensor o = by_head(m, a->o, m->config.heads, m->B, m->T);
    locant_tensor lse = row_sums(m, a->lse);
    struct problem p;

    make_problem(&p, m, layer, m->B, m->T, m->past);
    return locant_attention_forward(&o, &lse, &p.attention, m->workspace,
                                    m->workspace_bytes);
}

/*
 * forward: o = attention(q, k, v)
 * Writes d.q, d.k, d.v (and d.read) from d.branch, the gradient of o; adds to
 * the gradients of the encoding's parameters.
 */
locant_status lct_heads_backward(struct lct_model *m, int64_t layer)
{
    const struct lct_layer *a = &m->layers[layer];
    const int64_t B = m->B, T = m->T, S = m->S;
    const int64_t shape[3] = { B, S, m->config.width };
    locant_tensor o = by_head(m, a->o, m->config.heads, B, T);
    locant_tensor d_o = by_head(m, m->d.branch, m->config.heads, B, T);
    locant_tensor lse = row_sums(m, a->lse);
    locant_tensor dq = by_head(m, m->d.q, m->config.heads, B, T);
    locant_tensor dk = by_head(m, m->d.k, m->config.kv_heads, B, S);
    locant_tensor dv = by_head(m, m->d.v, m->config.kv_heads, B, S);
    locant_tensor dx = locant_dense(m->d.read, LCT_REAL_DTYPE, 3, shape);
    locant_tensor *grads = lct_layer_views(m, m->encoding_grads, layer);
    locant_attention_gradients d = LOCANT_ATTENTION_GRADIENTS_INIT;
    struct problem p;

    make_problem(&p, m, layer, B, T, m->past);
    d.dq = &dq;
    d.dk = &dk;
    d.dv = &dv;
    d.dx = m->reads_x ? &dx : NULL;
    d.dparams = grads == NULL ? NULL : grads + p.first_param;
    return locant_attention_backward(&d, &d_o, &o, &lse, &p.attention,
                                     m->workspace, m->workspace_bytes);
}

/* ---------------------------------------------------- weights of some rows */

/*
 * Attention weights are read with unit vectors as values.  If v[j] is the unit
 * vector of channel j - first for D keys from 'first' on, and 0 for the others,
 * then o[i, c] = p[i, first + c].  Queries before 'first' see none of these
 * keys and are left out.
 */
struct reading {
    const struct lct_model *m;
    struct problem p;
    const int64_t *t; /* [n] queries */
    int64_t n;
    void *at;        /* positions of the queries of a pass, int64_t or double;
                       the block of all memory but the workspace */
    int64_t *picked; /* [count] their indices among the n */
    int64_t count;
    real *q, *v, *o, *lse;
    real *base; /* [heads, n, D] o for v = 0: what an encoding adds */
    locant_tensor tq, tv, to, tlse, tat;
    void *workspace;
    size_t bytes;
};

static locant_status make_reading(struct reading *r)
{
    const int64_t H = r->m->config.heads, D = r->m->head_dim;
    const int64_t rows = H * r->n, keys = r->m->config.kv_heads * r->m->S;
    size_t bytes, places;

    if (!lct_mul(&bytes, (size_t)(3 * rows * D + keys * D + rows),
                 sizeof(real)) ||
        !lct_mul(&places, (size_t)r->n, 2 * sizeof(double)) ||
        !lct_add(&bytes, bytes, places) ||
        (r->at = locant_alloc(bytes)) == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "lct_model_attention_rows: no "
                           "memory for %" PRId64 " queries",
                           r->n);
    r->picked = (int64_t *)r->at + r->n; /* or after n doubles */
    r->q = (real *)(r->picked + r->n);
    r->o = r->q + rows * D;
    r->base = r->o + rows * D;
    r->lse = r->base + rows * D;
    r->v = r->lse + rows;
    return LOCANT_OK;
}

static void shape_pass(struct reading *r)
{
    const struct lct_model *m = r->m;
    const bool reals = r->p.attention.q_coords != NULL;
    const int64_t q[4] = { 1, m->config.heads, r->count, m->head_dim };
    const int64_t v[4] = { 1, m->config.kv_heads, m->S, m->head_dim };
    const int64_t places[3] = { 1, r->count, 1 };

    r->tq = locant_dense(r->q, LCT_REAL_DTYPE, 4, q);
    r->to = locant_dense(r->o, LCT_REAL_DTYPE, 4, q);
    r->tv = locant_dense(r->v, LCT_REAL_DTYPE, 4, v);
    r->tlse = locant_dense(r->lse, LCT_REAL_DTYPE, 3, q);
    r->tat = locant_dense(r->at, reals ? LOCANT_F64 : LOCANT_I64, reals ? 3 : 2,
                          places);
    if (reals)
        r->p.attention.q_coords = &r->tat;
    else
        r->p.attention.q_pos = &r->tat;
    r->p.attention.q = &r->tq;
    r->p.attention.v = &r->tv;
}

/* Select the queries that see a key from 'first' on, and their positions. */
static void choose(struct reading *r, const real *q, int64_t first)
{
    const struct lct_model *m = r->m;
    const int64_t H = m->config.heads, D = m->head_dim;
    const bool chosen =
        m->chooses_positions &&
        (r->p.attention.q_coords != NULL || r->p.attention.k_pos != NULL);

    r->count = 0;
    for (int64_t i = 0; i < r->n; i++)
        if (m->past + r->t[i] >= first) {
            const int64_t index = m->past + r->t[i];
            int64_t *to = (int64_t *)r->at + r->count;

            *to = chosen ? ((const int64_t *)m->positions)[index] : index;
            r->picked[r->count++] = i;
        }
    for (int64_t h = 0; h < H; h++)
        for (int64_t k = 0; k < r->count; k++)
            memcpy(r->q + (h * r->count + k) * D,
                   q + (r->t[r->picked[k]] * H + h) * D,
                   (size_t)D * sizeof(real));
    shape_pass(r);
}

static locant_status attend(struct reading *r)
{
    LCT_TRY(grow(&r->workspace, &r->bytes, &r->p.attention));
    return locant_attention_forward(&r->to, &r->tlse, &r->p.attention,
                                    r->workspace, r->bytes);
}

/* Set v of keys first .. first + D - 1 to unit vectors times 'one'. */
static void mark_keys(struct reading *r, int64_t first, real one)
{
    const int64_t D = r->m->head_dim, S = r->m->S;

    for (int64_t h = 0; h < r->m->config.kv_heads; h++)
        for (int64_t c = 0; c < D && first + c < S; c++)
            r->v[(h * S + first + c) * D + c] = one;
}

/* Read the weights of keys first .. first + D - 1. */
static locant_status read_keys(struct reading *r, real *weight, int64_t first)
{
    const int64_t D = r->m->head_dim, S = r->m->S;
    const int64_t width = first + D < S ? D : S - first;

    mark_keys(r, first, 1);
    LCT_TRY(attend(r));
    mark_keys(r, first, 0);
    for (int64_t h = 0; h < r->m->config.heads; h++)
        for (int64_t k = 0; k < r->count; k++) {
            const int64_t row = h * r->n + r->picked[k];

            for (int64_t c = 0; c < width; c++)
                weight[row * S + first + c] =
                    r->o[(h * r->count + k) * D + c] - r->base[row * D + c];
        }
    return LOCANT_OK;
}

static locant_status read_rows(struct reading *r, const real *q, real *weight)
{
    const struct lct_model *m = r->m;
    const int64_t rows = m->config.heads * r->n, D = m->head_dim;

    memset(weight, 0, (size_t)(rows * m->S) * sizeof(real));
    memset(r->v, 0, (size_t)(m->config.kv_heads * m->S * D) * sizeof(real));
    choose(r, q, 0);
    LCT_TRY(attend(r));
    memcpy(r->base, r->o, (size_t)(rows * D) * sizeof(real));
    for (int64_t first = 0; first < m->S; first += D) {
        choose(r, q, first);
        if (r->count > 0)
            LCT_TRY(read_keys(r, weight, first));
    }
    return LOCANT_OK;
}

locant_status lct_model_attention_rows(const struct lct_model *m, int64_t layer,
                                       const int64_t *t, int64_t n,
                                       real *weight)
{
    struct reading r = { .m = m, .t = t, .n = n };
    locant_status status;

    if (m->B != 1 || n < 1)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "lct_model_attention_rows: B is %" PRId64
                           " and there are %" PRId64 " queries, "
                           "expected B = 1 and queries",
                           m->B, n);
    for (int64_t i = 0; i < n; i++)
        if (t[i] < 0 || t[i] >= m->T)
            return locant_fail(LOCANT_ERR_PARAM,
                               "lct_model_attention_rows: t"
                               "[%" PRId64 "] is %" PRId64
                               ", expected 0 .. %" PRId64,
                               i, t[i], m->T - 1);
    LCT_TRY(make_reading(&r));
    make_problem(&r.p, m, layer, 1, m->T, m->past);
    status = read_rows(&r, m->layers[layer].q, weight);
    locant_release(r.workspace);
    locant_release(r.at);
    return status;
}
