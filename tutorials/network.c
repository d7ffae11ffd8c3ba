/* network.c - attention and the plain layers around it, in double. */
#include "network.h"

#include "tutorial.h"

/* Fill in the options that the caller left 0. */
static void complete(locant_attention *a)
{
    a->struct_size = sizeof *a;
    if (a->scale == 0)
        a->scale = LOCANT_SCALE_AUTO;
}

static void attend_into(locant_tensor *out, locant_attention a)
{
    locant_tensor lse = zeros(LOCANT_F64, 3, a.q->shape);
    size_t bytes = 0;

    complete(&a);
    must(locant_attention_workspace(&bytes, &a));
    must(locant_attention_forward(out, &lse, &a, memory(bytes, 1), bytes));
}

locant_tensor attend(locant_attention a)
{
    locant_tensor out = zeros_like(*a.q);

    attend_into(&out, a);
    return out;
}

/*
 * The weights [.., S]: with columns of the identity [S, S] as values, the
 * output is those columns of the weights.  Each attend() computes D of them.
 */
locant_tensor weights(locant_attention a)
{
    int64_t B = a.q->shape[0], H = a.q->shape[1], T = a.q->shape[2];
    int64_t D = a.q->shape[3], S = a.k->shape[2];
    locant_tensor out = ZEROS(B, H, T, S), v = zeros_like(*a.k);

    a.v = &v;
    for (int64_t first = 0; first < S; first += D) {
        locant_tensor columns;

        for (int64_t i = 0; i < count(v); i++)
            data(v)[i] = i / D % S == first + i % D;
        columns = attend(a);
        for (int64_t i = 0; i < B * H * T; i++)
            for (int64_t c = 0; c < D && first + c < S; c++)
                data(row(out, i))[first + c] = entry(columns, i, c);
    }
    return out;
}

/* A score is the logarithm of its weight plus the log-sum-exp of its row. */
locant_tensor scores(locant_attention a)
{
    locant_tensor s = weights(a), out = zeros_like(*a.q);
    locant_tensor lse = zeros(LOCANT_F64, 3, a.q->shape);

    complete(&a);
    must(locant_attention_reference(&out, &lse, &a));
    for (int64_t i = 0; i < count(s); i++)
        data(s)[i] = log(data(s)[i]) + data(lse)[i / s.shape[3]];
    return s;
}

/* Token i of x [B, H, T, D] of any strides, i < B H T, as [D]. */
static locant_tensor token(locant_tensor x, int64_t i)
{
    int64_t H = x.shape[1], T = x.shape[2], D = x.shape[3];
    double *first = data(x) + i / T / H * x.stride[0] +
                    i / T % H * x.stride[1] + i % T * x.stride[2];

    return locant_dense(first, LOCANT_F64, SHAPE(D));
}

void mix_by_loops(locant_tensor out, locant_tensor v, locant_tensor w)
{
    int64_t T = v.shape[2], D = v.shape[3];

    for (int64_t i = 0; i < count(out) / D; i++)
        for (int64_t j = 0; j < T; j++) {
            double *to = data(token(out, i));
            const double *from = data(token(v, i / T * T + j));

            for (int64_t d = 0; d < D; d++)
                to[d] += entry(w, i, j) * from[d];
        }
}

void attend_by_loops(locant_tensor out, locant_tensor q, locant_tensor k,
                     locant_tensor v)
{
    int64_t H = q.shape[1], T = q.shape[2], D = q.shape[3];
    locant_tensor w = ZEROS(q.shape[0], H, T, T);

    for (int64_t i = 0; i < count(w) / T; i++) {
        double *p = data(row(w, i)), row_max, sum = 0;

        for (int64_t j = 0; j < T; j++)
            p[j] = dot(token(q, i), token(k, i / T * T + j)) / sqrt(D);
        row_max = largest(row(w, i));
        for (int64_t j = 0; j < T; j++)
            sum += p[j] = exp(p[j] - row_max);
        for (int64_t j = 0; j < T; j++)
            p[j] /= sum;
    }
    mix_by_loops(out, v, w);
}

/* n numbers uniform in +-in^(-1/2). */
static double *uniform(locant_random *r, int64_t n, int64_t in)
{
    double *x = data(ZEROS(n)), edge = 1 / sqrt(in);

    for (int64_t i = 0; i < n; i++)
        x[i] = edge * (2 * locant_random_uniform(r) - 1);
    return x;
}

struct linear linear_new(locant_random *r, int64_t in, int64_t out,
                         enum has_bias has_bias)
{
    double *w = uniform(r, in * out, in);

    return (struct linear){ in, out, w, has_bias ? uniform(r, out, in) : NULL };
}

int64_t linear_size(const struct linear *l)
{
    return l->in * l->out + (l->b ? l->out : 0);
}

struct product {
    const struct linear *l;
    locant_tensor x, y;
};

static void linear_row(void *context, size_t task, int slot)
{
    const struct product *p = context;
    const struct linear *l = p->l;
    const double *x = data(row(p->x, task));
    double *y = data(row(p->y, task));

    (void)slot;
    for (int64_t j = 0; j < l->out; j++)
        y[j] = l->b != NULL ? l->b[j] : 0;
    for (int64_t i = 0; i < l->in; i++)
        for (int64_t j = 0; j < l->out; j++)
            y[j] += x[i] * l->w[i * l->out + j];
}

