/* plan_vision.c - ViT, DINO, Swin, and the vision towers of Qwen */
#include "plan_vision.h"
#include "plan_tower.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Messages of a tower inside another model name its object. */
static const char *where(const struct lct_config *c)
{
    return c->text != c->root ? "vision_config." : "";
}

/* A whole number, or a list of two: rows, then columns. */
static locant_status sides(int64_t out[2], struct lct_plan_keys *k,
                           const char *key, int64_t fallback)
{
    const json_t *value = json_object_get(k->object, key);

    if (!json_is_array(value)) {
        LCT_TRY(lct_plan_keys_whole(&out[0], k, key, key, fallback, 1));
        out[1] = out[0];
        return LOCANT_OK;
    }
    for (size_t i = 0; i < 2; i++) {
        const json_t *item = json_array_get(value, i);

        out[i] = json_integer_value(item);
        if (json_array_size(value) != 2 || !json_is_integer(item) ||
            out[i] < 1 || out[i] > 1 << 24)
            return lct_plan_keys_wrong(k, k->where, key, value,
                                       "a number or two, at least 1");
    }
    return LOCANT_OK;
}

/* Rows and columns of patches. */
static locant_status grid(int64_t out[2], struct lct_plan_keys *k,
                          int64_t image, int64_t patch)
{
    int64_t size[2], side[2];

    LCT_TRY(sides(size, k, "image_size", image));
    LCT_TRY(sides(side, k, "patch_size", patch));
    for (int i = 0; i < 2; i++) {
        out[i] = size[i] / side[i];
        if (out[i] < 1 || out[i] > 1 << 20)
            return LCT_PLAN_KEYS_WRONG(k, "patch_size",
                                       "at least one patch in the %" PRId64
                                       " pixels of image_size",
                                       size[i]);
    }
    k->tower->ids = LCT_IDS_GRID;
    return LOCANT_OK;
}

static locant_status begin(struct lct_plan_keys *k, struct lct_position_plan *p,
                           const struct lct_config *c)
{
    int64_t hidden;

    LCT_TRY(lct_plan_tower_begin(k, p, "vision", c->text, where(c)));
    return lct_plan_tower_sizes(k, NULL, NULL, &hidden);
}

locant_status lct_plan_vision_vit(struct lct_position_plan *p,
                                  const struct lct_config *c)
{
    const struct lct_family *f = p->family;
    struct lct_plan_keys k;
    int64_t n[2];

    LCT_TRY(begin(&k, p, c));
    LCT_TRY(grid(n, &k, f->length, f->window));
    /* 'offset' is the number of class tokens, which have the first rows. */
    LCT_TRY(lct_plan_tower_learned(&k, n[0] * n[1] + f->offset, 0));
    return lct_plan_tower_same(&k, "none", LCT_BIDIRECTIONAL);
}

/* rope_theta of the dictionary of transformers 5, or of the top level. */
static locant_status base_of(double *out, struct lct_plan_keys *k, double usual)
{
    const json_t *params;

    LCT_TRY(lct_plan_keys_object(&params, k, "rope_parameters"));
    if (json_object_get(params, "rope_theta") == NULL)
        return lct_plan_keys_real(out, k, "base", "rope_theta", usual);
    LCT_TRY(lct_plan_keys_real_of(out, k, params, "rope_parameters.",
                                  "rope_theta", usual));
    return lct_plan_keys_note_real(k, "base", "rope_parameters.rope_theta",
                                   LCT_GIVEN, *out);
}

/* A grid of patches that is rotated by rows and columns. */
static locant_status rotated(struct lct_position_plan *p,
                             const struct lct_config *c, const char *form,
                             int64_t image, double usual)
{
    struct lct_plan_keys k;
    struct lct_plan_spec s = { 0 };
    double base;
    int64_t n[2];

    LCT_TRY(begin(&k, p, c));
    LCT_TRY(grid(n, &k, image, 16));
    LCT_TRY(base_of(&base, &k, usual));
    lct_plan_spec_put(&s, "rope2d(form=%s,width=%" PRId64 ",height=%" PRId64,
                      form, n[1], n[0]);
    if (base != usual)
        lct_plan_spec_number(&s, ",base=", base);
    lct_plan_spec_put(&s, ")");
    return lct_plan_tower_same_put(&k, &s, LCT_BIDIRECTIONAL);
}

locant_status lct_plan_vision_dinov3(struct lct_position_plan *p,
                                     const struct lct_config *c)
{
    return rotated(p, c, "dinov3", 224, 100);
}

locant_status lct_plan_vision_pixtral(struct lct_position_plan *p,
                                      const struct lct_config *c)
{
    return rotated(p, c, "pixtral", 1024, 10000);
}

/* -------------------------------------------------------------------- Swin */

