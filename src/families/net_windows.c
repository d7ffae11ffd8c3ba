/*
 * net_windows.c - attention within windows of patches, and merged patches
 *
 * Liu et al. 2021, arXiv:2103.14030v2, sections 3.1 and 3.2; of version 2 Liu
 * et al. 2022, arXiv:2111.09883v2.  Every second layer rolls the image, whose
 * parts that were apart do not see each other.  A row or column that is missing
 * to a whole window is zeros, which are seen.
 */
#include "net_windows.h"
#include "net_family_keys.h"
#include "net_math.h"
#include "net_norm.h"
#include <inttypes.h>
#include <string.h>

/* Norms of merged patches have this, whatever the configuration says. */
#define MERGE_EPS 1e-5

/* ---------------------------------------------------------------- binding */

locant_status lct_net_windows_begin(struct lct_net_binder *b)
{
    static const int64_t usual[4] = { 2, 2, 6, 2 };
    const struct lct_config *c = &b->n->config;
    const json_t *depths = json_object_get(c->text, "depths");
    bool absolute = false;

    if (b->n->s.window == 0)
        return LOCANT_OK;
    b->n->width = 96;
    LCT_TRY(lct_net_family_keys_whole(&b->n->width, c, "embed_dim"));
    LCT_TRY(lct_net_family_keys_whole(&b->n->s.window, c, "window_size"));
    if (b->n->s.window < 1 || b->n->s.window > 4096)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: window_size is %" PRId64 ", expected 1 to 4096",
                           c->file, b->n->s.window);
    LCT_TRY(lct_net_family_keys_bool(&absolute, c, "use_absolute_embeddings"));
    if (absolute)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: use_absolute_embeddings: models with a table "
                           "beside windows cannot be run",
                           c->file);
    b->prefix.n_stages = depths != NULL ? (int)json_array_size(depths) : 4;
    for (int i = 0; i < b->prefix.n_stages; i++)
        b->prefix.depths[i] =
            depths != NULL
                ? json_integer_value(json_array_get(depths, (size_t)i))
                : usual[i];
    return LOCANT_OK;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static locant_status bind_merge(struct lct_net_layer *l,
                                struct lct_net_binder *b, int64_t stage)
{
    const int64_t D = b->n->width;

    l->merge = lct_net_keep(b->n, sizeof(*l->merge));
    LCT_NET_GOT(l->merge);
    b->part = stage;
    LCT_TRY(lct_net_bind_linear(&l->merge->map, b, LCT_MERGE, 2 * D, 4 * D));
    LCT_TRY(lct_net_bind_norm(&l->merge->norm, b, LCT_MERGE_NORM,
                              b->n->s.merge_norm_after ? 2 * D : 4 * D));
    l->merge->norm.eps = MERGE_EPS;
    b->n->width *= 2; /* of the next stage */
    return LOCANT_OK;
}

/*
 * A window is as wide as the usual image of the stage if that is smaller, and
 * is not shifted then.  Version 2 halves the size of that image and drops what
 * is left, version 1 asks the patches that there are.
 */
locant_status lct_net_windows_bind(struct lct_net_layer *l,
                                   const struct lct_net_stack *s,
                                   struct lct_net_binder *b)
{
    int64_t within, halved;
    const int stage = lct_net_names_stage(&within, &b->prefix, b->layer);
    struct lct_net_window *w;

    if (b->n->s.window == 0)
        return LOCANT_OK;
    halved = smaller(s->patches->image[0], s->patches->image[1]) >> stage;
    l->window = w = lct_net_keep(b->n, sizeof(*w));
    LCT_NET_GOT(w);
    w->by_image = !b->n->s.merge_norm_after;
    w->side = halved > 0 ? smaller(halved, b->n->s.window) : b->n->s.window;
    if (within % 2 == 1 && (w->by_image || halved > w->side))
        w->shift = w->side / 2;
    if (within + 1 < b->prefix.depths[stage] || stage + 1 == b->prefix.n_stages)
        return LOCANT_OK;
    return bind_merge(l, b, stage);
}

/* ---------------------------------------------------------------- windows */

/* Rows of all windows, and memory for them. */
struct windows {
    int64_t rows, columns; /* patches of an image */
    int64_t side, shift;
    int64_t down, across, area, all; /* windows of an image, patches of one,
                                        of the batch */
    struct lct_net_cache *cache;
    void *x, *y;
};

static locant_status make_windows(struct windows *w,
                                  const struct lct_net_step *s,
                                  const struct lct_net_layer *l)
{
    const struct lct_net_window *from = l->window;
    struct lct_net_layer layer = *l;
    const struct lct_net_stack one = { .layers = &layer,
                                       .n_layers = 1,
                                       .axes = 1 };
    int64_t count;

    layer.window = NULL;
    w->rows = s->rows;
    w->columns = s->columns;
    w->side = from->side;
    if (!from->by_image || smaller(w->rows, w->columns) > w->side)
        w->shift = from->shift;
    w->down = (w->rows + w->side - 1) / w->side;
    w->across = (w->columns + w->side - 1) / w->side;
    w->area = w->side * w->side;
    count = s->cache->B * w->down * w->across;
    w->all = count * w->area;
    LCT_TRY(lct_net_cache_create(&w->cache, s->room, &one, count, w->area));
    w->x = lct_net_take(s->room, w->all, l->width);
    w->y = lct_net_take(s->room, w->all, l->width);
    LCT_NET_GOT(w->y);
    lct_net_cache_append(w->cache, LCT_IDS_ARANGE, w->area, NULL, NULL, 0, 0);
    return LOCANT_OK;
}

