/* layout.c - place parameters and activations in their allocations */
#include "parts.h"
#include "../core/size.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char fn[] = "lct_model_create";

static locant_status too_large(void)
{
    return locant_fail(LOCANT_ERR_NOMEM,
                       "%s: the model does not fit the address space", fn);
}

/* ------------------------------------------------------------- parameters */

/* Append tensor t, whose shape is set, after setting its offset and size. */
static locant_status place(struct lct_model *m, struct lct_model_tensor *t)
{
    size_t bytes;

    t->offset = m->size;
    if (!lct_array_bytes(&bytes, t->shape, t->rank, sizeof(real)))
        return too_large();
    t->size = bytes / sizeof(real);
    if (!lct_add(&m->size, m->size, t->size))
        return too_large();
    m->tensors[m->tensor_count++] = *t;
    return LOCANT_OK;
}

/* Append a tensor [rows, cols], or [rows] if cols is 0. */
static locant_status append(struct lct_model *m, const char *name, int64_t rows,
                            int64_t cols, bool decay)
{
    struct lct_model_tensor t = { .rank = cols == 0 ? 1 : 2,
                                  .shape = { rows, cols },
                                  .decay = decay,
                                  .encoding_param = -1,
                                  .layer = -1,
                                  .rate = 1 };

    snprintf(t.name, sizeof(t.name), "%s", name);
    return place(m, &t);
}

static locant_status append_layer(struct lct_model *m, int64_t layer)
{
    const struct lct_model_config *c = &m->config;
    const struct {
        const char *name;
        int64_t rows, cols;
    } list[LCT_LAYER_TENSORS] = {
        [LCT_NORM1] = { "norm1", c->width, 0 },
        [LCT_WQ] = { "wq", c->width, c->width },
        [LCT_WK] = { "wk", c->width, m->kv_width },
        [LCT_WV] = { "wv", c->width, m->kv_width },
        [LCT_WO] = { "wo", c->width, c->width },
        [LCT_NORM2] = { "norm2", c->width, 0 },
        [LCT_W1] = { "w1", c->width, c->ff },
        [LCT_W2] = { "w2", c->ff, c->width },
    };

    for (int i = 0; i < LCT_LAYER_TENSORS; i++) {
        char name[48];

        snprintf(name, sizeof(name), "layer%" PRId64 ".%s", layer,
                 list[i].name);
        LCT_TRY(append(m, name, list[i].rows, list[i].cols, list[i].cols > 0));
        m->tensors[m->tensor_count - 1].hidden = list[i].cols > 0;
    }
    return LOCANT_OK;
}

/* Append parameter i of the encoding: for one layer, or for all if 'layer' is
   -1. */
static locant_status append_param(struct lct_model *m, int i, int layer,
                                  const locant_param_info *info)
{
    struct lct_model_tensor t = { .rank = info->rank,
                                  .encoding_param = i,
                                  .layer = layer,
                                  .rate = info->rate };

    if (layer < 0)
        snprintf(t.name, sizeof(t.name), "encoding.%s", info->name);
    else
        snprintf(t.name, sizeof(t.name), "layer%d.encoding.%s", layer,
                 info->name);
    if (info->rank > 4)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: parameter %s of %s has rank %d, expected at "
                           "most 4",
                           fn, info->name,
                           locant_encoding_spec(m->config.encoding),
                           info->rank);
    memcpy(t.shape, info->shape, (size_t)info->rank * sizeof(t.shape[0]));
    LCT_TRY(place(m, &t));
    if (m->tensors[m->tensor_count - 1].size == 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: parameter %s of %s has no size yet, expected a "
                           "resolved encoding",
                           fn, info->name,
                           locant_encoding_spec(m->config.encoding));
    return LOCANT_OK;
}

/* The number of the encoding's parameters; *tensors is the number of tensors
   that hold them. */
static int count_encoding_params(const struct lct_model *m, int *tensors)
{
    const locant_sizes sizes = lct_model_sizes(m);
    locant_param_info info;
    int n = 0;

    *tensors = 0;
    while (locant_encoding_param(&info, m->config.encoding, n, &sizes)) {
        *tensors += info.per_layer ? (int)m->config.layers : 1;
        n++;
    }
    return n;
}

