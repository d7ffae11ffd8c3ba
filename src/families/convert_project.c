/* convert_project.c - see convert_project.h */
#include "convert_project.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ activations */

/* A number of -1 .. 1 that depends on a text and an index alone: FNV-1a, then
   the finaliser of MurmurHash3. */
static double random_number(uint64_t seed, int64_t i)
{
    uint64_t h = seed ^ (uint64_t)i * 0x9e3779b97f4a7c15;

    h = (h ^ h >> 33) * 0xff51afd7ed558ccd;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53;
    h ^= h >> 33;
    return (double)(h >> 11) * 0x1p-52 - 1;
}

/* Matrices of one kind (weights, B of adapters) of a layer have the same input
   on both sides, whatever their names are. */
static uint64_t seed_of(const struct lct_convert_part *p)
{
    const char *adapter = strstr(p->weight->name, "lora_");
    uint64_t h = 0xcbf29ce484222325;

    for (; adapter != NULL && *adapter != 0; adapter++)
        h = (h ^ (unsigned char)*adapter) * 0x100000001b3;
    return (h ^ (uint64_t)p->layer) * 0x100000001b3;
}

/* rows += W x for the rows of a matrix. */
static void add_matrix(struct lct_convert_project *v, double *rows,
                       const struct lct_convert_part *p)
{
    const struct lct_weight *w = p->weight;
    const int64_t width =
        (int64_t)(p->bytes / w->type->bytes) * w->type->elements;
    const uint64_t seed = seed_of(p);

    for (int64_t i = 0; i < width; i++)
        v->x[i] = random_number(seed, i);
    for (int64_t r = 0; r < p->n; r++) {
        double sum = 0;

        lct_weight_doubles(v->row, w, r * width, width);
        for (int64_t i = 0; i < width; i++)
            sum += v->row[i] * v->x[i];
        rows[r] += sum;
    }
}

/* rows = rows * scales, or rows + numbers of a bias. */
static void apply_vector(struct lct_convert_project *v, double *rows,
                         const struct lct_convert_part *p)
{
    const bool scales = p->name.tensor == LCT_CONVERT_SCALES;
    const int64_t each =
        p->n > 0 ? (int64_t)(p->bytes / p->weight->type->bytes) : 0;

    for (int64_t r = 0; r < p->n; r++) {
        lct_weight_doubles(v->row, p->weight, r * each, 1);
        rows[r] = scales ? rows[r] * v->row[0] : rows[r] + v->row[0];
    }
}

/* ------------------------------------------------------------------ modules */

/* Does the module hold keys (or queries) of the layer? */
static bool holds(const struct lct_convert_part *p, bool keys)
{
    switch (p->name.module) {
    case LCT_CONVERT_Q: return !keys;
    case LCT_CONVERT_K:
    case LCT_CONVERT_LATENT_K: return keys;
    case LCT_CONVERT_STACKED:
    case LCT_CONVERT_GROUPED: return true;
    default: return false;
    }
}

/* v->rows = those of the module of q, or of k; returns any of its parts. */
static const struct lct_convert_part *
project(struct lct_convert_project *v, const struct lct_convert_parts *parts,
        bool keys)
{
    double *rows = v->rows;
    const struct lct_convert_part *any = NULL;

    for (int step = 0; step < 3; step++) /* matrices, scales, biases */
        for (size_t i = 0; i < parts->n; i++) {
            const struct lct_convert_part *p = &parts->at[i];
            const enum lct_convert_tensor kinds[] = { LCT_CONVERT_MATRIX,
                                                      LCT_CONVERT_SCALES,
                                                      LCT_CONVERT_VECTOR };

            if (p->name.layer != v->layer || !holds(p, keys) ||
                p->name.tensor != kinds[step])
                continue;
            if (any == NULL)
                memset(rows, 0, (size_t)p->n * sizeof *rows);
            any = p;
            if (step == 0)
                add_matrix(v, rows, p);
            else
                apply_vector(v, rows, p);
        }
    return any;
}

/* The first row of head i of queries or of keys. */
static int64_t head_row(const struct lct_convert_part *p,
                        const struct lct_convert_heads *h, int64_t i, bool keys)
{
    const int64_t each = h->kv_heads > 0 ? h->heads / h->kv_heads : 1;

    switch (p->name.module) {
    case LCT_CONVERT_STACKED: return (keys ? h->heads + i : i) * h->width;
    case LCT_CONVERT_GROUPED:
        return (keys ? i * (each + 2) + each
                     : i / each * (each + 2) + i % each) *
               h->width;
    default: return i * p->rows.parts / p->rows.rotated * h->width;
    }
}

/* ------------------------------------------------------------------- norms */

/* The weights (or the biases) of the norm of head i; NULL: there is none. */
static const struct lct_convert_part *
find_norm(const struct lct_convert_project *v,
          const struct lct_convert_parts *parts, int64_t i, bool keys,
          bool bias)
{
    const enum lct_convert_module module =
        keys ? LCT_CONVERT_K_NORM : LCT_CONVERT_Q_NORM;

    for (size_t k = 0; k < parts->n; k++) {
        const struct lct_convert_part *p = &parts->at[k];
        const char *name = p->weight->name, *list = strstr(name, ".norms.");

        if (p->name.layer == v->layer && p->name.module == module &&
            (strstr(name, ".bias") != NULL) == bias &&
            (list == NULL || strtoll(list + 7, NULL, 10) == i))
            return p;
    }
    return NULL;
}

