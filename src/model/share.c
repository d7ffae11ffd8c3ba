/*
 * share.c - divide a pass among threads: blocks of rows, and tiles of the
 * gradients of weights.
 *
 * The work of a task depends only on its number, and tasks are the same for any
 * number of threads; so the bits are the same, too.
 */
#include "parts.h"

struct job {
    struct lct_part part; /* first and rows are a task's own */
    int64_t rows;         /* of all blocks */
    lct_part_fn work;
    const struct lct_product_of *products;
    size_t tiles; /* of all products */
};

static void block(const struct job *j, size_t number)
{
    struct lct_part p = j->part;

    p.first = (int64_t)number * LCT_BLOCK;
    p.rows = j->rows - p.first < LCT_BLOCK ? j->rows - p.first : LCT_BLOCK;
    j->work(&p);
}

static int64_t tiles_of(const struct lct_product_of *p)
{
    return lct_linear_tiles(p->w->shape[0], p->w->shape[1]);
}

static void tile(const struct job *j, int64_t number)
{
    const struct lct_product_of *p = j->products;
    struct lct_linear s;

    for (; number >= tiles_of(p); p++)
        number -= tiles_of(p);
    s = (struct lct_linear){ p->rows, p->w->shape[0], p->w->shape[1] };
    lct_linear_backward_weight(j->part.m->grads + p->w->offset, p->dy, p->x, &s,
                               number);
}

/* Tiles come first, as they are larger: small blocks then balance the end. */
static void run(void *context, size_t task, int slot)
{
    const struct job *j = context;

    (void)slot;
    if (task < j->tiles)
        tile(j, (int64_t)task);
    else
        block(j, task - j->tiles);
}

void lct_model_rows(struct lct_model *m, int64_t layer, int64_t rows,
                    lct_part_fn work)
{
    lct_model_rows_and_weights(m, layer, rows, work, NULL, 0);
}

void lct_model_rows_and_weights(struct lct_model *m, int64_t layer,
                                int64_t rows, lct_part_fn work,
                                const struct lct_product_of *products, int n)
{
    struct job j = { { m, layer, 0, 0 }, rows, work, products, 0 };
    const size_t blocks = work == NULL ? 0 : (size_t)lct_blocks(rows);

    for (int i = 0; i < n; i++)
        j.tiles += (size_t)tiles_of(&products[i]);
    locant_parallel_for(j.tiles + blocks, run, &j);
}

static void pack(void *context, size_t task, int slot)
{
    const struct lct_model *m = context;
    const struct lct_model_tensor *t = &m->tensors[1 + task];

    (void)slot;
    if (t->rank == 2)
        lct_linear_pack(m->packed + t->offset,
                        m->train ? m->transposed + t->offset : NULL,
                        m->params + t->offset, t->shape[0], t->shape[1]);
}

void lct_model_pack(struct lct_model *m)
{
    locant_parallel_for((size_t)m->encoding_first - 1, pack, m);
}
