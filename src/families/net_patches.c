/*
 * net_patches.c - images as tokens, and classes from their states
 *
 * Dosovitskiy et al. 2021, arXiv:2010.11929v2, section 3.1; registers: Darcet
 * et al. 2024, arXiv:2309.16588v2.
 */
#include "net_patches.h"
#include "net_family_keys.h"
#include "net_math.h"
#include "net_linear.h"
#include "net_norm.h"
#include <inttypes.h>
#include <string.h>

/* ---------------------------------------------------------------- binding */

/* A whole number, or rows and columns. */
static locant_status read_sides(int64_t out[2], const struct lct_net *n,
                                const char *key)
{
    const json_t *value = json_object_get(n->config.text, key);

    for (size_t i = 0; value != NULL && i < 2; i++) {
        const json_t *item =
            json_is_array(value) ? json_array_get(value, i) : value;

        out[i] = json_integer_value(item);
        if (!json_is_integer(item))
            out[i] = 0;
    }
    if (out[0] > 0 && out[1] > 0 && out[0] <= 1 << 20 && out[1] <= 1 << 20)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: %s is not a number of pixels, or two",
                       n->config.file, key);
}

/* The convolution of patches as a matrix. */
static locant_status bind_map(struct lct_net_patches *p,
                              struct lct_net_binder *b)
{
    const struct lct_net_place at = { LCT_EMBED, -1, -1 };
    struct lct_net *n = b->n;
    const int64_t of_image[4] = { n->width, p->channels, p->side[0],
                                  p->side[1] };
    const int64_t of_clip[5] = { n->width, p->channels, p->frames, p->side[0],
                                 p->side[1] };
    const struct lct_weight *w;
    int64_t in;

    LCT_TRY(lct_net_bind_need(&w, b, at, ".weight"));
    if (b->s.frames > 0)
        LCT_TRY(lct_net_bind_shape(b->n, w, 5, of_clip));
    else
        LCT_TRY(lct_net_bind_shape(b->n, w, 4, of_image));
    in = p->channels * p->frames * p->side[0] * p->side[1];
    LCT_TRY(lct_net_bind_blocks(b->n, w, in));
    p->map.w = (struct lct_net_matrix){ .weight = w,
                                        .out = n->width,
                                        .in = in,
                                        .row = in,
                                        .group = n->width,
                                        .step = n->width };
    if (n->round_weights)
        LCT_TRY(lct_net_matrix_round(n, &p->map.w));
    w = lct_net_bind_find(b, at, ".bias");
    if (w == NULL && (b->s.biases & LCT_BIAS_PATCHES) != 0)
        LCT_TRY(lct_net_bind_need(&w, b, at, ".bias"));
    return w == NULL ? LOCANT_OK
                     : lct_net_bind_vector(&p->map.bias, n, w, n->width, 0);
}

/* The class token and registers, [n_prefix, D]. */
static locant_status bind_prefix(struct lct_net_patches *p,
                                 struct lct_net_binder *b)
{
    const enum lct_net_role roles[2] = { LCT_CLASS_TOKEN, LCT_REGISTERS };
    const struct lct_weight *w[2] = { NULL };
    struct lct_net *n = b->n;
    int64_t count[2] = { 0 }, said[2] = { 1, -1 };

    LCT_TRY(
        lct_net_family_keys_whole(&said[1], &n->config, "num_register_tokens"));
    for (int i = 0; i < 2; i++) {
        const struct lct_net_place at = { roles[i], -1, -1 };

        w[i] = lct_net_bind_find(b, at, "");
        if (w[i] == NULL && said[i] > 0 &&
            lct_net_names_role(&b->prefix, roles[i]) != NULL)
            LCT_TRY(lct_net_bind_need(&w[i], b, at, ""));
        if (w[i] == NULL)
            continue;
        LCT_TRY(lct_net_bind_shape(b->n, w[i], 3,
                                   (int64_t[3]){ 1, said[i], n->width }));
        count[i] = w[i]->shape[1];
        p->n_prefix += count[i];
    }
    p->prefix =
        lct_net_keep(n, (size_t)(p->n_prefix * n->width) * n->math->item);
    if (p->prefix == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    for (int i = 0; i < 2; i++)
        if (w[i] != NULL)
            n->math->read(
                lct_net_math_at(n->math, p->prefix, i * count[0] * n->width),
                w[i], 0, count[i] * n->width);
    return LOCANT_OK;
}

static locant_status bind_table(struct lct_net_patches *p,
                                struct lct_net_binder *b)
{
    const struct lct_net_place at = { LCT_POSITIONS, -1, -1 };
    const int64_t shape[2] = { p->rows_before + p->image[0] * p->image[1],
                               b->n->width };
    const struct lct_weight *w;
    void *table;

