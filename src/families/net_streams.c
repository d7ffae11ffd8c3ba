/* net_streams.c - several streams of states (Gemma 3n) */
#include "net_streams.h"
#include "net_family_keys.h"
#include "net_math.h"
#include "net_mlp.h"
#include "net_norm.h"
#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- binding */

static locant_status bind_maps(struct lct_net_linear **out,
                               struct lct_net_binder *b, enum lct_net_role role,
                               int64_t n)
{
    const int64_t D = b->n->width;

    *out = lct_net_keep(b->n, (size_t)n * sizeof(**out));
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    for (int64_t i = 0; i < n; i++)
        LCT_TRY(lct_net_bind_linear(&(*out)[i], b,
                                    (struct lct_net_place){ role, -1, i }, D, D,
                                    0, NULL));
    return LOCANT_OK;
}

locant_status lct_net_streams_bind(struct lct_net_stack *s,
                                   struct lct_net_binder *b)
{
    s->n_streams = b->s.streams > 0 ? b->s.streams : 1;
    if (s->n_streams == 1)
        return LOCANT_OK;
    LCT_TRY(bind_maps(&s->stream_in, b, LCT_STREAM_IN, s->n_streams - 1));
    return bind_maps(&s->stream_out, b, LCT_STREAM_OUT, s->n_streams - 1);
}

static locant_status bind_low(struct lct_net_streams *s,
                              struct lct_net_binder *b, int64_t i)
{
    const struct lct_net_place left = { LCT_LAUREL_LEFT, i, -1 };
    const struct lct_net_place right = { LCT_LAUREL_RIGHT, i, -1 };
    const struct lct_net_place norm = { LCT_LAUREL_NORM, i, -1 };
    const int64_t D = b->n->width;
    int64_t rank = -1;

    LCT_TRY(lct_net_family_keys_width(&rank, &b->n->config, "laurel_rank"));
    LCT_TRY(lct_net_bind_linear(&s->left, b, left, rank, D, 0, NULL));
    LCT_TRY(
        lct_net_bind_linear(&s->right, b, right, D, s->left.w.out, 0, NULL));
    return lct_net_bind_norm(&s->low_norm, b, norm, D);
}

locant_status lct_net_streams_bind_layer(struct lct_net_streams **out,
                                         struct lct_net_binder *b, int64_t i)
{
    const struct lct_net_place norm = { LCT_STREAM_NORM, i, -1 };
    const struct lct_net_place router = { LCT_STREAM_ROUTER, i, -1 };
    const struct lct_net_place predict = { LCT_STREAM_PREDICT, i, -1 };
    const struct lct_net_place correct = { LCT_STREAM_CORRECT, i, -1 };
    const struct lct_net_place scale = { LCT_STREAM_SCALE, i, -1 };
    const int64_t n = b->n->text.n_streams, D = b->n->width;
    const struct lct_weight *w;
    struct lct_net_streams *s;