/* Which third of an axis a place of the rolled image comes from. */
static int64_t region(int64_t i, int64_t n, const struct windows *w)
{
    return (i >= n - w->side) + (i >= n - w->shift);
}

/* Row and column of the rolled, padded image of patch 'at' of all windows;
   returns which row of [B T, D] that is, -1: padding. */
static int64_t source(int64_t *y, int64_t *x, const struct windows *w,
                      int64_t at)
{
    const int64_t window = at / w->area, patch = at % w->area;
    const int64_t each = w->down * w->across;
    int64_t row, column;

    *y = window % each / w->across * w->side + patch / w->side;
    *x = window % each % w->across * w->side + patch % w->side;
    row = (*y + w->shift) % (w->down * w->side);
    column = (*x + w->shift) % (w->across * w->side);
    return row >= w->rows || column >= w->columns
               ? -1
               : (window / each * w->rows + row) * w->columns + column;
}

static void fill_windows(struct windows *w, const void *x,
                         const struct lct_net_step *s,
                         const struct lct_net_layer *l)
{
    const struct lct_net_math *m = s->n->math;
    const size_t bytes = (size_t)l->width * m->item;
    int64_t y, column;

    for (int64_t i = 0; i < w->all; i++) {
        const int64_t row = source(&y, &column, w, i);
        void *to = lct_net_math_at(m, w->x, i * l->width);

        if (row < 0)
            memset(to, 0, bytes);
        else
            memcpy(to, lct_net_math_at(m, x, row * l->width), bytes);
        if (w->shift > 0)
            w->cache->docs[i] = 3 * region(y, w->down * w->side, w) +
                                region(column, w->across * w->side, w);
    }
    w->cache->padded = w->shift > 0; /* of different documents */
}

static void empty_windows(void *y, const struct windows *w,
                          const struct lct_net_step *s,
                          const struct lct_net_layer *l)
{
    const struct lct_net_math *m = s->n->math;
    int64_t line, column;

    for (int64_t i = 0; i < w->all; i++) {
        const int64_t row = source(&line, &column, w, i);

        if (row >= 0)
            memcpy(lct_net_math_at(m, y, row * l->width),
                   lct_net_math_at(m, w->y, i * l->width),
                   (size_t)l->width * m->item);
    }
}

locant_status lct_net_windows_forward(void *y, const void *x,
                                      const struct lct_net_step *s,
                                      const struct lct_net_layer *l)
{
    const size_t mark = s->room->used;
    struct lct_net_step step = { .n = s->n, .room = s->room };
    struct windows w = { 0 };

    LCT_TRY(make_windows(&w, s, l));
    step.cache = w.cache;
    step.T = w.area;
    fill_windows(&w, x, s, l);
    LCT_TRY(lct_net_attention_forward(w.y, w.x, &step, &l->attention, 0));
    empty_windows(y, &w, s, l);
    lct_net_give_back(s->room, mark);
    return LOCANT_OK;
}

/* ------------------------------------------------------------------ merge */

/* Four patches side by side: (0,0), (1,0), (0,1), (1,1), each row, column. */
static void gather(void *out, const void *x, const struct lct_net_step *s,
                   int64_t width, int64_t b, int64_t row, int64_t column)
{
    const struct lct_net_math *m = s->n->math;
    const size_t bytes = (size_t)width * m->item;

    for (int64_t k = 0; k < 4; k++) {
        const int64_t i = 2 * row + k % 2, j = 2 * column + k / 2;
        void *to = lct_net_math_at(m, out, k * width);

        if (i >= s->rows || j >= s->columns)
            memset(to, 0, bytes);
        else
            memcpy(to,
                   lct_net_math_at(
                       m, x, ((b * s->rows + i) * s->columns + j) * width),
                   bytes);
    }
}

locant_status lct_net_windows_merge(void *x, struct lct_net_step *s,
                                    const struct lct_net_layer *l)
{
    const struct lct_net_math *m = s->n->math;
    const struct lct_net_merge *merge = l->merge;
    const int64_t rows = (s->rows + 1) / 2;
    const int64_t columns = (s->columns + 1) / 2;
    const int64_t T = rows * columns, all = s->cache->B * T;
    const int64_t width = 4 * l->width;
    const size_t mark = s->room->used;
    void *four = lct_net_take(s->room, all, width);

    LCT_NET_GOT(four);
    for (int64_t i = 0; i < all; i++)
        gather(lct_net_math_at(m, four, i * width), x, s, l->width, i / T,
               i % T / columns, i % columns);
    if (!s->n->s.merge_norm_after)
        lct_net_norm_rows(four, four, all, m, &merge->norm);
    lct_net_linear_forward(x, four, all, &merge->map, s->room);
    if (s->n->s.merge_norm_after)
        lct_net_norm_rows(x, x, all, m, &merge->norm);
    lct_net_give_back(s->room, mark);
    s->T = T;
    s->rows = rows;
    s->columns = columns;
    return LOCANT_OK;
}
