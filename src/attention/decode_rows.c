/* decode_rows.c - rows of keys and values that kernels read in place */
#include "decode_rows.h"
#include "decode_paged.h"
#include "load.h"

bool lct_decode_rows_widen(const struct lct_plan *p, const struct lct_tile *t,
                           enum lct_decode_rows of)
{
    const struct lct_paged *paged = &p->request->paged;
    const locant_tensor *x =
        of == LCT_KEY_ROWS ? &p->request->k : &p->request->v;
    bool nan = false;

    if (paged->quant.kind == LOCANT_QUANT_NONE || p->D % LCT_PAD != 0 ||
        paged->quant.group % LCT_PAD != 0 || x->stride[2] < 0)
        return false;
    if (paged->quant.kind != LOCANT_QUANT_E4M3)
        return true;
    for (int64_t j = 0, run; j < t->keys && !nan; j += run) {
        int64_t at[3] = { t->b, lct_plan_kv_head(p, t->h), t->j + j };

        run = lct_paged_run(paged, x, t->b, at[2], t->keys - j);
        nan = p->kernels->has_e4m3_nan(lct_paged_at(paged, x, at),
                                       (ptrdiff_t)x->stride[2], (size_t)run,
                                       (size_t)p->D);
    }
    return !nan;
}

void lct_decode_rows_set(const struct lct_plan *p, struct lct_product *x,
                         const locant_tensor *rows)
{
    const struct lct_quant quant = p->request->paged.quant;
    bool quantised = rows->dtype == LOCANT_U8;

    x->kind =
        quantised ? lct_quant_stored(quant) : (enum lct_stored)rows->dtype;
    x->b_row = x->ahead_row = (size_t)rows->stride[2];
    x->group = (size_t)(quant.group > 0 ? quant.group : p->D);
}

/* The next head, which need not be valid, or the next tile. */
static const void *rows_ahead(const struct lct_plan *p,
                              const struct lct_decode_task *f,
                              const struct lct_tile *t, enum lct_decode_rows of,
                              int64_t i)
{
    bool last = f->share == f->heads;
    int64_t next[3] = { f->b, lct_plan_kv_head(p, t->h) + !last,
                        f->tile[last ? i + 1 : i] * LCT_TILE };

    if (p->request->paged.table != NULL)
        return lct_decode_paged_ahead(p, f, t, of, i, t->keys);
    return lct_at(of == LCT_KEY_ROWS ? &p->request->k : &p->request->v, next,
                  3);
}

bool lct_decode_rows_in_place(const struct lct_plan *p,
                              const struct lct_decode_task *f,
                              const struct lct_tile *t, enum lct_decode_rows of,
                              int64_t i, struct lct_product *x)
{
    const struct lct_paged *paged = &p->request->paged;
    const locant_tensor *all =
        of == LCT_KEY_ROWS ? &p->request->k : &p->request->v;
    int64_t at[3] = { t->b, lct_plan_kv_head(p, t->h), t->j };
    struct lct_paged_rows rows;

    if (lct_decode_rows_widen(p, t, of)) {
        if (lct_paged_run(paged, all, t->b, t->j, t->keys) < t->keys)
            return false;
        x->b = lct_paged_at(paged, all, at);
        lct_decode_rows_set(p, x, all);
        x->ahead = rows_ahead(p, f, t, of, i);
        return true;
    }
    rows = of == LCT_KEY_ROWS ? lct_load_key_rows(p, t, 0, t->keys, f->s)
                              : lct_load_value_rows(p, t, f->s);
    x->b = lct_load_in_place(&rows.x, rows.at,
                             of == LCT_KEY_ROWS ? p->read_columns
                                                : p->read_columns_v);
    if (x->b == NULL)
        return false;
    lct_decode_rows_set(p, x, &rows.x);
    x->warm = paged->quant.kind != LOCANT_QUANT_NONE; /* just dequantised */
    x->ahead = x->warm ? x->b : rows_ahead(p, f, t, of, i);
    return true;
}
