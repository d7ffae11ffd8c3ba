/* real.c - biases and factors of pairs at real coordinates */
#include "real.h"
#include "../encodings/biases.h"
#include "param_gradients.h"
#include <string.h>

/* ----------------------------------------------------------------- planning */

static bool reads_pairs(const locant_encoding *e)
{
    return (e->doors & LOCANT_DOOR_SCORE) ||
           (lct_factors_of(e) & (LCT_HAS_GAIN | LCT_HAS_AFTER));
}

/* The first part whose bias or factors take whole positions only, or that has
 * the content door if nothing else is there; NULL: none. */
static const locant_encoding *whole_part(const struct lct_request *r, bool *any)
{
    const locant_encoding *e = r->a->encoding, *whole = NULL;

    *any = false;
    for (int n = 0; e != NULL && n < e->parts; n++) {
        const locant_encoding *leaf = e->part[n].e;

        if (!reads_pairs(leaf) && !(leaf->doors & LOCANT_DOOR_CONTENT))
            continue;
        if (reads_pairs(leaf) && lct_own_real(leaf))
            *any = true;
        else if (whole == NULL)
            whole = leaf;
    }
    return whole;
}

locant_status lct_real_check(struct lct_request *r)
{
    const locant_encoding *e = r->a->encoding, *whole;
    bool any;

    if (r->a->q_coords == NULL || (e != NULL && e->row->layers != NULL))
        return LOCANT_OK;
    whole = whole_part(r, &any);
    r->real = r->axes == 1 && any && whole == NULL;
    if (r->real || (e != NULL && (e->doors & LOCANT_DOOR_ROTATE)))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_UNSUPPORTED,
                       "%s: q_coords is given, but %s reads whole positions, "
                       "expected rotations or biases that read real ones",
                       r->fn,
                       whole != NULL ? whole->row->info.name
                       : e != NULL   ? lct_name(e)
                                     : "attention");
}

void lct_real_layout(struct lct_real_sums *sums, const struct lct_plan *p,
                     struct lct_arena *arena)
{
    *sums = (struct lct_real_sums){ .wanted = false };
    if (!p->request->real)
        return;
    sums->q = lct_arena_doubles(arena, p->B * p->H, p->T);
    sums->k = lct_arena_doubles(arena, p->B * p->Hkv, p->S);
}

/* -------------------------------------------------------------------- pairs */

/* Up to LCT_TILE keys of a row. */
struct part {
    struct lct_real_keys keys; /* points to 'k' */
    double k[LCT_TILE];
};

static int64_t key_at(const struct lct_real_row *r, int64_t n)
{
    return r->index != NULL ? r->index[n] : r->key + n;
}

static double query_of(const struct lct_real_row *r)
{
    return r->p->tables
        ->q_coords[lct_tables_row(r->p, LCT_QUERY, r->b, r->h, r->i)];
}

static void load_part(struct part *x, const struct lct_real_row *r,
                      int64_t first)
{
    const double *k =
        r->p->tables->k_coords +
        lct_tables_row(r->p, LCT_KEY, r->b, lct_plan_kv_head(r->p, r->h), 0);
    const int64_t n = lct_sizes_in_tile(r->keys, first);

    for (int64_t j = 0; j < n; j++)
        x->k[j] = k[key_at(r, first + j)];
    x->keys = (struct lct_real_keys){ r->h, query_of(r), x->k, (size_t)n };
}

static void evaluate(double *out, const struct lct_real_row *r,
                     const struct lct_call *c, const struct lct_real_pair *pair)
{
    struct part x;

    for (int64_t at = 0; at < r->keys; at += LCT_TILE) {
        load_part(&x, r, at);
        pair->at(out + at, c, &x.keys);
    }
}

void lct_real_bias(double *out, const struct lct_real_row *r)
{
    const struct lct_call *c = r->p->tables->score;

    evaluate(out, r, c, &c->e->row->score.real);
}

void lct_real_factor(double *out, const struct lct_real_row *r,
                     enum lct_factor f)
{
    const struct lct_call *c = lct_factors_call(r->p, f);

    evaluate(out, r, c, &lct_factors_hooks(c, f)->real);
}

/* ---------------------------------------------------------------- gradients */