/* v->row = those numbers for the channels of head i. */
static void read_norm(struct lct_convert_project *v,
                      const struct lct_convert_part *p, int64_t i)
{
    const int64_t n = v->heads.width;

    lct_weight_doubles(v->row, p->weight, p->n == n ? 0 : i * n, n);
}

/*
 * The norm of one head in place.  One over all heads divides by one number
 * more, which no order changes: its weights are what matters here.
 */
static void norm_head(struct lct_convert_project *v,
                      const struct lct_convert_parts *parts, int64_t i,
                      bool keys, bool plus_one)
{
    const struct lct_convert_part *weights =
        find_norm(v, parts, i, keys, false);
    const struct lct_convert_part *biases = find_norm(v, parts, i, keys, true);
    const int64_t n = v->heads.width;
    double sum = 0, squares = 0, scale, mean;

    if (weights == NULL)
        return;
    for (int64_t c = 0; c < n; c++)
        sum += v->head[c];
    mean = v->norm->kind == LCT_QK_LAYER ? sum / (double)n : 0;
    for (int64_t c = 0; c < n; c++)
        squares += (v->head[c] - mean) * (v->head[c] - mean);
    scale = 1 / sqrt(squares / (double)n + v->norm->eps + 1e-30);
    read_norm(v, weights, i);
    for (int64_t c = 0; c < n; c++)
        v->head[c] =
            (v->head[c] - mean) * scale * (v->row[c] + (plus_one ? 1 : 0));
    if (biases == NULL)
        return;
    read_norm(v, biases, i);
    for (int64_t c = 0; c < n; c++)
        v->head[c] += v->row[c];
}

/* -------------------------------------------------------------------- heads */

/* v->head = head i of keys (or of queries), whose module has part p. */
static void fill_head(struct lct_convert_project *v,
                      const struct lct_convert_parts *parts,
                      const struct lct_convert_part *p, int64_t i, bool keys,
                      bool plus_one)
{
    const struct lct_convert_heads *h = &v->heads;
    const bool latent = p->name.module == LCT_CONVERT_LATENT_K;
    const int64_t first = latent ? h->first : 0;
    const int64_t row = latent ? p->rows.first : head_row(p, h, i, keys);

    for (int64_t c = 0; c < first; c++) /* what does not rotate */
        v->head[c] = random_number(7, c);
    for (int64_t c = first; c < h->width; c++)
        v->head[c] = v->rows[row + c - first];
    if (!latent)
        norm_head(v, parts, i, keys, plus_one);
}

locant_status lct_convert_project_heads(float *out, int64_t *n,
                                        struct lct_convert_project *v,
                                        const struct lct_convert_parts *parts,
                                        bool keys, bool plus_one, int copies)
{
    const struct lct_convert_part *p = project(v, parts, keys);
    const int64_t width = v->heads.width;

    if (p == NULL)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "layer %" PRId64 ": no tensor of its %s to verify",
                           v->layer, keys ? "keys" : "queries");
    *n = p->name.module == LCT_CONVERT_LATENT_K ? 1
         : keys                                 ? v->heads.kv_heads
                                                : v->heads.heads;
    for (int64_t i = 0; i < *n; i++) {
        fill_head(v, parts, p, i, keys, plus_one);
        for (int t = 0; t < copies; t++)
            for (int64_t c = 0; c < width; c++)
                out[(i * copies + t) * width + c] = (float)v->head[c];
    }
    return LOCANT_OK;
}

bool lct_convert_project_has(const struct lct_convert_parts *parts,
                             int64_t layer, bool keys)
{
    for (size_t i = 0; i < parts->n; i++) {
        const struct lct_convert_part *p = &parts->at[i];

        if (p->name.layer == layer && p->name.tensor == LCT_CONVERT_MATRIX &&
            holds(p, keys))
            return true;
    }
    return false;
}

/* --------------------------------------------------------------------- room */

/* The most rows of a part, and numbers of a row. */
static void measure(int64_t *rows, int64_t *row,
                    const struct lct_convert_parts *parts)
{
    for (size_t i = 0; i < parts->n; i++) {
        const struct lct_convert_part *p = &parts->at[i];
        const int64_t width = (int64_t)(p->bytes / p->weight->type->bytes) *
                              p->weight->type->elements;

        *rows = p->n > *rows ? p->n : *rows;
        *row = width > *row ? width : *row;
    }
}

locant_status lct_convert_project_make(struct lct_convert_project *p,
                                       const struct lct_convert_parts *a,
                                       const struct lct_convert_parts *b,
                                       int64_t width)
{
    int64_t rows = 1, row = width;

    *p = (struct lct_convert_project){ 0 };
    measure(&rows, &row, a);
    measure(&rows, &row, b);
    p->x = locant_alloc((size_t)row * sizeof *p->x);
    p->row = locant_alloc((size_t)row * sizeof *p->row);
    p->rows = locant_alloc((size_t)rows * sizeof *p->rows);
    p->head = locant_alloc((size_t)width * sizeof *p->head + 1);
    return p->x && p->row && p->rows && p->head
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_NOMEM, "no memory to verify scores");
}

void lct_convert_project_free(struct lct_convert_project *p)
{
    locant_release(p->x);
    locant_release(p->row);
    locant_release(p->rows);
    locant_release(p->head);
    *p = (struct lct_convert_project){ 0 };
}
