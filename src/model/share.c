/*
 * share.c - divide a pass among threads: blocks of rows, and tiles of the
 * gradients of weights.
 *
 * The tasks are the same for any number of threads, and so are the bits.
 */
#include "parts.h"

struct job {
    struct lct_row_block block; /* first and rows are a task's own */
    int64_t rows;               /* of all blocks */
    lct_row_block_fn work;
    const struct lct_weight_gradient *gradients;
    size_t tiles; /* of all gradients */
};

static void run_block(const struct job *j, size_t number)
{
    struct lct_row_block b = j->block;

    b.first = (int64_t)number * LCT_BLOCK;
    b.rows = j->rows - b.first < LCT_BLOCK ? j->rows - b.first : LCT_BLOCK;
    j->work(&b);
}

static int64_t tiles_of(const struct lct_weight_gradient *g)
{
    return lct_linear_tiles(g->w->shape[0], g->w->shape[1]);
}

static void run_tile(const struct job *j, int64_t number)
{
    const struct lct_weight_gradient *g = j->gradients;
    struct lct_linear s;

    for (; number >= tiles_of(g); g++)
        number -= tiles_of(g);
    s = (struct lct_linear){ g->rows, g->w->shape[0], g->w->shape[1] };
    lct_linear_backward_weight(j->block.m->grads + g->w->offset, g->dy, g->x,
                               &s, number);
}

/* Tiles are larger, so they start first, and blocks fill the threads at the
   end. */
static void run(void *context, size_t task, int slot)
{
    const struct job *j = context;

    (void)slot;
    if (task < j->tiles)
        run_tile(j, (int64_t)task);
    else
        run_block(j, task - j->tiles);
}

void lct_model_run_rows(struct lct_model *m, int64_t layer, int64_t rows,
                        lct_row_block_fn work)
{
    lct_model_run_rows_and_weights(m, layer, rows, work, NULL, 0);
}

void lct_model_run_rows_and_weights(struct lct_model *m, int64_t layer,
                                    int64_t rows, lct_row_block_fn work,
                                    const struct lct_weight_gradient *gradients,
                                    int n)
{
    struct job j = { { m, layer, 0, 0 }, rows, work, gradients, 0 };
    const size_t blocks = work == NULL ? 0 : (size_t)lct_blocks(rows);

    for (int i = 0; i < n; i++)
        j.tiles += (size_t)tiles_of(&gradients[i]);
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
