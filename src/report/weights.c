/*
 * weights.c - attention weights and scores of any encoding, from the public
 * reference: with unit vectors as values, the output is the weights.
 */
#include "weights.h"
#include "locant/attention.h"
#include <math.h>
#include <string.h>

/* The arrays of one call of attention. */
struct arrays {
    int64_t heads, n, dim, width;
    double *q, *k, *v, *x, *out, *lse;
    double *base; /* what an encoding adds to the output besides v */
    bool all;     /* queries see every key */
};

static locant_status make_arrays(struct arrays *b, const struct lct_subject *s,
                                 int64_t n)
{
    size_t cells;

    *b = (struct arrays){ .heads = s->r->heads, .n = n, .width = s->r->width };
    b->dim = b->heads > 0 ? b->width / b->heads : 0;
    if (b->dim < 1)
        return locant_fail(LOCANT_ERR_PARAM,
                           "report: %lld heads of %lld "
                           "channels cannot be drawn",
                           (long long)b->heads, (long long)b->width);
    cells = (size_t)(b->heads * n * b->dim);
    LCT_TRY(lct_subject_numbers(
        &b->q, s, 5 * cells + (size_t)(n * b->width) + (size_t)(b->heads * n)));
    b->k = b->q + cells;
    b->v = b->k + cells;
    b->out = b->v + cells;
    b->base = b->out + cells;
    b->x = b->base + cells;
    b->lse = b->x + n * b->width;
    return LOCANT_OK;
}

static void draw_numbers(struct arrays *b, uint64_t seed, bool zero)
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
static locant_status read_table(double *rows, const struct arrays *b,
                                const struct lct_subject *s,
                                const locant_tensor *params)
{
    const int64_t shape[2] = { b->n, b->width }, cells = b->n * b->width;
    int64_t *at;
    locant_tensor to = locant_dense(rows, LOCANT_F64, 2, shape), positions;
    double sum = 0;

    LCT_TRY(lct_subject_positions(&at, s, 0, b->n));
    positions = locant_dense(at, LOCANT_I64, 1, shape);
    LCT_TRY(locant_encoding_table(&to, s->e, &positions, params));
    for (int64_t i = 0; i < cells; i++)
        sum += rows[i] * rows[i];
    for (int64_t i = 0; i < cells && sum > 0; i++)
        rows[i] *= sqrt((double)cells / sum);
    return LOCANT_OK;
}

/* out[h, t, :] += rows[t] W, W random with variance 1/width. */
static void project(double *out, const struct arrays *b, const double *rows,
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
static locant_status add_table(struct arrays *b, const struct lct_subject *s,
                               const locant_tensor *params, uint64_t seed)
{
    locant_random r = { .seed = seed, .stream = 1 };
    double *rows;

    if (!(locant_encoding_doors(s->e) & LOCANT_DOOR_INPUT))
        return LOCANT_OK;
    LCT_TRY(lct_subject_numbers(&rows, s, (size_t)(b->n * b->width)));
    LCT_TRY(read_table(rows, b, s, params));
    project(b->q, b, rows, &r);
    project(b->k, b, rows, &r);
    for (int64_t i = 0; i < b->n * b->width; i++)
        b->x[i] += rows[i];
    return LOCANT_OK;
}

/* Sets out and lse, with the values that v has now. */
static locant_status attend(struct arrays *b, double *out,
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
static locant_status read_weights(struct lct_weights *w, struct arrays *b,
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

            w->weight[row * b->n + j] = b->out[at] - b->base[at];
        }
    return LOCANT_OK;
}

/* Score = ln weight + log-sum-exp; 'added' is score - q.k / sqrt(dim). */
static void find_added(struct lct_weights *w, const struct arrays *b)
{
    const double scale = 1 / sqrt((double)b->dim);

    for (int64_t row = 0; row < b->heads * b->n; row++)
        for (int64_t j = 0; j < b->n; j++) {
            double weight = w->weight[row * b->n + j], dot = 0;
            const double *q = b->q + row * b->dim;
            const double *k = b->k + (row / b->n * b->n + j) * b->dim;

            for (int64_t c = 0; c < b->dim; c++)
                dot += q[c] * k[c];
            w->plain[row * b->n + j] = scale * dot;
            w->added[row * b->n + j] =
                weight > 0 ? log(weight) + b->lse[row] - scale * dot : NAN;
        }
}

/* rows[h, t, :] = the former row order[t]; 'room' is scratch. */
static void shuffle(double *rows, double *room, int64_t heads, int64_t n,
                    int64_t width, const int64_t *order)
{
    memcpy(room, rows, (size_t)(heads * n * width) * sizeof *room);
    for (int64_t i = 0; i < heads * n; i++)
        memcpy(rows + i * width, room + (i / n * n + order[i % n]) * width,
               (size_t)width * sizeof *rows);
}

/* Undoes the shuffle: the weights return to their old indices. */
static locant_status unshuffle(struct lct_weights *w,
                               const struct lct_subject *s,
                               const int64_t *order)
{
    const int64_t n = w->n, cells = w->heads * n * n;
    double *was;

    LCT_TRY(lct_subject_numbers(&was, s, (size_t)cells));
    memcpy(was, w->weight, (size_t)cells * sizeof *was);
    for (int64_t i = 0; i < cells; i++) {
        int64_t from = order[i / n % n], to = order[i % n];

        w->weight[i / (n * n) * n * n + from * n + to] = was[i];
    }
    return LOCANT_OK;
}

static locant_status measure(struct lct_weights *w, const struct lct_subject *s,
                             const locant_tensor *params,
                             const struct lct_weights_query *query)
{
    const int64_t *order = query->order;
    struct arrays b;

    LCT_TRY(make_arrays(&b, s, w->n));
    b.all = query->unmasked;
    draw_numbers(&b, query->seed, query->zero);
    if (order) {
        shuffle(b.q, b.out, b.heads, b.n, b.dim, order);
        shuffle(b.k, b.out, b.heads, b.n, b.dim, order);
        shuffle(b.x, b.out, 1, b.n, b.width, order);
    }
    if (!query->zero)
        LCT_TRY(add_table(&b, s, params, query->seed));
    LCT_TRY(attend(&b, b.base, s, params));
    for (int64_t j = 0; j < b.n; j += b.dim)
        LCT_TRY(read_weights(w, &b, s, params, j));
    find_added(w, &b);
    return order ? unshuffle(w, s, order) : LOCANT_OK;
}

int64_t lct_weights_length(int64_t heads, int64_t n)
{
    const double most = sqrt((double)(1 << 22) / (double)heads);

    return (double)n <= most ? n : (int64_t)most;
}

locant_status lct_weights_measure(struct lct_weights *out,
                                  const struct lct_subject *s,
                                  const locant_tensor *params,
                                  const struct lct_weights_query *query)
{
    const size_t cells = (size_t)(s->r->heads * query->n * query->n);
    struct lct_subject_block *last;

    *out = (struct lct_weights){ .heads = s->r->heads, .n = query->n };
    LCT_TRY(lct_subject_numbers(&out->weight, s, 3 * cells));
    out->added = out->weight + cells;
    out->plain = out->added + cells;
    last = s->memory->last;
    LCT_TRY(measure(out, s, params, query));
    lct_subject_release(s, last);
    return LOCANT_OK;
}
