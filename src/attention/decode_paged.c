/* decode_paged.c - decode on a paged cache, without copying its blocks */
#include "decode_paged.h"
#include "arithmetic.h"
#include "load.h"

enum {
    /* A kernel computes fewer keys than a vector holds one by one. */
    PIECE_ROWS = LCT_PAD,
    /* Prefetch distances, as in kernel/decode.inc. */
    AHEAD_BYTES = 8192,
    AHEAD_BYTES_F32 = 16384
};

const void *lct_decode_paged_ahead(const struct lct_plan *p,
                                   const locant_tensor *x, const int64_t at[3],
                                   const void *otherwise)
{
    if (p->request->paged.table == NULL)
        return lct_at(x, at, 3);
    return at[2] < lct_plan_keys(p, at[0])
               ? lct_paged_at(&p->request->paged, x, at)
               : otherwise;
}

/* May kernels read pieces of x in place? */
static bool reads_pieces(const struct lct_plan *p, const locant_tensor *x)
{
    const struct lct_paged *paged = &p->request->paged;
    bool words = x->dtype == LOCANT_F32 ||
                 (x->stride[0] % 2 == 0 && x->stride[1] % 2 == 0 &&
                  x->stride[2] % 2 == 0 && (uintptr_t)x->data % 4 == 0);

    return paged->table != NULL && paged->rows % PIECE_ROWS == 0 && words &&
           p->read_columns == p->D && x->stride[2] >= 0;
}

/* The pieces of a tile: rows of x from at = b, h, j on. */
struct piece {
    const locant_tensor *x;
    int64_t at[3];
    int64_t from, rows; /* of the tile */
    int64_t far;        /* rows from one to that prefetched meanwhile */
};

static struct piece pieces_of(const struct lct_plan *p,
                              const struct lct_tile *t, const locant_tensor *x)
{
    struct piece e = { .x = x,
                       .at = { t->b, lct_plan_kv_head(p, t->h), t->j } };
    int64_t row = p->D * (int64_t)locant_dtype_size(x->dtype);

    e.far = (x->dtype == LOCANT_F32 ? AHEAD_BYTES_F32 : AHEAD_BYTES) / row;
    e.far = lct_sizes_round_up(e.far > 0 ? e.far : 1, p->request->paged.rows);
    return e;
}

/* Step to the next piece and set the factor b of 'part' to it. */
static bool next_piece(struct piece *e, const struct lct_plan *p,
                       const struct lct_tile *t, struct lct_product *part)
{
    int64_t ahead[3] = { e->at[0], e->at[1], 0 };

    e->from += e->rows;
    e->at[2] = t->j + e->from;
    if (e->from >= t->keys)
        return false;
    e->rows = lct_paged_run(&p->request->paged, e->x, t->b, e->at[2],
                            t->keys - e->from);
    part->b = lct_paged_at(&p->request->paged, e->x, e->at);
    /* Longer pieces prefetch their own rows, then those of the next piece. */
    part->warm = e->rows <= e->far;
    ahead[2] = e->at[2] + (part->warm ? e->far : e->rows);
    part->ahead = lct_decode_paged_ahead(p, e->x, ahead, part->b);
    return true;
}

static bool is_whole(const struct lct_plan *p, const struct lct_tile *t,
                     const locant_tensor *x)
{
    return lct_paged_run(&p->request->paged, x, t->b, t->j, t->keys) == t->keys;
}

bool lct_decode_paged_scores(const struct lct_plan *p,
                             const struct lct_decode_task *f,
                             const struct lct_tile *t,
                             const struct lct_product *x)
{
    const locant_tensor *k = &p->request->k;
    int64_t channels = p->arithmetic->decode->channels;
    struct lct_product part = *x;
    struct piece e;

    (void)f;
    if (!reads_pieces(p, k) || p->tables->k_mapped != NULL || is_whole(p, t, k))
        return false;
    part.kind =
        channels == 2 ? LCT_STORED_BF16_PAIRS : (enum lct_stored)k->dtype;
    part.b_row = part.ahead_row = (size_t)(k->stride[2] / channels);
    for (e = pieces_of(p, t, k); next_piece(&e, p, t, &part);) {
        part.c = x->c + e.from;
        part.n = (size_t)e.rows;
        p->kernels->decode_scores(&part);
    }
    return true;
}

bool lct_decode_paged_values(const struct lct_plan *p,
                             const struct lct_decode_task *f,
                             const struct lct_tile *t, int64_t i,
                             const struct lct_product *x)
{
    const locant_tensor *v = &p->request->v;
    int64_t channels = p->arithmetic->decode->channels;
    struct lct_product part = *x;
    struct piece e;

    if (f->guard[i] || !reads_pieces(p, v) || is_whole(p, t, v))
        return false;
    part.kind =
        channels == 2 ? LCT_STORED_BF16_PAIRS : (enum lct_stored)v->dtype;
    part.b_row = part.ahead_row = (size_t)v->stride[2];
    for (e = pieces_of(p, t, v); next_piece(&e, p, t, &part);) {
        part.a = x->a + e.from / channels;
        part.k = (size_t)e.rows;
        p->kernels->decode_values(&part);
    }
    return true;
}