    if (n == 1)
        return LOCANT_OK;
    *out = s = lct_net_keep(b->n, sizeof(*s));
    if (s == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    s->n = n;
    s->active = b->s.active;
    LCT_TRY(lct_net_bind_norm(&s->router_norm, b, norm, D));
    LCT_TRY(lct_net_bind_linear(&s->router, b, router, n, D, 0, NULL));
    LCT_TRY(lct_net_bind_linear(&s->predict, b, predict, n * n, n, 0, NULL));
    LCT_TRY(lct_net_bind_linear(&s->correct, b, correct, n, n, 0, NULL));
    if (b->s.stream_scale) {
        LCT_TRY(lct_net_bind_need(&w, b, scale, ""));
        LCT_TRY(lct_net_bind_vector(&s->scale, b->n, w, D, 0));
    }
    return bind_low(s, b, i);
}

/* ------------------------------------------------- before and after layers */

static double magnitude(const struct lct_net_math *m, const void *x, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += m->get(x, i) * m->get(x, i);
    return sum / (double)n;
}

/* Rows of y get the size that the rows of x have. */
static void resize(void *y, const void *x, int64_t rows,
                   const struct lct_net *n)
{
    const struct lct_net_math *m = n->math;
    const int64_t D = n->width;

    for (int64_t r = 0; r < rows; r++) {
        void *row = lct_net_math_at(m, y, r * D);
        const double size = magnitude(m, lct_net_math_at(m, x, r * D), D);

        m->scale(row, sqrt(size / fmax(magnitude(m, row, D), 1e-5)), D);
    }
}

void lct_net_streams_enter(void *x, int64_t rows, const struct lct_net *n,
                           const struct lct_net_room *room)
{
    for (int64_t k = 1; k < n->text.n_streams; k++) {
        void *y = lct_net_math_at(n->math, x, k * rows * n->width);

        lct_net_linear_forward(y, n->width, x, rows, n,
                               &n->text.stream_in[k - 1], room);
        resize(y, x, rows, n);
    }
}

void lct_net_streams_leave(void *x, int64_t rows, const struct lct_net *n,
                           void *scratch, const struct lct_net_room *room)
{
    const struct lct_net_math *m = n->math;
    const int64_t all = rows * n->width, N = n->text.n_streams;
    void *y = scratch, *sum = lct_net_math_at(m, scratch, all);

    if (N == 1)
        return;
    memcpy(sum, x, (size_t)all * m->item);
    for (int64_t k = 1; k < N; k++) {
        lct_net_linear_forward(y, n->width, lct_net_math_at(m, x, k * all),
                               rows, n, &n->text.stream_out[k - 1], room);
        resize(y, x, rows, n);
        m->add(sum, y, 1, all);
    }
    m->scale(sum, 1 / (double)N, all);
    memcpy(x, sum, (size_t)all * m->item);
}

/* ------------------------------------------------------------------ layers */

int64_t lct_net_streams_scratch(const struct lct_net *n, int64_t rows)
{
    const int64_t N = n->text.n_streams;
    int64_t rank = 0;

    for (int64_t i = 0; i < n->text.n_layers; i++)
        if (n->text.layers[i].streams != NULL &&
            n->text.layers[i].streams->left.w.out > rank)
            rank = n->text.layers[i].streams->left.w.out;
    return N == 1 ? 0 : rows * ((N + 3) * n->width + 2 * N + N * N + rank) + 16;
}

/* What stands in scratch. */
struct work {
    void *predicted;   /* [N, rows, D] */
    void *h, *y, *low; /* [rows, D] */
    void *mode;        /* [rows, N] */
    void *factor;      /* [rows, N N] */
    void *rank, *inner;
};

/* mode [rows, N] = tanh(router(norm(x) / D)) */
static void find_mode(void *mode, void *room, const void *x, int64_t rows,
                      const struct lct_net_step *s,
                      const struct lct_net_streams *st)
{
    const struct lct_net_math *m = s->n->math;
    const int64_t D = s->n->width;

    lct_net_norm_rows(room, x, rows, m, &st->router_norm);
    m->scale(room, 1 / (double)D, rows * D);
    lct_net_linear_forward(mode, st->n, room, rows, s->n, &st->router, s->room);
    m->activate(mode, LCT_ACT_TANH, rows * st->n);
}

/* predicted[to] = x[to] + sum over 'from' of factor[to, from] x[from] */
static void predict(const struct work *w, const void *x, int64_t rows,
                    const struct lct_net_step *s,
                    const struct lct_net_streams *st)
{
    const struct lct_net_math *m = s->n->math;
    const int64_t D = s->n->width, all = rows * D, N = st->n;

    find_mode(w->mode, w->h, lct_net_math_at(m, x, st->active * all), rows, s,
              st);
    lct_net_linear_forward(w->factor, N * N, w->mode, rows, s->n, &st->predict,
                           s->room);
    memcpy(w->predicted, x, (size_t)(N * all) * m->item);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < N * N; i++)
            m->add(lct_net_math_at(m, w->predicted, i / N * all + r * D),
                   lct_net_math_at(m, x, i % N * all + r * D),
                   m->get(w->factor, r * N * N + i), D);
}

