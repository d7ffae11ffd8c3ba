/* rows_store.c - gradients of rows to the tensors of the caller */
#include "rows_store.h"
#include "../kernel/row.h"
#include "rotation.h"
#include <string.h>

/* Undo the rotation of a row of dq or dk, add 'added' [n], and store it. */
static void store(const struct lct_rows_task *w,
                  const locant_attention_gradients *g, double *sums,
                  enum lct_role role, const int64_t index[3], double *row,
                  const double *added, int64_t n)
{
    const struct lct_request *request = w->p->request;
    const locant_tensor *x = role == LCT_QUERY ? &request->q : &request->k;
    const locant_tensor *dx = role == LCT_QUERY ? g->dq : g->dk;

    lct_row_to_f64(w->r->x, lct_at(x, index, 3), x->dtype, (size_t)w->p->D);
    lct_rotation_row_backward(w->r->dx, sums, w->p, row, w->r->x, role, index);
    if (added != NULL)
        lct_accumulate(w->r->dx, 1, added, n);
    if (dx != NULL)
        lct_row_from_f64(lct_at(dx, index, 3), dx->dtype, w->r->dx,
                         (size_t)w->p->D);
}

void lct_rows_store_query(const struct lct_rows_task *w,
                          const locant_attention_gradients *g, double *sums,
                          const int64_t index[3])
{
    const struct lct_plan *p = w->p;
    const int relations = lct_tables_relations(p);
    int64_t each = w->doc->heads * p->Dq;
    double *dq = w->r->dq + (index[1] - w->doc->head) * p->Dq;
    double tau = lct_tables_factor(p, index[0], index[1], index[2]);
    double *others = w->r->o;

    for (int n = 0; tau != 1 && n < relations; n++)
        for (int64_t d = 0; d < p->Dq; d++)
            dq[n * each + d] *= tau;
    if (relations > 1)
        memset(others, 0, (size_t)p->D * sizeof(*others));
    for (int n = 1; n < relations; n++)
        lct_rotation_relation_backward(others, p, dq + n * each, n, index);
    store(w, g, sums, LCT_QUERY, index, dq, relations > 1 ? others : NULL,
          p->D);
}

/* Store row n of the document's dk and dv, of head h of the document. */
static void store_key(const struct lct_rows_task *w,
                      const locant_attention_gradients *g, double *sums,
                      int64_t h, int64_t n)
{
    const struct lct_rows_document *doc = w->doc;
    const struct lct_plan *p = w->p;
    int64_t index[3] = { doc->b, doc->kv_head + h, doc->index[n] };
    int64_t at = h * doc->c.keys + n;
    double *dv = doc->dv + at * p->Dv;

    lct_rotation_value(p, dv, LCT_KEY, index, -1);
    store(w, g, sums, LCT_KEY, index, doc->dk + at * p->Dq,
          p->request->values_of_keys ? dv : NULL, p->Dv);
    if (g->dv != NULL)
        lct_row_from_f64(lct_at(g->dv, index, 3), g->dv->dtype, dv,
                         (size_t)p->Dv);
}

void lct_rows_store_keys(const struct lct_rows_task *w,
                         const locant_attention_gradients *g, double *sums)
{
    const struct lct_rows_document *doc = w->doc;

    for (int64_t h = 0; h < doc->kv_heads; h++)
        for (int64_t n = 0; n < doc->c.keys; n++)
            store_key(w, g, sums, h, n);
    if (g->dx == NULL || doc->dx == NULL)
        return;
    for (int64_t n = 0; n < doc->c.keys; n++) {
        int64_t index[2] = { doc->b, doc->index[n] };

        lct_row_from_f64(lct_at(g->dx, index, 2), g->dx->dtype,
                         doc->dx + n * w->p->W, (size_t)w->p->W);
    }
}

/* Set rows first .. last - 1 of d to 0. */
static void clear_heads(const locant_tensor *d, int64_t b, int64_t head,
                        int64_t heads, int64_t first, int64_t last)
{
    if (d != NULL)
        for (int64_t h = head; h < head + heads; h++)
            for (int64_t i = first; i < last; i++) {
                int64_t index[3] = { b, h, i };

                memset(lct_at(d, index, 3), 0,
                       (size_t)d->shape[3] * locant_dtype_size(d->dtype));
            }
}

void lct_rows_store_clear(const struct lct_rows_task *w,
                          const locant_attention_gradients *g, int64_t first,
                          int64_t last)
{
    const struct lct_rows_document *doc = w->doc;
    const int64_t S = w->p->S;

    clear_heads(g->dq, doc->b, doc->head, doc->heads, first, last);
    clear_heads(g->dk, doc->b, doc->kv_head, doc->kv_heads, 0, S);
    clear_heads(g->dv, doc->b, doc->kv_head, doc->kv_heads, 0, S);
}
