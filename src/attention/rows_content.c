/*
 * rows_content.c - the content door in double, one query at a time.
 *
 * encodings/content.h has the formula and says which products an encoding is
 * made of; other content goes through hooks of the encoding.
 */
#include "rows_far.h"
#include "rows_gates.h"
#include "rows_vectors.h"
#include <string.h>

/* ------------------------------------------------------------------- layout */

static int64_t zero(const locant_encoding *e, int64_t q_pos, int64_t k_pos)
{
    (void)e;
    (void)q_pos;
    (void)k_pos;
    return 0;
}

/* All pairs pick the one vector 'u' of their head. */
static struct lct_vectors vectors_of_u(int u)
{
    struct lct_vectors v = lct_plain_vectors(LCT_TIMES_KEY, u);

    v.by_head = true;
    v.row = zero;
    return v;
}

/* Find which rows of a learned basis pairs can pick. */
static void find_rows(struct lct_rows_vectors *v, const locant_encoding *e)
{
    int64_t a = v->v.row(e, v->v.first, 0), b = v->v.row(e, v->v.last, 0);

    v->first = a < b ? a : b;
    v->count = (a < b ? b - a : a - b) + 1;
}

void lct_rows_content_plan(struct lct_rows_document *doc)
{
    const locant_encoding *e = doc->c.call.e;
    struct lct_rows_content *content = &doc->content;

    *content = (struct lct_rows_content){ .products = lct_no_products() };
    if (e->row->content.products != NULL)
        e->row->content.products(&content->products, e,
                                 (struct lct_span){ -INT64_MAX, INT64_MAX });
    if (content->products.maps.rank > 0)
        content->products.gate_weight = -1; /* the hook 'scores' has them */
    if (content->products.u >= 0)
        content->vectors[content->count++].v =
            vectors_of_u(content->products.u);
    for (int n = 0; n < content->products.count; n++) {
        struct lct_rows_vectors *v = &content->vectors[content->count++];

        v->v = content->products.vectors[n];
        if (v->v.matrix >= 0 && !lct_rows_vectors_fixed(e, &v->v))
            find_rows(v, e);
    }
}

static void lay_out_vectors(struct lct_rows_vectors *v,
                            struct lct_rows_content_scratch *r,
                            const struct lct_plan *p, struct lct_arena *arena)
{
    if (v->v.matrix < 0)
        return;
    if (v->count > 0) {
        v->rows = lct_arena_doubles(arena, p->H * v->count, p->D);
        v->drows = lct_arena_doubles(arena, p->H * v->count, p->D);
        return;
    }
    r->y = lct_arena_doubles(arena, p->H, p->W);
    r->dy = lct_arena_doubles(arena, p->H, p->W);
    r->basis_row = lct_arena_ints(arena, p->S, 1);
    r->basis = lct_arena_doubles(arena, p->S, p->W);
    if (r->basis_row != NULL)
        for (int64_t j = 0; j < p->S; j++)
            r->basis_row[j] = INT64_MIN; /* no row has that number */
}

static void lay_out_far(struct lct_rows_content *content,
                        struct lct_rows_content_scratch *r,
                        const struct lct_plan *p, struct lct_arena *arena)
{
    for (int far = 0; far < 2; far++) {
        content->rotated[far] = lct_arena_doubles(arena, p->Hkv * p->S, p->D);
        content->drotated[far] = lct_arena_doubles(arena, p->Hkv * p->S, p->D);
        r->rotated[far] = lct_arena_doubles(arena, p->D, 1);
        r->drotated[far] = lct_arena_doubles(arena, p->D, 1);
    }
    r->cosines = lct_arena_doubles(arena, p->D / 2, 1);
    r->sines = lct_arena_doubles(arena, p->D / 2, 1);
    r->classes = lct_arena_alloc(arena, p->S, 1, 1);
}

void lct_rows_content_layout(struct lct_rows_document *doc,
                             struct lct_rows_scratch *r,
                             const struct lct_plan *p, struct lct_arena *arena)
{
    struct lct_rows_content *content = &doc->content;
    int64_t most = p->W > p->D ? p->W : p->D;

    r->content = (struct lct_rows_content_scratch){ .y = NULL };
    if (p->tables->content == NULL)
        return;
    r->content.row = lct_arena_doubles(arena, most, 1);
    r->content.drow = lct_arena_doubles(arena, most, 1);
    for (int n = 0; n < content->count; n++)
        lay_out_vectors(&content->vectors[n], &r->content, p, arena);
    if (content->products.gate_weight >= 0) {
        content->order = lct_arena_ints(arena, p->S, 1);
        content->log_gate = lct_arena_doubles(arena, 2 * p->H, p->S);
        content->dlog_gate = lct_arena_doubles(arena, 2 * p->H, p->S);
    }
    if (content->products.near_far)
        lay_out_far(content, &r->content, p, arena);
    if (p->request->token_numbers != NULL && p->request->token_angles == NULL) {
        content->order = lct_arena_ints(arena, p->S, 1);
        r->content.memory = lct_arena_doubles(arena, p->S + 2, p->D);
        doc->c.order = content->order;
        doc->c.index = doc->index;
    }
}