/* Entry i of a list of whole numbers of at least 'least'. */
static locant_status entry(int64_t *out, struct lct_plan_keys *k,
                           const char *key, const json_t *list, size_t i,
                           int64_t least)
{
    const json_t *item = json_array_get(list, i);

    *out = json_integer_value(item);
    if (json_is_integer(item) && *out >= least && *out <= 1 << 20)
        return LOCANT_OK;
    return lct_plan_keys_wrong(k, k->where, key, list,
                               "a list of whole numbers of at least %" PRId64
                               ", one for each stage",
                               least);
}

struct swin {
    struct lct_plan_keys k;
    const json_t *depths, *heads, *pretrained;
    int64_t width, window, grid[2];
    bool second;
};

/* The layers of one stage, the first of which is layer 'first'. */
static locant_status stage(struct swin *w, size_t i, int64_t first, int64_t n)
{
    struct lct_tower *t = w->k.tower;
    const int64_t rows = w->grid[0] >> i, cols = w->grid[1] >> i;
    const int64_t least = rows < cols ? rows : cols;
    const int64_t window = least > 0 && least < w->window ? least : w->window;
    int64_t heads, pretrained = 0;

    LCT_TRY(entry(&heads, &w->k, "num_heads", w->heads, i, 1));
    if (heads > w->width << i)
        return lct_plan_keys_wrong(&w->k, w->k.where, "num_heads", w->heads,
                                   "no more heads than the %" PRId64
                                   " channels of stage %zu",
                                   w->width << i, i + 1);
    if (w->second && w->pretrained != NULL)
        LCT_TRY(entry(&pretrained, &w->k, "pretrained_window_sizes",
                      w->pretrained, i, 0));
    for (int64_t l = first; l < first + n; l++) {
        struct lct_layer_plan *layer = &t->layers[l];
        struct lct_plan_spec s = { 0 };

        layer->heads = layer->kv_heads = heads;
        layer->qk_dim = layer->v_dim = (w->width << i) / heads;
        layer->mask = LCT_BIDIRECTIONAL;
        layer->scale = 1 / sqrt((double)layer->qk_dim);
        if (w->second) {
            layer->scale = 1;
            snprintf(layer->scale_key, sizeof layer->scale_key, "logit_scale");
        }
        lct_plan_spec_put(&s, "swin%s(height=%" PRId64 ",width=%" PRId64,
                          w->second ? "v2" : "", window, window);
        if (pretrained > 0)
            lct_plan_spec_put(&s, ",pretrained=%" PRId64, pretrained);
        lct_plan_spec_put(&s, w->second ? ")+cosine" : ")");
        LCT_TRY(lct_plan_tower_layer(t, l, &s, w->k.plan->file));
    }
    return LOCANT_OK;
}

static locant_status swin_sizes(struct swin *w, int64_t *layers)
{
    struct lct_plan_keys *k = &w->k;
    int64_t n;

    LCT_TRY(lct_plan_keys_array(&w->depths, k, "depths"));
    LCT_TRY(lct_plan_keys_array(&w->heads, k, "num_heads"));
    LCT_TRY(lct_plan_keys_array(&w->pretrained, k, "pretrained_window_sizes"));
    if (w->depths == NULL) /* both are lists of the class */
        w->depths = json_object_get(k->own, "depths");
    if (w->heads == NULL)
        w->heads = json_object_get(k->own, "num_heads");
    LCT_TRY(lct_plan_keys_whole(&w->width, k, "hidden", "embed_dim", 96, 1));
    LCT_TRY(lct_plan_keys_whole(&w->window, k, "window", "window_size", 7, 1));
    LCT_TRY(grid(w->grid, k, 224, 4));
    *layers = 0;
    if (json_array_size(w->depths) < 1 || json_array_size(w->depths) > 8)
        return lct_plan_keys_wrong(k, k->where, "depths", w->depths,
                                   "1 to 8 stages");
    for (size_t i = 0; i < json_array_size(w->depths); i++) {
        LCT_TRY(entry(&n, k, "depths", w->depths, i, 1));
        *layers += n;
    }
    return lct_plan_tower_count(k, "depths", *layers);
}

