/* decode_paged.c - decode on a paged cache, piece by piece */
#include "decode_paged.h"
#include "arithmetic.h"
#include "decode_rows.h"
#include "load.h"

enum {
    /* Fewer keys than a vector holds are copied by kernels. */
    PIECE_ROWS = LCT_PAD,
    /* Prefetch distance, measured on Zen 5 with blocks of 4 KiB of float16 in
     * random order: 8 KiB take 1.06 times as long, 24 KiB 1.1. */
    AHEAD_BYTES = 16384
};

const void *lct_decode_paged_ahead(const struct lct_plan *p,
                                   const struct lct_decode_task *f,
                                   const struct lct_tile *t,
                                   enum lct_decode_rows of, int64_t i,
                                   int64_t row)
{
    const struct lct_request *r = p->request;
    bool keys = of == LCT_KEY_ROWS;
    int64_t head = lct_plan_kv_head(p, t->h);
    int64_t last = lct_plan_kv_head(p, f->head + f->heads - 1);
    int64_t at[3] = { t->b, head, t->j + row };

    if (row >= t->keys) {
        at[1] = head < last ? head + 1 : lct_plan_kv_head(p, f->head);
        at[2] -= t->keys;
    }
    if (row >= t->keys && head == last) {
        if (f->tiles > 1 || !keys)
            at[2] += f->tile[i + 1] * LCT_TILE - t->j;
        keys = f->tiles > 1 ? keys : !keys;
    }
    if (at[2] >= lct_plan_keys(p, t->b))
        at[2] = t->j;
    return lct_paged_at(&r->paged, keys ? &r->k : &r->v, at);
}

/* May kernels read pieces of x, the keys or values of t, in place? */
static bool reads_pieces(const struct lct_plan *p, const struct lct_tile *t,
                         enum lct_decode_rows of, const locant_tensor *x)
{
    const struct lct_paged *paged = &p->request->paged;
    bool words = x->dtype == LOCANT_F32 ||
                 (x->stride[0] % 2 == 0 && x->stride[1] % 2 == 0 &&
                  x->stride[2] % 2 == 0 && (uintptr_t)x->data % 4 == 0);

    if (paged->table == NULL || paged->rows % PIECE_ROWS != 0 ||
        p->read_columns != p->D || x->stride[2] < 0)
        return false;
    return x->dtype == LOCANT_U8 ? lct_decode_rows_widen(p, t, of) : words;
}

/* The pieces of keys or values of t, tile i of the run. */
struct pieces {
    const struct lct_plan *p;
    const struct lct_decode_task *f;
    const struct lct_tile *t;
    enum lct_decode_rows of;
    int64_t i;
    const locant_tensor *x; /* the keys or values */
    int64_t from, rows;     /* the piece: its rows in the tile */
    int64_t far;            /* rows from one to that prefetched meanwhile */
};

static struct pieces pieces_of(const struct lct_plan *p,
                               const struct lct_decode_task *f,
                               const struct lct_tile *t,
                               enum lct_decode_rows of, int64_t i)
{
    struct pieces e = { .p = p, .f = f, .t = t, .of = of, .i = i };
    int64_t row;

    e.x = of == LCT_KEY_ROWS ? &p->request->k : &p->request->v;
    row = e.x->shape[3] * (int64_t)locant_dtype_size(e.x->dtype);
    e.far = AHEAD_BYTES / row;
    e.far = lct_sizes_round_up(e.far > 0 ? e.far : 1, p->request->paged.rows);
    return e;
}

/* Step to the next piece and set the factor b of 'part' to it. */
static bool next_piece(struct pieces *e, struct lct_product *part)
{
    const struct lct_paged *paged = &e->p->request->paged;
    const struct lct_tile *t = e->t;
    int64_t at[3] = { t->b, lct_plan_kv_head(e->p, t->h), 0 };

    e->from += e->rows;
    if (e->from >= t->keys)
        return false;
    at[2] = t->j + e->from;
    e->rows = lct_paged_run(paged, e->x, t->b, at[2], t->keys - e->from);
    part->b = lct_paged_at(paged, e->x, at);
    /* Longer pieces prefetch their own rows, then those of the next piece. */
    part->warm = e->rows <= e->far;
    part->ahead = lct_decode_paged_ahead(
        e->p, e->f, t, e->of, e->i, e->from + (part->warm ? e->far : e->rows));
    return true;
}

static bool is_whole(const struct lct_plan *p, const struct lct_tile *t,
                     const locant_tensor *x)
{
    return lct_paged_run(&p->request->paged, x, t->b, t->j, t->keys) == t->keys;
}

static void set_rows(struct lct_product *part, const struct lct_plan *p,
                     const locant_tensor *x)
{
    lct_decode_rows_set(p, part, x);
    if (p->arithmetic->decode->channels == 2)
        part->kind = LCT_STORED_BF16_PAIRS;
}

bool lct_decode_paged_scores(const struct lct_plan *p,
                             const struct lct_decode_task *f,
                             const struct lct_tile *t, int64_t i,
                             const struct lct_product *x)
{
    const locant_tensor *k = &p->request->k;
    int64_t channels = p->arithmetic->decode->channels;
    struct lct_product part = *x;
    struct pieces e;

    if (p->tables->k_mapped != NULL || is_whole(p, t, k) ||
        !reads_pieces(p, t, LCT_KEY_ROWS, k))
        return false;
    set_rows(&part, p, k);
    part.b_row /= (size_t)channels; /* words */
    part.ahead_row = part.b_row;
    for (e = pieces_of(p, f, t, LCT_KEY_ROWS, i); next_piece(&e, &part);) {
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
    struct pieces e;

    if (f->guard[i] || is_whole(p, t, v) ||
        !reads_pieces(p, t, LCT_VALUE_ROWS, v))
        return false;
    set_rows(&part, p, v);
    for (e = pieces_of(p, f, t, LCT_VALUE_ROWS, i); next_piece(&e, &part);) {
        part.a = x->a + e.from / channels;
        part.k = (size_t)e.rows;
        p->kernels->decode_values(&part);
    }
    return true;
}
