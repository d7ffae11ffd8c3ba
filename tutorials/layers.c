/*
 * layers.c - plain layers in double, and what rows of S1 .. S4 share.
 */
#include "layers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void layer_reorder(double *out, const double *x, const int64_t *order,
                   int64_t n, int64_t width)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(out + i * width, x + order[i] * width,
               (size_t)width * sizeof *out);
}

static void relu(double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = fmax(x[i], 0);
}

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

void layer_attend_plain(struct seed *s, double *out, const double *const qkv[3],
                        int64_t T, int64_t D)
{
    double *p = seed_reals(s, T);

    memset(out, 0, (size_t)(T * D) * sizeof *out);
    for (int64_t i = 0; i < T; i++) {
        double sum = 0;

        for (int64_t j = 0; j < T; j++)
            p[j] = dot(qkv[0] + i * D, qkv[1] + j * D, D) / sqrt((double)D);
        double top = seed_max(p, T);
        for (int64_t j = 0; j < T; j++)
            sum += p[j] = exp(p[j] - top);
        for (int64_t j = 0; j < T; j++)
            for (int64_t d = 0; d < D; d++)
                out[i * D + d] += p[j] / sum * qkv[2][j * D + d];
    }
}

/*
 * Multi-head attention of queries from x [B, T, W] to keys and values from
 * 'memory' [B, S, W], no mask, no position.
 */
static void cross(struct seed *s, locant_tensor *out, const struct seed_mha *m,
                  const locant_tensor *x, const locant_tensor *memory)
{
    int64_t B = x->shape[0], T = x->shape[1], S = memory->shape[1];
    int64_t W = m->width, H = m->heads, D = W / H;
    locant_tensor q = SEED_F64(s, B, H, T, D), k = SEED_F64(s, B, H, S, D);
    locant_tensor v = SEED_F64(s, B, H, S, D), o = SEED_F64(s, B, H, T, D);
    double *flat = seed_reals(s, B * (T > S ? T : S) * W);
    locant_attention a = LOCANT_ATTENTION_INIT;

    seed_linear(flat, &m->q, x->data, B * T);
    seed_split_heads(q.data, flat, B, T, H, D);
    seed_linear(flat, &m->k, memory->data, B * S);
    seed_split_heads(k.data, flat, B, S, H, D);
    seed_linear(flat, &m->v, memory->data, B * S);
    seed_split_heads(v.data, flat, B, S, H, D);
    a.q = &q;
    a.k = &k;
    a.v = &v;
    seed_attend(s, &o, &a);
    seed_join_heads(flat, o.data, B, T, H, D);
    seed_linear(out->data, &m->o, flat, B * T);
}

/* ------------------------------------------------------------------ blocks */

struct layer_block layer_block_new(struct seed *s, locant_random *r,
                                   int64_t width, int64_t heads, int64_t ff,
                                   int crosses)
{
    struct layer_block b = { .width = width, .crosses = crosses };

    b.self = seed_mha_new(s, r, width, heads, 0);
    if (crosses)
        b.cross = seed_mha_new(s, r, width, heads, 0);
    b.up = seed_linear_new(s, r, width, ff, 1);
    b.down = seed_linear_new(s, r, ff, width, 1);
    return b;
}

enum part { SELF, CROSS, FEED };

/* y = part(x) */
static void run_part(struct seed *s, const struct layer_block *b,
                     enum part part, locant_tensor *y, const locant_tensor *x,
                     const locant_tensor *memory)
{
    int64_t rows = x->shape[0] * x->shape[1];

    if (part == SELF) {
        seed_mha(s, y, NULL, &b->self, x);
    } else if (part == CROSS) {
        cross(s, y, &b->cross, x, memory);
    } else {
        double *h = seed_reals(s, rows * b->up.out);

        seed_linear(h, &b->up, x->data, rows);
        relu(h, rows * b->up.out);
        seed_linear(y->data, &b->down, h, rows);
    }
}