/* Append one tensor for each parameter of the encoding, or one for each layer
   if layers have their own. */
static locant_status append_encodings(struct lct_model *m)
{
    const locant_sizes sizes = lct_model_sizes(m);
    locant_param_info info;

    m->encoding_first = m->tensor_count;
    for (int i = 0; i < m->encoding_count; i++) {
        locant_encoding_param(&info, m->config.encoding, i, &sizes);
        if (!info.per_layer)
            LCT_TRY(append_param(m, i, -1, &info));
        for (int l = 0; info.per_layer && l < (int)m->config.layers; l++)
            LCT_TRY(append_param(m, i, l, &info));
    }
    return LOCANT_OK;
}

locant_status lct_model_lay_out_params(struct lct_model *m)
{
    const struct lct_model_config *c = &m->config;
    int tensors, params = count_encoding_params(m, &tensors);
    const size_t count =
        (size_t)(3 + c->layers * LCT_LAYER_TENSORS) + (size_t)tensors;
    const size_t views = (size_t)params * (size_t)c->layers;
    size_t bytes, encodings;

    m->tensors = locant_alloc(count * sizeof(*m->tensors));
    m->encoding_count = params;
    m->encoding_params = locant_alloc((views + 1) * (size_t)(1 + m->leaves) *
                                      sizeof(locant_tensor));
    if (m->tensors == NULL || m->encoding_params == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", fn);
    m->encoding_grads = m->encoding_params + views;
    LCT_TRY(append(m, "embedding", c->vocab, c->width, false));
    for (int64_t l = 0; l < c->layers; l++)
        LCT_TRY(append_layer(m, l));
    LCT_TRY(append(m, "norm", c->width, 0, false));
    LCT_TRY(append(m, "output", c->width, c->vocab, true));
    encodings = m->size;
    LCT_TRY(append_encodings(m));
    m->encoding_size = m->size - encodings;
    if (!lct_mul(&bytes, m->size, (size_t)m->subtrees * sizeof(real)) ||
        bytes > PTRDIFF_MAX)
        return too_large();
    return LOCANT_OK;
}

/* ------------------------------------------------------------ activations */

/* A bump allocator of cache lines; with base NULL it only counts bytes. */
struct arena {
    char *base;
    size_t used;
    bool overflow;
};

static void *arena_alloc(struct arena *a, int64_t rows, int64_t cols,
                         size_t item)
{
    const int64_t shape[2] = { rows, cols };
    const size_t line = 64;
    size_t bytes, start = a->used;

    if (!lct_array_bytes(&bytes, shape, 2, item) ||
        !lct_add(&a->used, a->used, bytes) ||
        !lct_add(&a->used, a->used, line - 1)) {
        a->overflow = true;
        a->used = 0;
        return NULL;
    }
    a->used -= a->used % line;
    return a->base == NULL ? NULL : a->base + start;
}

static real *arena_reals(struct arena *a, int64_t rows, int64_t cols)
{
    return arena_alloc(a, rows, cols, sizeof(real));
}

static void alloc_layer(struct arena *a, struct lct_layer *l,
                        const struct lct_model *m)
{
    const int64_t N = m->rows, F = m->room, width = m->config.width;

    l->stat1 = arena_reals(a, F, 2);
    l->norm1 = arena_reals(a, N, width);
    l->joined_norm = l->norm1;
    if (m->config.memory > 0) {
        l->joined = arena_reals(a, F, width);
        l->joined_norm = arena_reals(a, F, width);
    }
    l->q = arena_reals(a, N, width);
    l->k = arena_reals(a, F, m->kv_width);
    l->v = arena_reals(a, F, m->kv_width);
    l->o = arena_reals(a, N, width);
    l->lse = arena_reals(a, N, m->config.heads);
    l->mid = arena_reals(a, N, width);
    l->stat2 = arena_reals(a, N, 2);
    l->norm2 = arena_reals(a, N, width);
    l->h = arena_reals(a, N, m->config.ff);
    l->g = arena_reals(a, N, m->config.ff);
}

static void alloc_layers(struct arena *a, struct lct_model *m)
{
    const int64_t N = m->rows, width = m->config.width;
    real *x = arena_reals(a, N, width);

    for (int64_t i = 0; i < m->config.layers; i++) {
        struct lct_layer *l = &m->layers[i];

        if (m->train || i == 0)
            alloc_layer(a, l, m);
        else
            *l = m->layers[0];
        l->memory = arena_reals(a, m->batch * m->config.memory, width);
        l->x = x;
        if (m->config.memory == 0)
            l->joined = x;
        l->out = m->train ? arena_reals(a, N, width) : x;
        x = l->out;
    }
}

static void alloc_flow(struct arena *a, struct lct_model *m)
{
    const struct lct_model_config *c = &m->config;
    const int64_t N = m->rows, F = m->room;

    m->d.x = arena_reals(a, N, c->width);
    m->d.mid = arena_reals(a, N, c->width);
    m->d.next = arena_reals(a, N, c->width);
    m->d.branch = m->d.joined_branch = arena_reals(a, N, c->width);
    if (c->memory > 0) {
        m->d.joined = arena_reals(a, F, c->width);
        m->d.joined_branch = arena_reals(a, F, c->width);
    }
    m->d.q = arena_reals(a, N, c->width);
    m->d.k = arena_reals(a, F, m->kv_width);
    m->d.v = arena_reals(a, F, m->kv_width);
    m->d.h = arena_reals(a, N, c->ff);
    if (m->input_door)
        m->d.table = arena_reals(a, m->table_room, c->width);
    if (m->reads_x)
        m->d.read = arena_reals(a, F, c->width);
    m->lists.first = arena_alloc(a, c->vocab, 1, sizeof(int32_t));
    m->lists.next = arena_alloc(a, N, 1, sizeof(int32_t));
    m->lists.sum = m->sum = arena_alloc(a, c->width, 1, sizeof(double));
    m->sums = arena_alloc(a, m->leaves * lct_blocks(F / m->leaves), c->width,
                          sizeof(double));
    if (lct_has_leaves(m))
        m->leaf_grads = arena_reals(a, m->leaves, (int64_t)m->encoding_size);
}

/* Positions of all leaves of the batch are drawn together. */
static int64_t positions_room(const struct lct_model *m)
{
    if (m->sequences.leaves > 1)
        return m->chooses_positions
                   ? m->config.leaves.all / m->sequences.leaves * m->length
                   : m->length;
    if (!lct_has_leaves(m) || !m->chooses_positions)
        return m->table_room;
    return m->table_room / m->leaves * m->config.leaves.all;
}

static void alloc_all(struct arena *a, struct lct_model *m)
{
    const struct lct_model_config *c = &m->config;
    const int64_t N = m->rows;

    alloc_layers(a, m);
    m->stat = arena_reals(a, N, 2);
    m->norm = arena_reals(a, N, c->width);
    m->logits = arena_reals(a, N, c->vocab);
    m->loss = arena_reals(a, N, 1);
    m->loss_stat = arena_reals(a, N, 2);
    m->tokens = arena_alloc(a, N, 1, sizeof(int32_t));
    m->targets = arena_alloc(a, N, 1, sizeof(int32_t));
    if (m->input_door)
        m->table = arena_reals(a, m->table_room, c->width);
    m->positions = arena_alloc(a, positions_room(m), 1, sizeof(int64_t));
    if (m->train)
        alloc_flow(a, m);
}

locant_status lct_model_lay_out_values(struct lct_model *m)
{
    struct arena a = { .base = NULL };

    m->layers = locant_alloc((size_t)m->config.layers * sizeof(*m->layers));
    if (m->layers == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", fn);
    alloc_all(&a, m); /* only counts */
    if (a.overflow || a.used > PTRDIFF_MAX)
        return too_large();
    m->activation_bytes = a.used;
    m->activations = locant_alloc(a.used);
    if (m->activations == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for %zu bytes of activations", fn,
                           a.used);
    a = (struct arena){ .base = m->activations };
    alloc_all(&a, m);
    return LOCANT_OK;
}