    if (lct_net_names_role(&b->prefix, LCT_POSITIONS) == NULL)
        return LOCANT_OK;
    if (b->s.frames > 0) {
        LCT_TRY(lct_net_bind_need(&w, b, at, ".weight"));
        LCT_TRY(lct_net_bind_shape(b->n, w, 2, shape));
    } else {
        LCT_TRY(lct_net_bind_need(&w, b, at, ""));
        LCT_TRY(lct_net_bind_shape(b->n, w, 3,
                                   (int64_t[3]){ 1, shape[0], shape[1] }));
    }
    LCT_TRY(lct_net_bind_vector(&table, b->n, w, shape[0] * shape[1], 0));
    p->table = locant_dense(table, b->n->dtype, 2, shape);
    return LOCANT_OK;
}

/* Patches of clips: their frames, those that are merged, and the square of a
   table that has no size of an image. */
static locant_status read_clips(struct lct_net_patches *p,
                                const struct lct_net_binder *b)
{
    const struct lct_config *c = &b->n->config;
    int64_t rows = 2304, side = 1;

    p->frames = b->s.frames;
    p->merge = 2;
    p->rows_before = 0;
    p->form = LOCANT_RESIZE_QWEN3VL;
    LCT_TRY(lct_net_family_keys_whole(&p->frames, c, "temporal_patch_size"));
    LCT_TRY(lct_net_family_keys_whole(&p->merge, c, "spatial_merge_size"));
    LCT_TRY(lct_net_family_keys_whole(&rows, c, "num_position_embeddings"));
    while (side < 1 << 15 && side * side < rows)
        side++;
    p->image[0] = side * p->side[0];
    p->image[1] = side * p->side[1];
    if (p->frames < 1 || p->frames > 256 || p->merge < 1 || p->merge > 256)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: temporal_patch_size is %" PRId64
                           " and spatial_merge_size %" PRId64
                           ", expected 1 to 256",
                           c->file, p->frames, p->merge);
    return side * side == rows
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_FORMAT,
                             "%s: num_position_embeddings is %" PRId64
                             ", expected a square",
                             c->file, rows);
}

locant_status lct_net_patches_bind(struct lct_net_patches **out,
                                   struct lct_net_binder *b)
{
    struct lct_net *n = b->n;
    struct lct_net_patches *p = lct_net_keep(n, sizeof(*p));
    const char *channels = b->s.frames > 0 ? "in_channels" : "num_channels";

    *out = p;
    if (p == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    p->image[0] = p->image[1] = 224;
    p->side[0] = p->side[1] = b->s.patch;
    p->channels = 3;
    p->any_size = b->s.any_size;
    LCT_TRY(read_sides(p->image, n, "image_size"));
    LCT_TRY(read_sides(p->side, n, "patch_size"));
    lct_config_integer(&p->channels, n->config.text, channels);
    if (p->channels < 1 || p->channels > 1 << 16)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: %s is %" PRId64 ", expected 1 to 65536",
                           n->config.file, channels, p->channels);
    p->frames = p->merge = p->rows_before = 1;
    p->form = LOCANT_RESIZE_HF;
    if (b->s.frames > 0)
        LCT_TRY(read_clips(p, b));
    for (int i = 0; i < 2; i++)
        p->image[i] /= p->side[i];
    LCT_TRY(bind_map(p, b));
    LCT_TRY(bind_prefix(p, b));
    if (p->n_prefix > 1) /* registers */
        p->form = LOCANT_RESIZE_DINOV2_REG;
    return bind_table(p, b);
}

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