static void add_part(struct seed *s, const struct layer_block *b,
                     enum part part, locant_tensor *x,
                     const locant_tensor *memory)
{
    int64_t rows = x->shape[0] * x->shape[1], n = rows * b->width;
    locant_tensor in = seed_array(s, LOCANT_F64, 3, x->shape);
    locant_tensor y = seed_array(s, LOCANT_F64, 3, x->shape);
    double *to = x->data, *from = y.data;

    if (b->pre_norm)
        seed_layer_norm(in.data, x->data, rows, b->width);
    else
        memcpy(in.data, x->data, (size_t)n * sizeof *to);
    run_part(s, b, part, &y, &in, memory);
    for (int64_t i = 0; i < n; i++)
        to[i] += from[i];
    if (!b->pre_norm)
        seed_layer_norm(to, to, rows, b->width);
}

void layer_block_run(struct seed *s, const struct layer_block *b,
                     locant_tensor *x, const locant_tensor *memory)
{
    add_part(s, b, SELF, x, NULL);
    if (b->crosses)
        add_part(s, b, CROSS, x, memory);
    add_part(s, b, FEED, x, NULL);
}

static int64_t linear_size(const struct seed_linear *l)
{
    return l->in * l->out + (l->b ? l->out : 0);
}

static int64_t mha_size(const struct seed_mha *m)
{
    return linear_size(&m->q) + linear_size(&m->k) + linear_size(&m->v) +
           linear_size(&m->o);
}

int64_t layer_block_parameters(const struct layer_block *b)
{
    int64_t norms = (2 + (b->crosses != 0)) * 2 * b->width;

    return mha_size(&b->self) + (b->crosses ? mha_size(&b->cross) : 0) +
           linear_size(&b->up) + linear_size(&b->down) + norms;
}

/* ------------------------------------------------------------------- other */

void layer_bias_at(struct seed *s, double *out, const locant_encoding *e,
                   int64_t heads, const double *n, int64_t count,
                   const locant_tensor *params)
{
    int64_t query = (int64_t)seed_max(n, count);
    locant_tensor q_pos = seed_positions(s, query, 1);
    locant_tensor k_pos = SEED_I64(s, count);
    locant_tensor b = SEED_F64(s, heads, 1, count);

    for (int64_t i = 0; i < count; i++)
        ((int64_t *)k_pos.data)[i] = query - (int64_t)n[i];
    seed_try(s, locant_encoding_bias(&b, e, &q_pos, &k_pos, params));
    memcpy(out, b.data, (size_t)(heads * count) * sizeof *out);
}

locant_tensor layer_scores(struct seed *s, const locant_attention *a)
{
    locant_tensor w = seed_weights(s, a);
    locant_tensor out = seed_array(s, LOCANT_F64, 4, a->q->shape);
    locant_tensor lse = seed_array(s, LOCANT_F64, 3, a->q->shape);
    int64_t S = w.shape[3];
    double *x = w.data;

    seed_try(s, locant_attention_reference(&out, &lse, a));
    for (int64_t i = 0; i < seed_count(&w); i++)
        x[i] = log(x[i]) + ((double *)lse.data)[i / S];
    return w;
}

double layer_wavelength(double base, int64_t c, int64_t width)
{
    const double turn = 6.283185307179586;

    return turn * pow(base, 2 * (double)c / (double)width);
}

static int row_exists(const char *id)
{
    const struct seed_row *documents[] = { seed_rows_s0, seed_rows_s1,
                                           seed_rows_s2, seed_rows_s3,
                                           seed_rows_s4 };

    for (int d = 0; d < 5; d++)
        for (const struct seed_row *r = documents[d]; r->id != NULL; r++)
            if (strcmp(r->id, id) == 0)
                return 1;
    return 0;
}

void layer_index(struct seed *s, const char *head,
                 const struct layer_entry *entries, int n)
{
    char columns[64];
    int  found = 0;

    snprintf(columns, sizeof columns, "%s|row", head);
    seed_columns(s, "index", columns);
    for (int i = 0; i < n; i++) {
        seed_cells(s, "%s|%s", entries[i].point, entries[i].row);
        found += row_exists(entries[i].row);
    }
    seed_table_end(s);
    seed_check(s, "rows that exist", found, n, 0);
}

const char *layer_refusal(struct seed *s, locant_status status)
{
    if (status == LOCANT_OK)
        seed_fail(s, CLI_NO, "a call that must be refused was not");
    return locant_last_error();
}