static locant_status swin(struct swin *w)
{
    int64_t layers, first = 0, n;

    w->k.own = json_pack("{s:[iiii], s:[iiii]}", "depths", 2, 2, 6, 2,
                         "num_heads", 3, 6, 12, 24);
    if (w->k.own == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", w->k.plan->file);
    LCT_TRY(swin_sizes(w, &layers));
    LCT_TRY(lct_plan_tower_layers(w->k.tower, layers, 1, 1, w->width,
                                  w->k.plan->file));
    for (size_t i = 0; i < json_array_size(w->depths); i++) {
        LCT_TRY(entry(&n, &w->k, "depths", w->depths, i, 1));
        LCT_TRY(stage(w, i, first, n));
        first += n;
    }
    return LOCANT_OK;
}

locant_status lct_plan_vision_swin(struct lct_position_plan *p,
                                   const struct lct_config *c)
{
    struct swin w = { .second = (p->family->flags & LCT_SECOND) != 0 };
    locant_status s =
        lct_plan_tower_begin(&w.k, p, "vision", c->text, where(c));

    if (s == LOCANT_OK)
        s = swin(&w);
    lct_plan_tower_end(&w.k);
    return s;
}

/* -------------------------------------------------------------------- Qwen */

/* What the three towers differ in. */
struct qwen {
    const char *width;      /* the key of its channels */
    int64_t layers, hidden; /* of the class */
    bool windows;           /* some layers have them if the file says nothing */
    bool table;             /* learned positions beside the rotation */
};

/* Absent keys have the values of the class.  hidden_size of Qwen2-VL is the
   width of the text. */
static locant_status qwen_sizes(struct lct_plan_keys *k, const struct qwen *q)
{
    int64_t layers = q->layers, hidden = q->hidden, heads;

    LCT_TRY(lct_plan_keys_whole(&layers, k, "layers", "depth", layers, 1));
    LCT_TRY(lct_plan_tower_count(k, "depth", layers));
    LCT_TRY(lct_plan_keys_whole(&hidden, k, "hidden", q->width, hidden, 1));
    LCT_TRY(lct_plan_keys_whole(&heads, k, "heads", "num_heads", 16, 1));
    if (heads > hidden)
        return LCT_PLAN_KEYS_WRONG(
            k, "num_heads", "no more heads than the %" PRId64 " channels",
            hidden);
    return lct_plan_tower_layers(k->tower, layers, heads, heads, hidden / heads,
                                 k->plan->file);
}

/* Qwen2.5-VL: windows of 112 pixels but in some layers. */
static locant_status qwen_windows(struct lct_plan_keys *k, const struct qwen *q)
{
    static const int64_t usual[] = { 7, 15, 23, 31 };
    const json_t *full;
    int64_t pixels, patch[2];

    LCT_TRY(lct_plan_keys_array(&full, k, "fullatt_block_indexes"));
    if (full == NULL && !q->windows)
        return LOCANT_OK;
    LCT_TRY(lct_plan_keys_whole(&pixels, k, "window (pixels)", "window_size",
                                112, 1));
    LCT_TRY(sides(patch, k, "patch_size", 14));
    for (int64_t l = 0; l < k->tower->n_layers; l++)
        k->tower->layers[l].grid_window = pixels / patch[0];
    for (size_t i = 0; full == NULL && i < sizeof usual / sizeof usual[0]; i++)
        if (usual[i] < k->tower->n_layers)
            k->tower->layers[usual[i]].grid_window = 0;
    for (size_t i = 0; i < json_array_size(full); i++) {
        const json_t *item = json_array_get(full, i);
        const json_int_t l = json_integer_value(item);

        if (!json_is_integer(item) || l < 0 || l >= k->tower->n_layers)
            return lct_plan_keys_wrong(k, k->where, "fullatt_block_indexes",
                                       item, "numbers of layers");
        k->tower->layers[l].grid_window = 0;
    }
    return LOCANT_OK;
}

static locant_status qwen(struct lct_position_plan *p,
                          const struct lct_config *c, const struct qwen *q)
{
    struct lct_plan_spec s = { 0 };
    struct lct_plan_keys k;
    double base;
    int64_t rows;
    char spec[64];

    LCT_TRY(lct_plan_tower_begin(&k, p, "vision", c->text, where(c)));
    LCT_TRY(qwen_sizes(&k, q));
    LCT_TRY(qwen_windows(&k, q));
    k.tower->ids = LCT_IDS_GRID;
    if (q->table) {
        LCT_TRY(lct_plan_keys_whole(&rows, &k, "rows",
                                    "num_position_embeddings", 2304, 1));
        snprintf(spec, sizeof spec, "learned(length=%" PRId64 ")", rows);
        LCT_TRY(lct_plan_tower_input(&k, spec));
    }
    LCT_TRY(base_of(&base, &k, 10000));
    lct_plan_spec_put(&s, "rope2d(form=qwen");
    if (base != 10000)
        lct_plan_spec_number(&s, ",base=", base);
    lct_plan_spec_put(&s, ")");
    return lct_plan_tower_same_put(&k, &s, LCT_BIDIRECTIONAL);
}

locant_status lct_plan_vision_qwen2(struct lct_position_plan *p,
                                    const struct lct_config *c)
{
    static const struct qwen q = { "embed_dim", 32, 1280, false, false };

    return qwen(p, c, &q);
}

locant_status lct_plan_vision_qwen2_5(struct lct_position_plan *p,
                                      const struct lct_config *c)
{
    static const struct qwen q = { "hidden_size", 32, 3584, true, false };

    return qwen(p, c, &q);
}

locant_status lct_plan_vision_qwen3(struct lct_position_plan *p,
                                    const struct lct_config *c)
{
    static const struct qwen q = { "hidden_size", 27, 1152, false, true };

    return qwen(p, c, &q);
}
