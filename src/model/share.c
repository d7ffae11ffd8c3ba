/*
 * share.c - divide a pass among threads: blocks of rows, and tiles of the
 * gradients of weights.
 *
 * The tasks are the same for any number of threads, and so are the bits.
 */
#include "parts.h"
#include <stdatomic.h>

struct job {
    struct lct_row_block block; /* first and rows are a task's own */
    int64_t rows;               /* of all blocks */
    lct_row_block_fn work;
    const struct lct_weight_gradient *gradients;
    size_t tiles;   /* of all gradients */
    size_t workers; /* tasks that take tiles, each with scratch of its own */
    atomic_size_t next; /* tile that nobody has begun */
};

static void run_block(const struct job *j, size_t number)
{
    struct lct_row_block b = j->block;
    const int64_t rows = j->rows / lct_leaves_of_pass(b.m); /* of a leaf */
    const int64_t leaf = (int64_t)number / lct_blocks(rows);
    const int64_t at = (int64_t)number % lct_blocks(rows) * LCT_BLOCK;

    b.number = (int64_t)number;
    b.first = leaf * rows + at;
    b.rows = rows - at < LCT_BLOCK ? rows - at : LCT_BLOCK;
    j->work(&b);
}

static int64_t tiles_of(const struct lct_weight_gradient *g)
{
    return lct_linear_tiles(g->w->shape[0], g->w->shape[1]);
}

static void run_tile(const struct job *j, int64_t number, size_t worker)
{
    const struct lct_weight_gradient *g = j->gradients;
    struct lct_model *m = j->block.m;
    struct lct_linear s;

    for (; number >= tiles_of(g); g++)
        number -= tiles_of(g);
    if (lct_has_leaves(m)) {
        lct_leaves_add_tile(m, g, number,
                            m->leaf_room + worker * m->leaf_floats);
        return;
    }
    s = (struct lct_linear){ g->rows, g->w->shape[0], g->w->shape[1] };
    lct_linear_backward_weight(m->grads + g->w->offset, g->dy, g->x, &s,
                               number);
}

/* Tiles are larger, so they start first, and blocks fill the threads at the
   end. */
static void run(void *context, size_t task, int slot)
{
    struct job *j = context;

    (void)slot;
    if (task >= j->workers) {
        run_block(j, task - j->workers);
        return;
    }
    for (size_t tile; (tile = atomic_fetch_add(&j->next, 1)) < j->tiles;)
        run_tile(j, (int64_t)tile, task);
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
    struct job j = { .block = { .m = m, .layer = layer },
                     .rows = rows,
                     .work = work,
                     .gradients = gradients };
    const int64_t leaves = lct_leaves_of_pass(m);
    const int64_t blocks = work ? leaves * lct_blocks(rows / leaves) : 0;

    for (int i = 0; i < n; i++)
        j.tiles += (size_t)tiles_of(&gradients[i]);
    j.workers = j.tiles;
    if (lct_has_leaves(m) && j.workers > (size_t)m->slots)
        j.workers = (size_t)m->slots;
    locant_parallel_for(j.workers + (size_t)blocks, run, &j);
}

void lct_model_add_norm(struct lct_model *m, const struct lct_model_tensor *w,
                        int64_t rows)
{
    if (lct_has_leaves(m))
        lct_leaves_add_norm(m, w, rows);
    else
        lct_norm_backward_weight(m->grads + w->offset, m->sums,
                                 lct_blocks(rows), m->config.width);
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