/* -------------------------------------------------- documents begin and end */

void lct_rows_content_begin(const struct lct_rows_task *w)
{
    for (int n = 0; n < w->content->count; n++)
        if (w->content->vectors[n].rows != NULL)
            lct_rows_vectors_project(w, &w->content->vectors[n]);
    if (w->content->products.gate_weight >= 0)
        lct_rows_gates_begin(w);
    if (w->content->products.near_far)
        lct_rows_far_begin(w);
    if (w->c->order != NULL)
        lct_rows_gates_sort(w);
}

static void clear(double *x, int64_t rows, int64_t columns)
{
    if (x != NULL)
        memset(x, 0, (size_t)(rows * columns) * sizeof(*x));
}

void lct_rows_content_begin_backward(const struct lct_rows_task *w)
{
    const struct lct_call *c = &w->c->call;

    for (int n = 0; n < w->content->count; n++)
        clear(w->content->vectors[n].drows,
              c->heads * w->content->vectors[n].count, c->head_dim);
    clear(w->content->dlog_gate, 2 * c->heads, w->c->keys);
    for (int far = 0; far < 2; far++)
        clear(w->content->drotated[far], c->kv_heads * w->c->keys, c->head_dim);
}

void lct_rows_content_end(const struct lct_content_gradient *g,
                          const struct lct_rows_task *w)
{
    for (int n = 0; n < w->content->count; n++)
        if (w->content->vectors[n].rows != NULL)
            lct_rows_vectors_project_backward(g, w, &w->content->vectors[n]);
    if (w->content->products.gate_weight >= 0)
        lct_rows_gates_end(g, w);
    if (w->content->products.near_far)
        lct_rows_far_end(g, w);
}

/* ------------------------------------------------------------------- scores */

/* x *= factor; factor > 0, so masked scores stay -infinity. */
static void multiply(double *x, double factor, const struct lct_rows_task *w)
{
    if (factor != 1)
        for (int64_t i = 0; i < w->c->call.heads * w->c->keys; i++)
            x[i] *= factor;
}

void lct_rows_content_scores(double *scores, const struct lct_rows_task *w)
{
    const struct lct_products *products = &w->content->products;

    if (w->c->call.e->row->content.scores != NULL)
        w->c->call.e->row->content.scores(scores, w->c, &w->q);
    if (products->near_far)
        lct_rows_far_scores(scores, w);
    for (int n = 0; n < w->content->count; n++) {
        const struct lct_rows_vectors *v = &w->content->vectors[n];

        if (lct_rows_vectors_fixed(w->c->call.e, &v->v))
            lct_rows_vectors_fixed_scores(scores, w, v);
        else if (v->v.times != LCT_TIMES_WEIGHT)
            lct_rows_vectors_scores(scores, w, v);
    }
    if (products->gate_weight >= 0)
        lct_rows_gates_scores(scores, w);
    multiply(scores, products->factor, w);
}

void lct_rows_content_backward(double *dscores,
                               const struct lct_content_gradient *g,
                               const double *scores,
                               const struct lct_rows_task *w)
{
    const struct lct_products *products = &w->content->products;

    multiply(dscores, products->factor, w);
    if (products->gate_weight >= 0)
        lct_rows_gates_backward(dscores, scores, w);
    for (int n = 0; n < w->content->count; n++) {
        const struct lct_rows_vectors *v = &w->content->vectors[n];

        if (lct_rows_vectors_fixed(w->c->call.e, &v->v))
            lct_rows_vectors_fixed_backward(dscores, g, w, v);
        else if (v->v.times != LCT_TIMES_WEIGHT)
            lct_rows_vectors_backward(dscores, g, w, v);
    }
    if (products->near_far)
        lct_rows_far_backward(dscores, g, scores, w);
    if (w->c->call.e->row->content.backward != NULL)
        w->c->call.e->row->content.backward(dscores, g, scores, w->c, &w->q);
}

/* ------------------------------------------------------------------- values */

void lct_rows_content_values(double *o, const double *p,
                             const struct lct_rows_task *w)
{
    for (int n = 0; n < w->content->count; n++)
        if (w->content->vectors[n].v.times == LCT_TIMES_WEIGHT)
            lct_rows_vectors_values(o, p, w, &w->content->vectors[n]);
}

void lct_rows_content_values_backward(double *dp,
                                      const struct lct_content_gradient *g,
                                      const double *p, const double *dout,
                                      const struct lct_rows_task *w)
{
    for (int n = 0; n < w->content->count; n++)
        if (w->content->vectors[n].v.times == LCT_TIMES_WEIGHT)
            lct_rows_vectors_values_backward(dp, g, p, dout, w,
                                             &w->content->vectors[n]);
}
