/*
 * net_patches.c - images as tokens, and classes from their states
 *
 * Dosovitskiy et al. 2021, arXiv:2010.11929v2, section 3.1; registers: Darcet
 * et al. 2024, arXiv:2309.16588v2.
 */
#include "net_patches.h"
#include "net_grid.h"
#include "net_math.h"
#include "net_linear.h"
#include "net_norm.h"
#include <string.h>

/* ------------------------------------------------------------------ sizes */

bool lct_net_patches_count(int64_t *tokens, const struct lct_net *n,
                           int64_t height, int64_t width)
{
    const struct lct_net_patches *p = n->text.patches;
    const int64_t most = 1 << 24;

    if (height < 1 || width < 1 || height > most || width > most ||
        height % p->side[0] != 0 || width % p->side[1] != 0)
        return false;
    *tokens = p->n_prefix + height / p->side[0] * (width / p->side[1]);
    return true;
}

int64_t lct_net_patches_states(const struct lct_net *n, int64_t height,
                               int64_t width)
{
    const struct lct_net_patches *p = n->text.patches;
    int64_t rows = height / p->side[0], columns = width / p->side[1];

    for (int64_t i = 0; i < n->text.n_layers; i++)
        if (n->text.layers[i].merge != NULL) {
            rows = (rows + 1) / 2;
            columns = (columns + 1) / 2;
        }
    return p->n_prefix + rows * columns;
}

/* ------------------------------------------------------------------ enter */

/* Rows and columns of patches, and which one a token after the prefix is. */
struct places {
    const struct lct_net_grid *grid; /* or NULL: in reading order */
    int64_t rows, columns;
};

static struct places places_of(const struct lct_net_tokens *t,
                               const struct lct_net_patches *p)
{
    return t->grid != NULL
               ? (struct places){ t->grid, t->grid->rows, t->grid->columns }
               : (struct places){ NULL, t->height / p->side[0],
                                  t->width / p->side[1] };
}

static void place(int64_t *y, int64_t *x, const struct places *at, int64_t i)
{
    *y = i / at->columns;
    *x = i % at->columns;
    if (at->grid != NULL)
        lct_net_grid_patch(y, x, at->grid, i);
}

/* out [channels frames side side] = patch (y, x) of an image, which all frames
   show. */
static void cut_out(void *out, const struct lct_net_math *m,
                    const struct lct_net_patches *p, const float *image,
                    const struct lct_net_tokens *t, int64_t y, int64_t x)
{
    int64_t at = 0;

    for (int64_t c = 0; c < p->channels; c++)
        for (int64_t f = 0; f < p->frames; f++)
            for (int64_t i = 0; i < p->side[0]; i++)
                for (int64_t j = 0; j < p->side[1]; j++)
                    m->set(
                        out, at++,
                        image[(c * t->height + y * p->side[0] + i) * t->width +
                              x * p->side[1] + j]);
}

/* out [count, ..] = the numbers of the patches of row b. */
static void take_patches(void *out, const struct lct_net_run *r,
                         const struct lct_net_tokens *t,
                         const struct places *at, int64_t b)
{
    const struct lct_net_patches *p = r->stack->patches;
    const struct lct_net_math *m = r->n->math;
    const int64_t each = p->map.w.in, count = at->rows * at->columns;
    const int64_t image = p->channels * t->height * t->width;
    int64_t y, x, from;

    for (int64_t i = 0; i < count; i++) {
        void *to = lct_net_math_at(m, out, i * each);

        place(&y, &x, at, i);
        if (t->height > 0)
            cut_out(to, m, p, t->pixels + (at->grid != NULL ? 0 : b * image), t,
                    y, x);
        else {
            from = b * count + lct_net_grid_patch(&y, &x, at->grid, i);
            for (int64_t k = 0; k < each; k++)
                m->set(to, k, t->pixels[from * each + k]);
        }
    }
}

/* The table for so many patches: itself, or resized in the room of the run;
   data NULL: there is none. */
static locant_status resized_table(locant_tensor *out, struct lct_net_run *r,
                                   const struct places *at)
{
    const struct lct_net_patches *p = r->stack->patches;
    const int64_t shape[2] = { p->rows_before + at->rows * at->columns,
                               p->map.w.out };
    locant_resize how = LOCANT_RESIZE_INIT;
    void *resized;

    *out = p->table;
    if (p->table.data == NULL ||
        (at->rows == p->image[0] && at->columns == p->image[1]))
        return LOCANT_OK;
    resized = lct_net_take(&r->room, shape[0], shape[1]);
    LCT_NET_GOT(resized);
    *out = locant_dense(resized, r->n->dtype, 2, shape);
    LCT_TRY(locant_resize_set_form(&how, p->form));
    how.prefix = p->rows_before;
    how.from_rows = p->image[0];
    how.from_columns = p->image[1];
    how.rows = at->rows;
    how.columns = at->columns;
    return locant_resize_2d(out, &p->table, &how);
}

