/*
 * look.c - attention weights and scores of any encoding, from the public
 * reference: with unit vectors as values, the output is the weights.
 */
#include "page.h"
#include "locant/attention.h"
#include <math.h>
#include <string.h>

struct bench {
    int64_t heads, n, dim, width;
    double *q, *k, *v, *x, *out, *lse, *base;
    double *memory;
    bool all; /* queries see every key */
};

static locant_status make_bench(struct bench *b, const struct lct_subject *s,
                                int64_t n)
{
    size_t cells;

    *b = (struct bench){ .heads = s->r->heads, .n = n, .width = s->r->width };
    b->dim = b->heads > 0 ? b->width / b->heads : 0;
    if (b->dim < 1)
        return locant_fail(LOCANT_ERR_PARAM,
                           "report: %lld heads of %lld "
                           "channels cannot be drawn",
                           (long long)b->heads, (long long)b->width);
    cells = (size_t)(b->heads * n * b->dim);
    LCT_TRY(lct_page_numbers(&b->memory, 5 * cells + (size_t)(n * b->width) +
                                             (size_t)(b->heads * n)));
    b->q = b->memory;
    b->k = b->q + cells;
    b->v = b->k + cells;
    b->out = b->v + cells;
    b->base = b->out + cells;
    b->x = b->base + cells;
    b->lse = b->x + n * b->width;
    return LOCANT_OK;
}

static void draw_numbers(struct bench *b, uint64_t seed, bool zero)
{
    locant_random r = { .seed = seed, .stream = 0 };

    for (int64_t i = 0; i < b->heads * b->n * b->dim; i++) {
        double q = locant_random_normal(&r), k = locant_random_normal(&r);

        b->q[i] = zero ? 0 : q;
        b->k[i] = zero ? 0 : k;
    }
    for (int64_t i = 0; i < b->n * b->width; i++)
        b->x[i] = locant_random_normal(&r);
}

/* rows[t] = row t of the table, scaled to a root mean square of 1, as random
   content has. */
static locant_status read_table(double *rows, const struct bench *b,
                                const struct lct_subject *s,
                                const locant_tensor *params)
{
    const int64_t shape[2] = { b->n, b->width }, cells = b->n * b->width;
    int64_t *at;
    locant_tensor to = locant_dense(rows, LOCANT_F64, 2, shape), positions;
    double sum = 0;
    locant_status status;

    LCT_TRY(lct_subject_positions(&at, 0, b->n));
    positions = locant_dense(at, LOCANT_I64, 1, shape);
    status = locant_encoding_table(&to, s->e, &positions, params);
    locant_release(at);
    for (int64_t i = 0; i < cells; i++)
        sum += rows[i] * rows[i];
    for (int64_t i = 0; i < cells && sum > 0; i++)
        rows[i] *= sqrt((double)cells / sum);
    return status;
}

/* out[h, t, :] += rows[t] W, W random with variance 1/width. */
static void project(double *out, const struct bench *b, const double *rows,
                    locant_random *r)
{
    const double scale = 1 / sqrt((double)b->width);

    for (int64_t h = 0; h < b->heads; h++)
        for (int64_t d = 0; d < b->dim; d++)
            for (int64_t c = 0; c < b->width; c++) {
                double w = scale * locant_random_normal(r);

                for (int64_t t = 0; t < b->n; t++)
                    out[(h * b->n + t) * b->dim + d] +=
                        w * rows[t * b->width + c];
            }
}

/* An input table reaches queries and keys through the model's weights.  Random
   projections stand in for these. */
static locant_status add_table(struct bench *b, const struct lct_subject *s,
                               const locant_tensor *params, uint64_t seed)
{
    locant_random r = { .seed = seed, .stream = 1 };
    double *rows;
    locant_status status;

    if (!(locant_encoding_doors(s->e) & LOCANT_DOOR_INPUT))
        return LOCANT_OK;
    LCT_TRY(lct_page_numbers(&rows, (size_t)(b->n * b->width)));
    status = read_table(rows, b, s, params);
    if (status == LOCANT_OK) {
        project(b->q, b, rows, &r);
        project(b->k, b, rows, &r);
        for (int64_t i = 0; i < b->n * b->width; i++)
            b->x[i] += rows[i];
    }
    locant_release(rows);
    return status;
}

/* Sets out and lse, with the values that v has now. */
static locant_status attend(struct bench *b, double *out,
                            const struct lct_subject *s,
                            const locant_tensor *params)
{
    const int64_t shape[4] = { 1, b->heads, b->n, b->dim };
    const int64_t inputs[3] = { 1, b->n, b->width };
    locant_tensor q = locant_dense(b->q, LOCANT_F64, 4, shape);
    locant_tensor k = locant_dense(b->k, LOCANT_F64, 4, shape);
    locant_tensor v = locant_dense(b->v, LOCANT_F64, 4, shape);
    locant_tensor to = locant_dense(out, LOCANT_F64, 4, shape);
    locant_tensor lse = locant_dense(b->lse, LOCANT_F64, 3, shape);
    locant_tensor x = locant_dense(b->x, LOCANT_F64, 3, inputs);
    locant_attention a = LOCANT_ATTENTION_INIT;

    a.q = &q;
    a.k = &k;
    a.v = &v;
    a.encoding = s->e;
    a.params = params;
    a.mask = b->all ? LOCANT_MASK_NONE : LOCANT_MASK_CAUSAL;
    if (locant_encoding_traits(s->e) & LOCANT_TRAIT_READS_X)
        a.x = &x;
    return locant_attention_reference(&to, &lse, &a);
}