/* forward: evaluate() */
static void evaluate_backward(const struct lct_real_row *r,
                              const struct lct_call *c,
                              const struct lct_real_pair *pair,
                              const double *dout, double *sums)
{
    const struct lct_plan *p = r->p;
    const int64_t head = r->b * p->Hkv + lct_plan_kv_head(p, r->h);
    double *dparam[LCT_MAX_PARAMS], dq = 0, dk[LCT_TILE];
    struct lct_real_gradients g = { sums != NULL ? dparam : NULL, &dq, dk };
    struct part x;

    if (sums != NULL)
        lct_param_gradients_of(dparam, p, c, sums);
    for (int64_t at = 0; at < r->keys; at += LCT_TILE) {
        load_part(&x, r, at);
        memset(dk, 0, sizeof(dk));
        pair->backward(&g, c, &x.keys, dout + at);
        if (!lct_real_is_wanted(p))
            continue;
        for (int64_t n = 0; n < (int64_t)x.keys.n; n++)
            p->real->k[head * p->S + key_at(r, at + n)] += dk[n];
    }
    if (lct_real_is_wanted(p))
        p->real->q[(r->b * p->H + r->h) * p->T + r->i] += dq;
}

void lct_real_bias_backward(const struct lct_real_row *r, const double *dout,
                            double *sums)
{
    const struct lct_call *c = r->p->tables->score;

    evaluate_backward(r, c, &c->e->row->score.real, dout, sums);
}

void lct_real_factor_backward(const struct lct_real_row *r, enum lct_factor f,
                              const double *dout, double *sums)
{
    const struct lct_call *c = lct_factors_call(r->p, f);

    evaluate_backward(r, c, &lct_factors_hooks(c, f)->real, dout, sums);
}

void lct_real_begin_backward(const struct lct_plan *p,
                             const locant_attention_gradients *g)
{
    p->real->wanted = g->dq_coords != NULL || g->dk_coords != NULL;
    if (!lct_real_is_wanted(p))
        return;
    memset(p->real->q, 0, (size_t)(p->B * p->H * p->T) * sizeof(double));
    lct_real_begin_leaf(p);
}

void lct_real_begin_leaf(const struct lct_plan *p)
{
    if (lct_real_is_wanted(p))
        memset(p->real->k, 0, (size_t)(p->B * p->Hkv * p->S) * sizeof(double));
}

/* The sum of token i over the batch rows and heads that share a coordinate, in
 * order, of which b and h are the first. */
static double sum_shared(const struct lct_plan *p, const locant_tensor *to,
                         const double *sums, const int64_t heads,
                         const int64_t at[3], int64_t n)
{
    int64_t b_end = to->rank > 2 ? at[0] + 1 : p->B;
    int64_t h_end = to->rank > 3 ? at[1] + 1 : heads;
    double sum = 0;

    for (int64_t b = at[0]; b < b_end; b++)
        for (int64_t h = at[1]; h < h_end; h++)
            sum += sums[(b * heads + h) * n + at[2]];
    return sum;
}

/* to [n, axes], [B, n, axes] or [B, heads, n, axes] = the sums [B, heads, n],
 * or 0 if they are not read. */
static void store(const struct lct_plan *p, const locant_tensor *to,
                  const double *sums, int64_t heads)
{
    int64_t n = to->shape[to->rank - 2], axes = to->shape[to->rank - 1];
    int64_t B = to->rank > 2 ? p->B : 1, H = to->rank > 3 ? heads : 1, at[3];

    for (at[0] = 0; at[0] < B; at[0]++)
        for (at[1] = 0; at[1] < H; at[1]++)
            for (at[2] = 0; at[2] < n; at[2]++) {
                int64_t index[4] = { at[0], at[1], at[2] };
                double sum = 0, *x;

                index[to->rank - 2] = at[2];
                x = lct_at(to, index, to->rank - 1);
                if (p->request->real)
                    sum = sum_shared(p, to, sums, heads, at, n);
                for (int64_t a = 0; a < axes; a++)
                    x[a * to->stride[to->rank - 1]] = sum;
            }
}

void lct_real_end_backward(const struct lct_plan *p,
                           const locant_attention_gradients *g)
{
    if (g->dq_coords != NULL)
        store(p, g->dq_coords, p->real->q, p->H);
    if (g->dk_coords != NULL)
        store(p, g->dk_coords, p->real->k, p->Hkv);
}