locant_tensor linear(const struct linear *l, locant_tensor x)
{
    locant_tensor shape = x;
    struct product p = { .l = l, .x = x };

    shape.shape[x.rank - 1] = l->out;
    p.y = zeros_like(shape);
    locant_parallel_for(count(x) / l->in, linear_row, &p);
    return p.y;
}

locant_tensor layer_norm(locant_tensor x)
{
    int64_t n = width_of(x);
    locant_tensor out = zeros_like(x);

    for (int64_t i = 0; i < count(x) / n; i++) {
        double m = mean(row(x, i)), s = deviation(row(x, i));

        for (int64_t c = 0; c < n; c++)
            data(row(out, i))[c] = (entry(x, i, c) - m) / sqrt(s * s + 1e-5);
    }
    return out;
}

locant_tensor as_heads(locant_tensor x, int64_t heads)
{
    int64_t B = x.shape[0], T = x.shape[1], W = x.shape[2], D = W / heads;

    return (locant_tensor){ .data = x.data,
                            .dtype = LOCANT_F64,
                            .rank = 4,
                            .shape = { B, heads, T, D },
                            .stride = { T * W, D, W, 1 } };
}

struct mha mha_new(locant_random *r, int64_t width, int64_t heads,
                   enum has_bias has_bias)
{
    struct mha m = { .width = width, .heads = heads };

    m.q = linear_new(r, width, width, has_bias);
    m.k = linear_new(r, width, width, has_bias);
    m.v = linear_new(r, width, width, has_bias);
    m.o = linear_new(r, width, width, has_bias);
    return m;
}

/* The attention of m without its projections; t[3] holds q, k, v. */
static locant_attention problem_of(const struct mha *m, locant_tensor t[3],
                                   locant_tensor x, locant_tensor memory)
{
    t[0] = as_heads(linear(&m->q, x), m->heads);
    t[1] = as_heads(linear(&m->k, memory), m->heads);
    t[2] = as_heads(linear(&m->v, memory), m->heads);
    return (locant_attention){ .q = &t[0],
                               .k = &t[1],
                               .v = &t[2],
                               .mask = m->mask,
                               .encoding =
                                   m->encoding ? encoding(m->encoding) : NULL };
}

locant_tensor mha_from(const struct mha *m, locant_tensor x,
                       locant_tensor memory)
{
    locant_tensor t[3], all = zeros_like(x);
    locant_tensor out = as_heads(all, m->heads);

    attend_into(&out, problem_of(m, t, x, memory));
    return linear(&m->o, all);
}

locant_tensor mha(const struct mha *m, locant_tensor x)
{
    return mha_from(m, x, x);
}

locant_tensor mha_weights(const struct mha *m, locant_tensor x)
{
    locant_tensor t[3];

    return weights(problem_of(m, t, x, x));
}

struct block block_new(locant_random *r, int64_t width, int64_t heads,
                       int64_t ff, enum block_kind kind)
{
    struct block b = { .kind = kind };

    b.self = mha_new(r, width, heads, NO_BIAS);
    if (kind == DECODER)
        b.cross = mha_new(r, width, heads, NO_BIAS);
    b.up = linear_new(r, width, ff, WITH_BIAS);
    b.down = linear_new(r, ff, width, WITH_BIAS);
    return b;
}

static locant_tensor feed_forward(const struct block *b, locant_tensor x)
{
    locant_tensor hidden = linear(&b->up, x);

    for (int64_t i = 0; i < count(hidden); i++)
        data(hidden)[i] = fmax(data(hidden)[i], 0);
    return linear(&b->down, hidden);
}

/* The input of one part of the layer. */
static locant_tensor input_of(const struct block *b, locant_tensor x)
{
    return b->pre_norm ? layer_norm(x) : x;
}

/* x plus the output of the part; post-norm layers normalise the sum. */
static locant_tensor residual(const struct block *b, locant_tensor x,
                              locant_tensor output)
{
    return b->pre_norm ? plus(x, output) : layer_norm(plus(x, output));
}

locant_tensor block_run(const struct block *b, locant_tensor x,
                        const locant_tensor *memory)
{
    x = residual(b, x, mha(&b->self, input_of(b, x)));
    if (b->kind == DECODER)
        x = residual(b, x, mha_from(&b->cross, input_of(b, x), *memory));
    return residual(b, x, feed_forward(b, input_of(b, x)));
}

int64_t mha_size(const struct mha *m)
{
    return linear_size(&m->q) + linear_size(&m->k) + linear_size(&m->v) +
           linear_size(&m->o);
}

int64_t block_size(const struct block *b)
{
    int64_t n = mha_size(&b->self) + linear_size(&b->up) +
                linear_size(&b->down) + 2 * 2 * b->self.width;

    if (b->kind == DECODER)
        n += mha_size(&b->cross) + 2 * b->self.width;
    return n;
}
