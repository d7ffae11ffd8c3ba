/* convert_parts.c - see convert_parts.h */
#include "convert_parts.h"
#include "../files/path.h"
#include "locant/frequencies.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct finder {
    struct lct_convert_parts *out;
    const struct lct_weights *weights;
    const struct lct_tower *tower;
    bool uniform; /* all layers rotate alike */
};

/* An encoding that is no plain rotation has no pairing. */
static locant_status read_heads(struct lct_convert_heads *out,
                                const struct lct_layer_plan *layer)
{
    locant_rotated r = LOCANT_ROTATED_INIT;
    locant_status status = LOCANT_ERR_UNSUPPORTED;

    *out = (struct lct_convert_heads){ .heads = layer->heads,
                                       .kv_heads = layer->kv_heads,
                                       .width = layer->qk_dim };
    if (layer->encoding != NULL)
        status = locant_encoding_rotated(&r, layer->encoding, layer->qk_dim, 1);
    if (status == LOCANT_ERR_UNSUPPORTED)
        return LOCANT_OK;
    out->dims = 2 * r.pairs;
    out->first = r.first;
    return status;
}

/* ----------------------------------------------------------------- messages */

static locant_status unknown_order(const struct lct_weight *w)
{
    return lct_weight_fail(LOCANT_ERR_UNSUPPORTED, w,
                           "the order of its rows is not known; convert the "
                           "model before it is quantised");
}

/* --------------------------------------------------------------------- rows */

/* The rows of a module of one layer, given how many its matrix has. */
static struct lct_convert_rows rows_of(const struct lct_convert_heads *h,
                                       enum lct_convert_module module,
                                       int64_t n)
{
    struct lct_convert_rows r = { .groups = 1,
                                  .parts = h->heads,
                                  .rotated = h->heads,
                                  .width = h->width,
                                  .first = h->first,
                                  .dims = h->dims };
    const int64_t each = h->kv_heads > 0 ? h->heads / h->kv_heads : 1;

    switch (module) {
    case LCT_CONVERT_Q:
        if (n != 2 * h->heads * h->width)
            break;
        r.groups = h->heads; /* each head of queries, then its gate */
        r.parts = 2;
        r.rotated = 1;
        break;
    case LCT_CONVERT_K: r.parts = r.rotated = h->kv_heads; break;
    case LCT_CONVERT_STACKED:
        r.parts = h->heads + 2 * h->kv_heads;
        r.rotated = h->heads + h->kv_heads;
        break;
    case LCT_CONVERT_GROUPED:
        r.groups = h->kv_heads;
        r.parts = each + 2;
        r.rotated = each + 1;
        break;
    case LCT_CONVERT_LATENT_K:
        r.parts = r.rotated = 1;
        r.width = n;
        r.first = n - h->dims;
        break;
    case LCT_CONVERT_Q_NORM:
    case LCT_CONVERT_K_NORM:
        r.parts = module == LCT_CONVERT_Q_NORM ? h->heads : h->kv_heads;
        if (n == h->width) /* one for all heads, or of one head */
            r.parts = 1;
        r.rotated = r.parts;
        break;
    default: break;
    }
    return r;
}

/*
 * Scales of blocks of rows stay where they are, if each row comes from a row of
 * the same block.  'rows' of the matrix, 'blocks' of scales.
 */
static locant_status check_blocks(const struct lct_weight *w,
                                  const struct lct_convert_rows *rows,
                                  int64_t blocks)
{
    const int64_t n = lct_convert_rows_count(rows);
    const int64_t size = blocks > 0 ? (n + blocks - 1) / blocks : n;

    for (int64_t i = 0; i < n; i++)
        if (lct_convert_rows_source(rows, i, true) / size != i / size)
            return lct_weight_fail(LOCANT_ERR_UNSUPPORTED, w,
                                   "row %" PRId64 " would leave its block of "
                                   "%" PRId64 " rows with one scale",
                                   i, size);
    return LOCANT_OK;
}

