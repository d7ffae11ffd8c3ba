/* decode_keys.c - decode with keys that are rotated as they are read */
#include "decode_keys.h"
#include "arithmetic.h"
#include "load.h"
#include "rotation.h"

void lct_decode_keys_angles(const struct lct_plan *p,
                            const struct lct_decode_task *f,
                            const struct lct_tile *t)
{
    const struct lct_places places = lct_rotation_places(p, LCT_KEY);
    int64_t at = lct_plan_row(p, t->b) * p->S + t->j;
    float *angles = f->d->angles;

    lct_places_angles((struct lct_table){ angles,
                                          angles + t->keys * p->schedule->pairs,
                                          false },
                      &places, (size_t)at, (size_t)t->keys);
}

/*
 * The rows to prefetch while row j is read: from row j of the next head or tile
 * on.  After the last tile the address is not valid.
 */
static const void *rows_ahead(const struct lct_plan *p,
                              const struct lct_decode_task *f,
                              const struct lct_tile *t, int64_t j)
{
    int64_t next = lct_plan_kv_head(p, t->h) + 1;
    int64_t at[3] = { t->b, next, t->j + j };

    if (next >= lct_plan_kv_head(p, f->head + f->heads)) {
        at[1] = lct_plan_kv_head(p, f->head);
        at[2] += LCT_TILE;
    }
    if (p->request->paged.table != NULL && at[2] >= lct_plan_keys(p, t->b))
        at[2] = t->j;
    return lct_paged_at(&p->request->paged, &p->request->k, at);
}

/*
 * Rotate and multiply a few keys at a time.  Meanwhile prefetch the next rows
 * into the second-level cache: in the first level, rows of a power of two bytes
 * would evict each other.
 */
void lct_decode_keys_scores(const struct lct_plan *p,
                            const struct lct_decode_task *f,
                            const struct lct_tile *t,
                            const struct lct_product *x)
{
    const struct lct_decode_arithmetic *arithmetic = p->arithmetic->decode;
    const locant_tensor *k = &p->request->k;
    ptrdiff_t size = (ptrdiff_t)locant_dtype_size(k->dtype);
    struct lct_product part = *x;
    int64_t rows, most = arithmetic->rotated_rows;

    part.b_row = x->k;
    part.kind = arithmetic->kind;
    part.ahead_row = (size_t)(k->stride[2] * size / (ptrdiff_t)sizeof(float));
    part.warm = true;
    for (int64_t j = 0; j < t->keys; j += rows) {
        rows = lct_paged_run(&p->request->paged, k, t->b, t->j + j,
                             t->keys - j < most ? t->keys - j : most);
        /* In place if there are enough for a vector, else copied. */
        if (rows < LCT_PAD)
            rows = t->keys - j < most ? t->keys - j : most;
        part.b = arithmetic->rotate_keys(p, f, t, j, rows);
        part.ahead = rows_ahead(p, f, t, j);
        part.c = x->c + j;
        part.n = (size_t)rows;
        p->kernels->decode_scores(&part);
    }
}