/* Add the rows of the table to a row x of the batch; of its prefix the class
   token has one. */
static void add_table(void *x, const struct lct_net_run *r,
                      const locant_tensor *table, const struct places *at)
{
    const struct lct_net_math *m = r->n->math;
    const struct lct_net_patches *p = r->stack->patches;
    const int64_t D = p->map.w.out;
    void *first = lct_net_math_at(m, x, p->n_prefix * D);
    int64_t row, column;

    if (p->n_prefix > 0)
        m->add(x, table->data, 1, D);
    for (int64_t i = 0; i < at->rows * at->columns; i++) {
        place(&row, &column, at, i);
        m->add(
            lct_net_math_at(m, first, i * D),
            lct_net_math_at(m, table->data,
                            (p->rows_before + row * at->columns + column) * D),
            1, D);
    }
}

/* Rows and columns of the patches of a clip; or their centres in -1 .. 1, where
   prefix tokens, which are not turned, sit at 0. */
static void set_coordinates(struct lct_net_run *r, const struct places *at,
                            int64_t b)
{
    const int64_t P = r->stack->patches->n_prefix;
    double *c = r->cache->coords + b * r->cache->capacity * 2;
    int64_t y, x;

    for (int64_t i = 0; i < 2 * P; i++)
        c[i] = 0;
    for (int64_t i = 0; i < at->rows * at->columns; i++) {
        double *to = c + 2 * (P + i);

        place(&y, &x, at, i);
        to[0] = at->grid != NULL
                    ? (double)y
                    : (double)(2 * y + 1 - at->rows) / (double)at->rows;
        to[1] = at->grid != NULL
                    ? (double)x
                    : (double)(2 * x + 1 - at->columns) / (double)at->columns;
    }
}

locant_status lct_net_patches_enter(struct lct_net_run *r,
                                    const struct lct_net_tokens *t)
{
    const struct lct_net_patches *p = r->stack->patches;
    const struct lct_net_math *m = r->n->math;
    const struct places at = places_of(t, p);
    const int64_t count = at.rows * at.columns, D = p->map.w.out;
    const size_t mark = r->room.used;
    void *in = lct_net_take(&r->room, count, p->map.w.in);
    locant_tensor table;

    LCT_NET_GOT(in);
    LCT_TRY(resized_table(&table, r, &at));
    for (int64_t b = 0; b < r->cache->B; b++) {
        void *x = lct_net_math_at(m, r->x, b * t->T * D);
        void *first = lct_net_math_at(m, x, p->n_prefix * D);

        memcpy(x, p->prefix, (size_t)(p->n_prefix * D) * m->item);
        take_patches(in, r, t, &at, b);
        lct_net_linear_forward(first, in, count, &p->map, &r->room);
        if (table.data != NULL)
            add_table(x, r, &table, &at);
        if (r->cache->axes == 2)
            set_coordinates(r, &at, b);
    }
    lct_net_norm_rows(r->x, r->x, r->cache->B * t->T, m, &r->stack->input_norm);
    lct_net_give_back(&r->room, mark);
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- head */

int64_t lct_net_patches_pooled(const struct lct_net *n)
{
    return n->s.pool == LCT_POOL_AND_MEAN ? 2 * n->width : n->width;
}

/* One row of what the head reads, from states x [T, D]. */
static void pool(void *out, const void *x, const struct lct_net *n, int64_t T)
{
    const struct lct_net_math *m = n->math;
    const int64_t D = n->width;
    const int64_t from =
        n->s.pool == LCT_POOL_MEAN ? 0 : n->text.patches->n_prefix;
    void *mean = out;

    if (n->s.pool != LCT_POOL_MEAN) {
        memcpy(out, x, (size_t)D * m->item);
        mean = lct_net_math_at(m, out, D);
    }
    if (n->s.pool == LCT_POOL_CLASS)
        return;
    memset(mean, 0, (size_t)D * m->item);
    for (int64_t t = from; t < T; t++)
        m->add(mean, lct_net_math_at(m, x, t * D), 1, D);
    m->scale(mean, 1 / (double)(T - from), D);
}

locant_status lct_net_patches_head(void *out, struct lct_net_run *r, int64_t T)
{
    const struct lct_net *n = r->n;
    const struct lct_net_math *m = n->math;
    const int64_t B = r->cache->B, width = lct_net_patches_pooled(n);
    const size_t mark = r->room.used;
    void *pooled = lct_net_take(&r->room, B, width);

    LCT_NET_GOT(pooled);
    for (int64_t b = 0; b < B; b++)
        pool(lct_net_math_at(m, pooled, b * width),
             lct_net_math_at(m, r->x, b * T * n->width), n, T);
    lct_net_linear_forward(out, pooled, B, &n->head, &r->room);
    lct_net_give_back(&r->room, mark);
    return LOCANT_OK;
}