/* Reads the weights of keys first .. first + dim - 1. */
static locant_status read_weights(struct lct_look *look, struct bench *b,
                                  const struct lct_subject *s,
                                  const locant_tensor *params, int64_t first)
{
    int64_t last = first + b->dim < b->n ? first + b->dim : b->n;

    for (int64_t i = 0; i < b->heads * b->n * b->dim; i++) {
        int64_t key = i / b->dim % b->n;

        b->v[i] = key - first == i % b->dim;
    }
    LCT_TRY(attend(b, b->out, s, params));
    for (int64_t row = 0; row < b->heads * b->n; row++)
        for (int64_t j = first; j < last; j++) {
            int64_t at = row * b->dim + j - first;

            look->weight[row * b->n + j] = b->out[at] - b->base[at];
        }
    return LOCANT_OK;
}

/* Score = ln weight + log-sum-exp; 'added' is that less q.k / sqrt(dim). */
static void find_added(struct lct_look *look, const struct bench *b)
{
    const double scale = 1 / sqrt((double)b->dim);

    for (int64_t row = 0; row < b->heads * b->n; row++)
        for (int64_t j = 0; j < b->n; j++) {
            double weight = look->weight[row * b->n + j], dot = 0;
            const double *q = b->q + row * b->dim;
            const double *k = b->k + (row / b->n * b->n + j) * b->dim;

            for (int64_t c = 0; c < b->dim; c++)
                dot += q[c] * k[c];
            look->plain[row * b->n + j] = scale * dot;
            look->added[row * b->n + j] =
                weight > 0 ? log(weight) + b->lse[row] - scale * dot : NAN;
        }
}

/* rows[h, t, :] = the former row order[t]; 'room' holds a copy. */
static void shuffle(double *rows, double *room, int64_t heads, int64_t n,
                    int64_t wide, const int64_t *order)
{
    memcpy(room, rows, (size_t)(heads * n * wide) * sizeof *room);
    for (int64_t i = 0; i < heads * n; i++)
        memcpy(rows + i * wide, room + (i / n * n + order[i % n]) * wide,
               (size_t)wide * sizeof *rows);
}

/* Undoes the shuffle: the weights return to their old indices. */
static locant_status unshuffle(struct lct_look *look, const int64_t *order)
{
    const int64_t n = look->n, cells = look->heads * n * n;
    double *was;

    LCT_TRY(lct_page_numbers(&was, (size_t)cells));
    memcpy(was, look->weight, (size_t)cells * sizeof *was);
    for (int64_t i = 0; i < cells; i++) {
        int64_t from = order[i / n % n], to = order[i % n];

        look->weight[i / (n * n) * n * n + from * n + to] = was[i];
    }
    locant_release(was);
    return LOCANT_OK;
}

struct wish {
    uint64_t seed;
    bool zero, all;
    const int64_t *order; /* or NULL */
};

static locant_status look_at(struct lct_look *out, const struct lct_subject *s,
                             const locant_tensor *params, int64_t n,
                             const struct wish *w)
{
    size_t cells = (size_t)(s->r->heads * n * n);
    struct bench b = { .memory = NULL };
    locant_status status;

    *out = (struct lct_look){ .heads = s->r->heads, .n = n };
    LCT_TRY(lct_page_numbers(&out->weight, 3 * cells));
    out->added = out->weight + cells;
    out->plain = out->added + cells;
    status = make_bench(&b, s, n);
    b.all = w->all;
    if (status == LOCANT_OK) {
        draw_numbers(&b, w->seed, w->zero);
        if (w->order) {
            shuffle(b.q, b.out, b.heads, n, b.dim, w->order);
            shuffle(b.k, b.out, b.heads, n, b.dim, w->order);
            shuffle(b.x, b.out, 1, n, b.width, w->order);
        }
        if (!w->zero)
            status = add_table(&b, s, params, w->seed);
    }
    if (status == LOCANT_OK) {
        /* what an encoding adds to the output besides v */
        status = attend(&b, b.base, s, params);
    }
    for (int64_t j = 0; j < n && status == LOCANT_OK; j += b.dim)
        status = read_weights(out, &b, s, params, j);
    if (status == LOCANT_OK)
        find_added(out, &b);
    if (status == LOCANT_OK && w->order)
        status = unshuffle(out, w->order);
    if (status != LOCANT_OK)
        lct_page_look_free(out);
    locant_release(b.memory);
    return status;
}

locant_status lct_page_look(struct lct_look *out, const struct lct_subject *s,
                            const locant_tensor *params, int64_t n,
                            uint64_t seed, bool zero)
{
    return look_at(out, s, params, n,
                   &(struct wish){ .seed = seed, .zero = zero });
}

locant_status lct_page_look_shuffled(struct lct_look *out,
                                     const struct lct_subject *s,
                                     const locant_tensor *params, int64_t n,
                                     uint64_t seed, const int64_t *order)
{
    return look_at(out, s, params, n,
                   &(struct wish){ .seed = seed, .all = true, .order = order });
}

void lct_page_look_free(struct lct_look *look)
{
    locant_release(look->weight);
    look->weight = look->added = look->plain = NULL;
}