/* The matrix that the scales belong to; NULL if there is none. */
static const struct lct_weight *matrix_of(const struct finder *f,
                                          const struct lct_weight *scales)
{
    const char *tail = strstr(scales->name, ".weight_");
    char name[1024];
    int n;

    if (tail == NULL)
        return NULL;
    n = snprintf(name, sizeof name, "%.*s.weight", (int)(tail - scales->name),
                 scales->name);
    return n > 0 && n < (int)sizeof name ? lct_weights_find(f->weights, name)
                                         : NULL;
}

/* Scales: none to move, one for each row, or one for blocks of rows. */
static locant_status read_scales(bool *moves, const struct finder *f,
                                 struct lct_convert_part *p,
                                 const struct lct_convert_heads *heads)
{
    const struct lct_weight *w = p->weight, *matrix = matrix_of(f, w);
    const int64_t n = matrix && matrix->rank > 0 ? matrix->shape[0] : -1;

    *moves = false;
    if (lct_weight_elements(w) == 1)
        return LOCANT_OK;
    if (n < 0)
        return unknown_order(w);
    p->rows = rows_of(heads, p->name.module, n);
    if (w->rank > 0 && w->shape[0] == n) {
        p->n = n;
        p->bytes = n > 0 ? w->bytes / (size_t)n : 0;
        *moves = true;
        return LOCANT_OK;
    }
    return w->rank == 2 ? check_blocks(w, &p->rows, w->shape[0])
                        : unknown_order(w);
}

/* Fill the part of a tensor.  *moves: do its rows move? */
static locant_status read_part(bool *moves, const struct finder *f,
                               struct lct_convert_part *p)
{
    const struct lct_convert_heads heads = f->out->heads[p->layer];
    const struct lct_weight *w = p->weight;
    const bool vector = p->name.tensor == LCT_CONVERT_VECTOR;

