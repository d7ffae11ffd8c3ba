/* rows.c - documents of keys, and the scores of a query in a document */
#include "rows.h"
#include "../kernel/row.h"
#include "dense_bias.h"
#include "mask.h"
#include "param_gradients.h"
#include "real.h"
#include "rotation.h"
#include "rows_factors.h"
#include "rows_stick.h"
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------- layout */

/* Sizes of the largest document. */
static struct lct_rows_document largest(const struct lct_plan *p)
{
    struct lct_rows_document doc = { .heads = p->H, .kv_heads = p->Hkv };

    if (p->tables->content == NULL) {
        doc.heads = p->Hkv > 0 ? p->H / p->Hkv : 0;
        doc.kv_heads = 1;
        return doc;
    }
    doc.c = (struct lct_content){ .call = *p->tables->content,
                                  .keys = p->S,
                                  .scale = p->scale };
    lct_rows_content_plan(&doc);
    return doc;
}

static void lay_out_document(struct lct_rows_document *doc,
                             const struct lct_plan *p, struct lct_arena *arena)
{
    int64_t rows = doc->kv_heads * p->S;

    doc->index = lct_arena_ints(arena, p->S, 1);
    doc->c.k_pos = lct_arena_ints(arena, p->S, 1);
    doc->order = lct_arena_ints(arena, p->request->stick != NULL, p->S);
    doc->k = lct_arena_doubles(arena, rows, p->Dq);
    doc->dk = lct_arena_doubles(arena, rows, p->Dq);
    doc->v = lct_arena_doubles(arena, rows, p->Dv);
    doc->dv = lct_arena_doubles(arena, rows, p->Dv);
    doc->c.k = doc->k;
    if (!p->request->has_x || p->tables->content == NULL)
        return;
    doc->x = lct_arena_doubles(arena, p->S, p->W);
    doc->c.x = doc->x;
    doc->dx = lct_arena_doubles(arena, p->S, p->W);
}

static void lay_out_row(struct lct_rows_scratch *r, const struct lct_plan *p,
                        int64_t heads, struct lct_arena *arena)
{
    int64_t widest = p->D > p->Dv ? p->D : p->Dv;
    const struct lct_request *given = p->request;

    r->q = lct_arena_doubles(arena, lct_tables_relations(p) * heads, p->Dq);
    r->dq = lct_arena_doubles(arena, lct_tables_relations(p) * heads, p->Dq);
    r->relation =
        lct_arena_alloc(arena, lct_tables_relations(p) > 1 ? p->S : 0, 1, 1);
    r->o = lct_arena_doubles(arena, heads, widest);
    r->dout = lct_arena_doubles(arena, heads, p->Dv);
    r->s = lct_arena_doubles(arena, heads, p->S);
    r->bias = lct_arena_doubles(arena, heads, p->S);
    r->dbias = lct_arena_doubles(arena, heads, p->S);
    r->p = lct_arena_doubles(arena, heads, p->S);
    r->ds = lct_arena_doubles(arena, heads, p->S);
    r->slope =
        lct_arena_doubles(arena, p->request->softcap != 0 ? heads : 0, p->S);
    r->sigma = lct_arena_doubles(arena, given->stick != NULL ? heads : 0, p->S);
    r->rest = lct_arena_doubles(arena, heads, 1);
    r->gain = lct_arena_doubles(arena, given->gain != NULL ? heads : 0, p->S);
    r->after = lct_arena_doubles(arena, given->after != NULL ? heads : 0, p->S);
    r->factored = lct_arena_doubles(
        arena, given->gain != NULL || given->after != NULL ? heads : 0, p->S);
    r->x = lct_arena_doubles(arena, widest, 1);
    r->dx = lct_arena_doubles(arena, widest, 1);
}

void lct_rows_layout(struct lct_rows_engine *rows, const struct lct_plan *p,
                     struct lct_arena *arena)
{
    struct lct_rows_document most = largest(p);

    p->gradients->params =
        lct_arena_doubles(arena, p->slots + 1, (int64_t)p->params);
    rows->documents =
        lct_arena_alloc(arena, p->slots, 1, sizeof(*rows->documents));
    rows->scratch = lct_arena_alloc(arena, p->slots, 1, sizeof(*rows->scratch));
    for (int n = 0; n < p->slots; n++) {
        struct lct_rows_document doc = most;
        struct lct_rows_scratch r;

        lay_out_document(&doc, p, arena);
        lay_out_row(&r, p, most.heads, arena);
        lct_rows_content_layout(&doc, &r, p, arena);
        if (lct_arena_is_real(arena)) {
            rows->documents[n] = doc;
            rows->scratch[n] = r;
        }
    }
}