void lct_net_patches_take(void *out, const struct lct_net_math *m,
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

locant_status lct_net_patches_table(locant_tensor *out, void **room,
                                    const struct lct_net_run *r, int64_t rows,
                                    int64_t columns)
{
    const struct lct_net_patches *p = r->stack->patches;
    const int64_t shape[2] = { p->rows_before + rows * columns, p->map.w.out };
    locant_resize how = LOCANT_RESIZE_INIT;

    *out = p->table;
    if (p->table.data == NULL ||
        (rows == p->image[0] && columns == p->image[1]))
        return LOCANT_OK;
    *room = locant_alloc((size_t)(shape[0] * shape[1]) * r->n->math->item);
    if (*room == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    *out = locant_dense(*room, r->n->dtype, 2, shape);
    LCT_TRY(locant_resize_set_form(&how, p->form));
    how.prefix = p->rows_before;
    how.from_rows = p->image[0];
    how.from_columns = p->image[1];
    how.rows = rows;
    how.columns = columns;
    return locant_resize_2d(out, &p->table, &how);
}

/* Row b of the batch, from its patches mapped to D. */
static void assemble(struct lct_net_run *r, const locant_tensor *table,
                     const void *patches, int64_t b, int64_t T)
{
    const struct lct_net_math *m = r->n->math;
    const struct lct_net_patches *p = r->stack->patches;
    const int64_t D = p->map.w.out, count = T - p->n_prefix;
    void *x = lct_net_math_at(m, r->x, b * T * D);
    void *first = lct_net_math_at(m, x, p->n_prefix * D);

    memcpy(x, p->prefix, (size_t)(p->n_prefix * D) * m->item);
    memcpy(first, lct_net_math_at(m, patches, b * count * D),
           (size_t)(count * D) * m->item);
    if (table->data == NULL)
        return;
    if (p->n_prefix > 0)
        m->add(x, table->data, 1, D);
    m->add(first, lct_net_math_at(m, table->data, D), 1, count * D);
}

/* Centres of patches in -1 .. 1, rows then columns; prefix tokens, which are
   not turned, sit at 0. */
static void set_coordinates(struct lct_net_run *r, int64_t T, int64_t rows,
                            int64_t columns)
{
    struct lct_net_cache *c = r->cache;
    const int64_t first = r->stack->patches->n_prefix;

    for (int64_t i = 0; c->axes == 2 && i < c->B * T; i++) {
        double *at = c->coords + (i / T * c->capacity + i % T) * 2;
        const int64_t patch = i % T - first;

        at[0] = at[1] = 0;
        if (patch < 0)
            continue;
        at[0] = (double)(2 * (patch / columns) + 1 - rows) / (double)rows;
        at[1] = (double)(2 * (patch % columns) + 1 - columns) / (double)columns;
    }
}

static void map_patches(void *out, void *in, struct lct_net_run *r,
                        const struct lct_net_tokens *t)
{
    const struct lct_net_patches *p = r->stack->patches;
    const struct lct_net_math *m = r->n->math;
    const int64_t rows = t->height / p->side[0],
                  columns = t->width / p->side[1];
    const int64_t count = rows * columns, B = r->cache->B;
    const int64_t image = p->channels * t->height * t->width;

    for (int64_t i = 0; i < B * count; i++)
        lct_net_patches_take(lct_net_math_at(m, in, i * p->map.w.in), m, p,
                             t->pixels + i / count * image, t,
                             i % count / columns, i % columns);
    lct_net_linear_forward(out, p->map.w.out, in, B * count, r->n, &p->map,
                           &r->room);
}

locant_status lct_net_patches_enter(struct lct_net_run *r,
                                    const struct lct_net_tokens *t)
{
    const struct lct_net_patches *p = r->stack->patches;
    const int64_t rows = t->height / p->side[0],
                  columns = t->width / p->side[1];
    const int64_t count = r->cache->B * rows * columns;
    const size_t item = r->n->math->item;
    void *in = locant_alloc((size_t)(count * p->map.w.in) * item);
    void *out = locant_alloc((size_t)(count * p->map.w.out) * item);
    void *room = NULL;
    locant_tensor table;
    locant_status status;

    if (in == NULL || out == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    else
        status = lct_net_patches_table(&table, &room, r, rows, columns);
    if (status == LOCANT_OK) {
        map_patches(out, in, r, t);
        for (int64_t b = 0; b < r->cache->B; b++)
            assemble(r, &table, out, b, t->T);
        set_coordinates(r, t->T, rows, columns);
        lct_net_norm_rows(r->x, r->x, r->cache->B * t->T, r->n->math,
                          &r->stack->input_norm);
    }
    locant_release(in);
    locant_release(out);
    locant_release(room);
    return status;
}

/* ------------------------------------------------------------------- head */

int64_t lct_net_patches_pooled(const struct lct_net *n)
{
    return n->pool == LCT_POOL_AND_MEAN ? 2 * n->width : n->width;
}

/* One row of what the head reads, from states x [T, D]. */
static void pool(void *out, const void *x, const struct lct_net *n, int64_t T)
{
    const struct lct_net_math *m = n->math;
    const int64_t D = n->width;
    const int64_t from =
        n->pool == LCT_POOL_MEAN ? 0 : n->text.patches->n_prefix;
    void *mean = out;

    if (n->pool != LCT_POOL_MEAN) {
        memcpy(out, x, (size_t)D * m->item);
        mean = lct_net_math_at(m, out, D);
    }
    if (n->pool == LCT_POOL_CLASS)
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
    void *pooled = locant_alloc((size_t)(B * width) * m->item);

    if (pooled == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    for (int64_t b = 0; b < B; b++)
        pool(lct_net_math_at(m, pooled, b * width),
             lct_net_math_at(m, r->x, b * T * n->width), n, T);
    lct_net_linear_forward(out, n->vocab, pooled, B, n, &n->head, &r->room);
    locant_release(pooled);
    return LOCANT_OK;
}