    *moves = false;
    if (heads.dims == 0 || p->name.tensor == LCT_CONVERT_STILL)
        return LOCANT_OK;
    if (p->name.tensor == LCT_CONVERT_UNKNOWN ||
        (vector && w->type->elements != 1))
        return unknown_order(w);
    if (p->name.tensor == LCT_CONVERT_SCALES)
        return read_scales(moves, f, p, &heads);
    p->n = vector ? lct_weight_elements(w) : w->rank > 0 ? w->shape[0] : 1;
    p->rows = rows_of(&heads, p->name.module, p->n);
    if (lct_convert_rows_count(&p->rows) != p->n || p->rows.first < 0)
        return lct_weight_fail(
            LOCANT_ERR_FORMAT, w,
            "%" PRId64 " rows, %" PRId64 " heads of %" PRId64 " expected", p->n,
            p->rows.groups * p->rows.parts, p->rows.width);
    p->bytes = p->n > 0 ? w->bytes / (size_t)p->n : 0;
    *moves = p->n > 0;
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- layers */

/* The heads of all layers; products of their numbers must be small. */
static locant_status read_plan(struct finder *f)
{
    enum { MOST = 1 << 20 };
    const struct lct_tower *t = f->tower;

    f->uniform = true;
    for (int64_t l = 0; l < t->n_layers; l++) {
        const struct lct_layer_plan *p = &t->layers[l];

        if (p->heads > MOST || p->kv_heads > MOST || p->qk_dim > MOST ||
            p->v_dim > MOST)
            return locant_fail(LOCANT_ERR_FORMAT,
                               "layer %" PRId64 ": %" PRId64
                               " heads of %" PRId64
                               " channels, at most 2^20 of each allowed",
                               l, p->heads, p->qk_dim);
        LCT_TRY(read_heads(&f->out->heads[l], p));
        if (memcmp(&f->out->heads[0], &f->out->heads[l],
                   sizeof f->out->heads[l]) != 0)
            f->uniform = false;
    }
    return LOCANT_OK;
}

/*
 * The layer of the plan.  Modules that predict further tokens (layers past the
 * last one, "mtp") are like the others, if these are all alike.
 */
static locant_status find_layer(struct lct_convert_part *p,
                                const struct finder *f)
{
    p->layer = p->name.layer;
    if (p->layer >= 0 && p->layer < f->tower->n_layers)
        return LOCANT_OK;
    p->layer = 0;
    if (f->uniform && f->tower->n_layers > 0)
        return LOCANT_OK;
    return lct_weight_fail(LOCANT_ERR_FORMAT, p->weight,
                           "is of no layer of the %" PRId64
                           " of the configuration",
                           f->tower->n_layers);
}

static bool is_matrix(const struct lct_convert_part *p,
                      enum lct_convert_module module)
{
    return p->name.module == module && (p->name.tensor == LCT_CONVERT_MATRIX);
}

/* Bits 1, 2: the layer has q, has k. */
static unsigned char halves_of(const struct lct_convert_part *p)
{
    if (is_matrix(p, LCT_CONVERT_STACKED) || is_matrix(p, LCT_CONVERT_GROUPED))
        return 3;
    if (is_matrix(p, LCT_CONVERT_K) || is_matrix(p, LCT_CONVERT_LATENT_K))
        return 2;
    return is_matrix(p, LCT_CONVERT_Q) ? 1 : 0;
}

/* Fail unless each layer that rotates has both. */
static locant_status check_layers(const struct finder *f,
                                  const unsigned char *seen)
{
    for (int64_t l = 0; l < f->tower->n_layers; l++) {
        const struct lct_layer_plan *layer = &f->tower->layers[l];
        const unsigned char want = layer->keys_of >= 0 ? 1 : 3;

        if (f->out->heads[l].dims == 0 || (seen[l] & want) == want)
            continue;
        return locant_fail(
            LOCANT_ERR_FORMAT,
            "%s: layer %" PRId64 " rotates, but no tensor of its %s is known",
            lct_path_tail(lct_weights_at(f->weights, 0)
                              ? lct_weights_at(f->weights, 0)->file
                              : "the checkpoint"),
            l, seen[l] & 1 ? "keys" : "queries");
    }
    return LOCANT_OK;
}

static locant_status find_all(struct finder *f, unsigned char *seen,
                              const char *model_type)
{
    const struct lct_weight *w;

    for (size_t i = 0; (w = lct_weights_at(f->weights, i)) != NULL; i++) {
        struct lct_convert_part p = { .weight = w };
        bool moves;

        if (!lct_convert_name(&p.name, w->name, model_type))
            continue;
        LCT_TRY(find_layer(&p, f));
        LCT_TRY(read_part(&moves, f, &p));
        if (!moves)
            continue;
        f->out->at[f->out->n++] = p;
        if (p.layer == p.name.layer)
            seen[p.layer] |= halves_of(&p);
    }
    return LOCANT_OK;
}

locant_status lct_convert_parts_find(struct lct_convert_parts *out,
                                     const struct lct_weights *w,
                                     const struct lct_tower *tower,
                                     const char *model_type, bool adapter)
{
    struct finder f = { .out = out, .weights = w, .tower = tower };
    unsigned char *seen = locant_alloc((size_t)tower->n_layers + 1);
    locant_status status;
    size_t n = 0;

    while (lct_weights_at(w, n) != NULL)
        n++;
    *out = (struct lct_convert_parts){ 0 };
    out->at = locant_alloc((n + 1) * sizeof *out->at);
    out->heads =
        locant_alloc(((size_t)tower->n_layers + 1) * sizeof *out->heads);
    if (seen == NULL || out->at == NULL || out->heads == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM, "no memory for %zu tensors", n);
    else
        status = read_plan(&f);
    if (status == LOCANT_OK)
        status = find_all(&f, seen, model_type);
    if (status == LOCANT_OK && !adapter)
        status = check_layers(&f, seen);
    locant_release(seen);
    return status;
}

void lct_convert_parts_free(struct lct_convert_parts *p)
{
    locant_release(p->at);
    locant_release(p->heads);
    *p = (struct lct_convert_parts){ 0 };
}

static int by_weight(const void *name, const void *part)
{
    return strcmp(name, ((const struct lct_convert_part *)part)->weight->name);
}

const struct lct_convert_part *
lct_convert_parts_of(const struct lct_convert_parts *p,
                     const struct lct_weight *w)
{
    return p->n > 0 ? bsearch(w->name, p->at, p->n, sizeof *p->at, by_weight)
                    : NULL;
}