/* ---------------------------------------------------------------- documents */

int64_t lct_rows_tasks(const struct lct_plan *p)
{
    if (p->tables->content != NULL)
        return p->Hkv > 0 ? p->B : 0;
    return p->B * p->Hkv;
}

void lct_rows_begin(struct lct_rows_document *doc, const struct lct_plan *p,
                    int64_t task)
{
    doc->b = p->tables->content != NULL ? task : task / p->Hkv;
    doc->kv_head = p->tables->content != NULL ? 0 : task % p->Hkv;
    doc->head = doc->kv_head * doc->heads;
    doc->id = -1;
    doc->active = true;
    if (p->tables->content == NULL)
        return;
    doc->c.call = *p->tables->content; /* its parameters are known by now */
}

/* Documents come in ascending order.  If none are given, one has all keys. */
bool lct_rows_next(struct lct_rows_document *doc, const struct lct_plan *p)
{
    const int64_t *docs = p->tables->k_docs;
    int64_t next = -1;

    if (!p->documents) {
        doc->active = doc->active && doc->id < 0;
        doc->id = 0;
        return doc->active;
    }
    docs += lct_plan_row(p, doc->b) * p->S;
    if (doc->active)
        for (int64_t j = 0; j < p->S; j++)
            if (docs[j] > doc->id && (next < 0 || docs[j] < next))
                next = docs[j];
    doc->active = next >= 0;
    doc->id = next;
    return doc->active;
}

bool lct_rows_has(const struct lct_rows_task *w, int64_t i)
{
    int64_t row = lct_plan_row(w->p, w->doc->b);

    return !w->p->documents ||
           w->p->tables->q_docs[row * w->p->T + i] == w->doc->id;
}

/* Find the indices and positions of the document's keys. */
static void find_keys(struct lct_rows_document *doc, const struct lct_plan *p)
{
    int64_t row = lct_plan_row(p, doc->b) * p->S, n = 0;
    int64_t *k_pos = (int64_t *)doc->c.k_pos; /* const only to encodings */

    doc->c.call.last = 0;
    for (int64_t j = 0; j < p->S; j++) {
        if (p->documents && p->tables->k_docs[row + j] != doc->id)
            continue;
        if (n == 0 || p->tables->k_pos[row + j] > doc->c.call.last)
            doc->c.call.last = p->tables->k_pos[row + j];
        doc->index[n] = j;
        k_pos[n++] = p->tables->k_pos[row + j];
    }
    doc->c.keys = n;
    doc->c.scale = p->scale;
    if (p->request->token_numbers != NULL) {
        doc->c.all_keys = p->S;
        doc->c.count = p->tables->token.numbers;
        doc->c.numbers = p->tables->token.z +
                         doc->b * p->H * p->S * p->tables->token.numbers;
    }
}

void lct_rows_load(const struct lct_rows_task *w)
{
    const locant_tensor *x = w->p->request->a->x;
    const struct lct_plan *p = w->p;
    const struct lct_rows_document *doc = w->doc;

    find_keys(w->doc, p);
    if (p->request->stick != NULL)
        lct_rows_stick_sort(w->doc);
    for (int64_t g = 0; g < doc->kv_heads; g++)
        for (int64_t n = 0; n < doc->c.keys; n++) {
            int64_t at[3] = { doc->b, doc->kv_head + g, doc->index[n] };
            int64_t to = g * doc->c.keys + n;

            lct_paged_row_to_f64(w->r->x, &p->request->paged, &p->request->k,
                                 at);
            lct_rotation_row(doc->k + to * p->Dq, p, w->r->x, LCT_KEY, at);
            lct_paged_row_to_f64(doc->v + to * p->Dv, &p->request->paged,
                                 &p->request->v, at);
            lct_rotation_value(p, doc->v + to * p->Dv, LCT_KEY, at, 1);
        }
    if (doc->x != NULL)
        for (int64_t n = 0; n < doc->c.keys; n++) {
            int64_t at[2] = { doc->b, doc->index[n] };

            lct_row_to_f64(doc->x + n * p->W, lct_at(x, at, 2), x->dtype,
                           (size_t)p->W);
        }
    if (p->tables->content != NULL)
        lct_rows_content_begin(w);
}

/* ------------------------------------------------------------------- scores */

