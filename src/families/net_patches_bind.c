/* net_patches_bind.c - the map of patches, tokens before them, and places */
#include "net_patches_bind.h"
#include "net_family_keys.h"
#include "net_math.h"
#include "net_matrix.h"
#include <inttypes.h>

/* A whole number, or rows and columns. */
static locant_status read_sides(int64_t out[2], const struct lct_net *n,
                                const char *key)
{
    const json_t *value = json_object_get(n->config.text, key);
    char shown[LCT_CONFIG_SHOWN];

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
                       "%s: %s is %s, expected a number of pixels of 1 to %d, "
                       "or two",
                       n->config.file, key, lct_config_show(shown, value),
                       1 << 20);
}

/* The convolution of patches as a matrix. */
static locant_status bind_map(struct lct_net_patches *p,
                              struct lct_net_binder *b)
{
    struct lct_net *n = b->n;
    const int64_t of_image[4] = { n->width, p->channels, p->side[0],
                                  p->side[1] };
    const int64_t of_clip[5] = { n->width, p->channels, p->frames, p->side[0],
                                 p->side[1] };
    const bool clip = b->n->s.frames > 0;
    const struct lct_weight *w;

    LCT_TRY(lct_net_bind_matrix(&p->map.w, b, LCT_EMBED, ".weight",
                                clip ? 5 : 4, clip ? of_clip : of_image));
    LCT_TRY(lct_net_matrix_round(n, &p->map.w));
    LCT_TRY(lct_net_bind_find_bias(&w, b, LCT_EMBED, ".bias"));
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
        w[i] = lct_net_bind_find(b, roles[i], "");
        if (w[i] == NULL && said[i] > 0 && lct_net_bind_knows(b, roles[i]))
            LCT_TRY(lct_net_bind_need(&w[i], b, roles[i], ""));
        if (w[i] == NULL)
            continue;
        LCT_TRY(lct_net_bind_shape(b->n, w[i], 3,
                                   (int64_t[3]){ 1, said[i], n->width }));
        count[i] = w[i]->shape[1];
        p->n_prefix += count[i];
    }
    p->prefix =
        lct_net_keep(n, (size_t)(p->n_prefix * n->width) * n->math->item);
    LCT_NET_GOT(p->prefix);
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
    const bool clip = b->n->s.frames > 0;
    const int64_t shape[3] = { 1, p->rows_before + p->image[0] * p->image[1],
                               b->n->width };
    const struct lct_weight *w;
    void *table;

    if (!lct_net_bind_knows(b, LCT_POSITIONS))
        return LOCANT_OK;
    LCT_TRY(lct_net_bind_need(&w, b, LCT_POSITIONS, clip ? ".weight" : ""));
    LCT_TRY(
        lct_net_bind_shape(b->n, w, clip ? 2 : 3, clip ? shape + 1 : shape));
    LCT_TRY(lct_net_bind_vector(&table, b->n, w, shape[1] * shape[2], 0));
    p->table = locant_dense(table, b->n->dtype, 2, shape + 1);
    return LOCANT_OK;
}

/* Patches of clips: their frames, those that are merged, and the square of a
   table that has no size of an image. */
static locant_status read_clips(struct lct_net_patches *p,
                                const struct lct_net_binder *b)
{
    const struct lct_config *c = &b->n->config;
    int64_t rows = 2304, side = 1;

    p->frames = b->n->s.frames;
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
    const char *channels = b->n->s.frames > 0 ? "in_channels" : "num_channels";

    *out = p;
    LCT_NET_GOT(p);
    p->image[0] = p->image[1] = 224;
    p->side[0] = p->side[1] = b->n->s.patch;
    p->channels = 3;
    LCT_TRY(read_sides(p->image, n, "image_size"));
    LCT_TRY(read_sides(p->side, n, "patch_size"));
    lct_config_integer(&p->channels, n->config.text, channels);
    if (p->channels < 1 || p->channels > 1 << 16)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: %s is %" PRId64 ", expected 1 to 65536",
                           n->config.file, channels, p->channels);
    p->frames = p->merge = p->rows_before = 1;
    p->form = LOCANT_RESIZE_HF;
    if (b->n->s.frames > 0)
        LCT_TRY(read_clips(p, b));
    for (int i = 0; i < 2; i++)
        p->image[i] /= p->side[i];
    LCT_TRY(bind_map(p, b));
    LCT_TRY(bind_prefix(p, b));
    if (p->n_prefix > 1) /* registers */
        p->form = LOCANT_RESIZE_DINOV2_REG;
    return bind_table(p, b);
}
