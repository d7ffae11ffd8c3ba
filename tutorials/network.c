/*
 * network.c - the dense layers of the seeds' small models, in double; the
 * attention between them is the library's.
 */
#include <math.h>
#include <string.h>

#include "state.h"

struct seed_linear seed_linear_new(struct seed *s, locant_random *r, int64_t in,
                                   int64_t out, int has_bias)
{
    struct seed_linear l = { in, out, seed_reals(s, in * out), NULL };
    double             edge = 1 / sqrt((double)in);

    for (int64_t i = 0; i < in * out; i++)
        l.w[i] = edge * (2 * locant_random_uniform(r) - 1);
    if (has_bias)
        l.b = seed_reals(s, out);
    for (int64_t i = 0; has_bias && i < out; i++)
        l.b[i] = edge * (2 * locant_random_uniform(r) - 1);
    return l;
}

struct product {
    double                   *y;
    const struct seed_linear *l;
    const double             *x;
};

static void linear_row(void *context, size_t row, int slot)
{
    const struct product     *p = context;
    const struct seed_linear *l = p->l;
    const double *x = p->x + (int64_t)row * l->in;
    double       *y = p->y + (int64_t)row * l->out;

    (void)slot;
    for (int64_t j = 0; j < l->out; j++)
        y[j] = l->b != NULL ? l->b[j] : 0;
    for (int64_t i = 0; i < l->in; i++) {
        const double *w = l->w + i * l->out;

        for (int64_t j = 0; j < l->out; j++)
            y[j] += x[i] * w[j];
    }
}

void seed_linear(double *y, const struct seed_linear *l, const double *x,
                 int64_t rows)
{
    struct product p = { y, l, x };

    locant_parallel_for((size_t)rows, linear_row, &p);
}

void seed_layer_norm(double *y, const double *x, int64_t rows, int64_t width)
{
    for (int64_t i = 0; i < rows; i++) {
        const double *in = x + i * width;
        double       *out = y + i * width;
        double        mean = seed_mean(in, width);
        double        deviation = seed_deviation(in, width);

        for (int64_t j = 0; j < width; j++)
            out[j] = (in[j] - mean) / sqrt(deviation * deviation + 1e-5);
    }
}

void seed_split_heads(double *out, const double *x, int64_t B, int64_t T,
                      int64_t H, int64_t D)
{
    for (int64_t i = 0; i < B * T * H; i++) {
        int64_t h = i % H, t = i / H % T, b = i / H / T;

        memcpy(out + ((b * H + h) * T + t) * D, x + i * D,
               (size_t)D * sizeof *x);
    }
}

void seed_join_heads(double *out, const double *x, int64_t B, int64_t T,
                     int64_t H, int64_t D)
{
    for (int64_t i = 0; i < B * T * H; i++) {
        int64_t h = i % H, t = i / H % T, b = i / H / T;

        memcpy(out + i * D, x + ((b * H + h) * T + t) * D,
               (size_t)D * sizeof *x);
    }
}

/* ---------------------------------------------------------------- attention */

void seed_attend(struct seed *s, locant_tensor *out, const locant_attention *a)
{
    locant_tensor lse = seed_array(s, LOCANT_F64, 3, a->q->shape);
    size_t        bytes = 0;
    void         *workspace;

    seed_try(s, locant_attention_workspace(&bytes, a));
    workspace = seed_new(s, (int64_t)bytes, 1);
    seed_try(s, locant_attention_forward(out, &lse, a, workspace, bytes));
}

/* Values that are columns first .. first + D - 1 of the identity [S, S]. */
static void fill_identity(locant_tensor *v, int64_t first)
{
    int64_t S = v->shape[2], D = v->shape[3], n = seed_count(v);
    double *x = v->data;

    for (int64_t i = 0; i < n; i++)
        x[i] = i / D % S == first + i % D;
}

locant_tensor seed_weights(struct seed *s, const locant_attention *a)
{
    int64_t B = a->q->shape[0], H = a->q->shape[1], T = a->q->shape[2];
    int64_t D = a->q->shape[3], S = a->k->shape[2];
    locant_tensor weights = SEED_F64(s, B, H, T, S);
    locant_tensor out = seed_array(s, LOCANT_F64, 4, a->q->shape);
    locant_tensor v = seed_array(s, LOCANT_F64, 4, a->k->shape);
    locant_attention with = *a;
    double       *w = weights.data;
    const double *o = out.data;

    with.v = &v;
    for (int64_t first = 0; first < S; first += D) {
        fill_identity(&v, first);
        seed_attend(s, &out, &with);
        for (int64_t i = 0; i < B * H * T; i++) {
            for (int64_t c = 0; c < D && first + c < S; c++)
                w[i * S + first + c] = o[i * D + c];
        }
    }
    return weights;
}

struct seed_mha seed_mha_new(struct seed *s, locant_random *r, int64_t width,
                             int64_t heads, int has_bias)
{
    struct seed_mha m = { .width = width, .heads = heads };

    m.q = seed_linear_new(s, r, width, width, has_bias);
    m.k = seed_linear_new(s, r, width, width, has_bias);
    m.v = seed_linear_new(s, r, width, width, has_bias);
    m.o = seed_linear_new(s, r, width, width, has_bias);
    return m;
}

void seed_mha(struct seed *s, locant_tensor *out, locant_tensor *weights,
              const struct seed_mha *m, const locant_tensor *x)
{
    int64_t B = x->shape[0], T = x->shape[1], H = m->heads, D = m->width / H;
    const struct seed_linear *layers[] = { &m->q, &m->k, &m->v };
    locant_tensor    t[3], o = SEED_F64(s, B, H, T, D);
    locant_attention a = LOCANT_ATTENTION_INIT;
    double          *flat = seed_reals(s, B * T * m->width);

    for (int i = 0; i < 3; i++) {
        t[i] = SEED_F64(s, B, H, T, D);
        seed_linear(flat, layers[i], x->data, B * T);
        seed_split_heads(t[i].data, flat, B, T, H, D);
    }
    a.q = &t[0];
    a.k = &t[1];
    a.v = &t[2];
    a.encoding = m->encoding;
    a.mask = m->mask;
    seed_attend(s, &o, &a);
    seed_join_heads(flat, o.data, B, T, H, D);
    seed_linear(out->data, &m->o, flat, B * T);
    if (weights != NULL)
        *weights = seed_weights(s, &a);
}