static void load_query(const struct lct_rows_task *w, int64_t i)
{
    const struct lct_plan *p = w->p;
    const struct lct_rows_document *doc = w->doc;
    for (int64_t h = 0; h < doc->heads; h++) {
        int64_t index[3] = { doc->b, doc->head + h, i };
        double *q = w->r->q + h * p->Dq;
        double tau = lct_tables_factor(p, doc->b, doc->head + h, i);

        lct_row_to_f64(w->r->x, lct_at(&p->request->q, index, 3),
                       p->request->q.dtype, (size_t)p->D);
        lct_rotation_row(q, p, w->r->x, LCT_QUERY, index);
        for (int n = 1; n < lct_tables_relations(p); n++)
            lct_rotation_relation(q + n * doc->heads * p->Dq, p, w->r->x, n,
                                  index);
        if (tau == 1)
            continue;
        for (int n = 0; n < lct_tables_relations(p); n++)
            for (int64_t d = 0; d < p->Dq; d++)
                q[n * doc->heads * p->Dq + d] *= tau;
    }
}

/* Which relation each key of the document is in to the query. */
static void load_relations(const struct lct_rows_task *w)
{
    const locant_encoding *e = w->p->request->relations;

    if (e == NULL)
        return;
    for (int64_t n = 0; n < w->doc->c.keys; n++)
        e->row->relations.classify(w->r->relation + n, e, &w->q.pos, 1,
                                   w->doc->c.k_pos[n]);
}

struct lct_real_row lct_rows_real(const struct lct_rows_task *w, int64_t h)
{
    const struct lct_rows_document *doc = w->doc;

    return (struct lct_real_row){ .p = w->p,
                                  .b = doc->b,
                                  .h = doc->head + h,
                                  .i = w->q.index,
                                  .keys = doc->c.keys,
                                  .index = doc->index };
}

static void load_bias(const struct lct_rows_task *w)
{
    const struct lct_rows_document *doc = w->doc;
    struct lct_call call;

    memset(w->r->bias, 0, (size_t)(doc->heads * doc->c.keys) * sizeof(double));
    if (w->p->tables->score == NULL)
        return;
    call = *w->p->tables->score;
    call.last = doc->c.call.last;
    for (int64_t h = 0; h < doc->heads; h++) {
        struct lct_real_row real = lct_rows_real(w, h);

        if (w->p->request->real)
            lct_real_bias(w->r->bias + h * doc->c.keys, &real);
        else
            call.e->row->score.bias(w->r->bias + h * doc->c.keys, &call,
                                    doc->head + h, w->q.pos, doc->c.k_pos,
                                    (size_t)doc->c.keys);
    }
}

bool lct_rows_scores(struct lct_rows_task *w, int64_t i)
{
    const struct lct_plan *p = w->p;
    const struct lct_rows_document *doc = w->doc;
    int64_t keys = doc->c.keys, group = doc->heads / doc->kv_heads;
    bool any = false;

    w->q = (struct lct_query){
        .pos = p->tables->q_pos[lct_plan_row(p, doc->b) * p->T + i],
        .index = i,
        .q = w->r->q,
        .bias = w->r->bias,
        .memory = w->r->content.memory
    };
    load_query(w, i);
    load_relations(w);
    load_bias(w);
    lct_rows_factors_load(w);
    for (int64_t h = 0; h < doc->heads; h++) {
        const double *k = doc->k + h / group * keys * p->Dq;
        double *row = w->r->s + h * keys;

        for (int64_t n = 0; n < keys; n++) {
            const double *q = w->r->q + lct_rows_query_at(w, h, n);

            row[n] = -INFINITY;
            if (!lct_mask_visible(p, doc->b, doc->head + h, i, doc->index[n]))
                continue;
            row[n] = p->scale * lct_dot(q, k + n * p->Dq, p->Dq);
            if (p->tables->gain != NULL)
                row[n] *= w->r->gain[h * keys + n];
            row[n] += w->r->bias[h * keys + n];
            any = true;
        }
    }
    return any;
}

static void cap(double *s, double *slope, const struct lct_plan *p, int64_t n)
{
    if (p->request->softcap == 0)
        return;
    for (int64_t j = 0; j < n; j++) {
        double t = tanh(s[j] / p->request->softcap);

        if (slope != NULL)
            slope[j] = (1 - t) * (1 + t);
        if (s[j] != -INFINITY) /* not masked */
            s[j] = p->request->softcap * t;
    }
}

void lct_rows_finish_scores(double *s, double *slope,
                            const struct lct_rows_task *w)
{
    const struct lct_rows_document *doc = w->doc;
    int64_t keys = doc->c.keys;

    cap(s, slope, w->p, doc->heads * keys);
    if (w->p->request->bias == NULL)
        return;
    for (int64_t h = 0; h < doc->heads; h++)
        lct_dense_bias_add_keys(
            w->p, (int64_t[3]){ doc->b, doc->head + h, w->q.index }, doc->index,
            keys, s + h * keys);
}