/* x[k] = predicted[k] + (1 + factor[k]) (y - predicted[active]) */
static void correct(void *x, const struct work *w, int64_t rows,
                    const struct lct_net_step *s,
                    const struct lct_net_streams *st)
{
    const struct lct_net_math *m = s->n->math;
    const int64_t D = s->n->width, all = rows * D, N = st->n;

    find_mode(w->mode, w->h, w->y, rows, s, st);
    lct_net_linear_forward(w->factor, N, w->mode, rows, s->n, &st->correct,
                           s->room);
    m->add(w->y, lct_net_math_at(m, w->predicted, st->active * all), -1, all);
    memcpy(x, w->predicted, (size_t)(N * all) * m->item);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < N; k++)
            m->add(lct_net_math_at(m, x, k * all + r * D),
                   lct_net_math_at(m, w->y, r * D),
                   1 + m->get(w->factor, r * N + k), D);
}

/* What the input of the layer gives is added to all streams but the first. */
static void add_input(void *x, const struct work *w, int64_t rows,
                      const struct lct_net_step *s,
                      const struct lct_net_layer *l, int64_t i)
{
    const struct lct_net_math *m = s->n->math;
    const struct lct_net_streams *st = l->streams;
    const int64_t D = s->n->width, all = rows * D;
    const struct lct_net_inputs inputs = { s->inputs, i, w->inner };

    memcpy(w->h, lct_net_math_at(m, x, st->active * all),
           (size_t)all * m->item);
    for (int64_t r = 0; st->scale != NULL && r < rows; r++)
        m->multiply(lct_net_math_at(m, w->h, r * D), st->scale, D);
    lct_net_inputs_add(w->y, w->h, rows, s->n, &l->input, &inputs, s->room);
    for (int64_t k = 1; k < st->n; k++)
        m->add(lct_net_math_at(m, x, k * all), w->y, 1, all);
}

/* w->y = the layer of the active stream, with the branch of low rank */
static locant_status compute(const struct work *w, int64_t rows,
                             const struct lct_net_step *s,
                             const struct lct_net_layer *l, int64_t i)
{
    const struct lct_net *n = s->n;
    const struct lct_net_math *m = n->math;
    const struct lct_net_streams *st = l->streams;
    const int64_t D = n->width, all = rows * D;
    const void *x = lct_net_math_at(m, w->predicted, st->active * all);

    lct_net_norm_rows(w->h, x, rows, m, &l->before_attn);
    lct_net_linear_forward(w->rank, st->left.w.out, w->h, rows, n, &st->left,
                           s->room);
    lct_net_linear_forward(w->low, D, w->rank, rows, n, &st->right, s->room);
    lct_net_norm_rows(w->low, w->low, rows, m, &st->low_norm);
    m->add(w->low, w->h, 1, all);
    LCT_TRY(
        lct_net_attention_forward(w->y, w->h, s, &l->attention, i, w->inner));
    lct_net_norm_rows(w->y, w->y, rows, m, &l->after_attn);
    m->add(w->y, x, 1, all);
    m->add(w->y, w->low, 1, all);
    m->scale(w->y, sqrt(0.5), all);
    lct_net_norm_rows(w->h, w->y, rows, m, &l->before_mlp);
    lct_net_mlp_forward(w->low, w->h, rows, n, &l->mlp, w->inner, s->room);
    lct_net_norm_rows(w->low, w->low, rows, m, &l->after_mlp);
    m->add(w->y, w->low, 1, all);
    return LOCANT_OK;
}

locant_status lct_net_streams_forward(void *x, const struct lct_net_step *s,
                                      const struct lct_net_layer *l, int64_t i,
                                      void *scratch)
{
    const struct lct_net_math *m = s->n->math;
    const struct lct_net_streams *st = l->streams;
    const int64_t rows = s->cache->B * s->T, all = rows * s->n->width;
    struct work w = { .predicted = scratch };

    w.h = lct_net_math_at(m, w.predicted, st->n * all);
    w.y = lct_net_math_at(m, w.h, all);
    w.low = lct_net_math_at(m, w.y, all);
    w.mode = lct_net_math_at(m, w.low, all);
    w.factor = lct_net_math_at(m, w.mode, rows * st->n);
    w.rank = lct_net_math_at(m, w.factor, rows * st->n * st->n);
    w.inner = lct_net_math_at(m, w.rank, rows * st->left.w.out);
    predict(&w, x, rows, s, st);
    LCT_TRY(compute(&w, rows, s, l, i));
    correct(x, &w, rows, s, st);
    if (l->input.gate.w.weight != NULL)
        add_input(x, &w, rows, s, l, i);
    return LOCANT_OK;
}
