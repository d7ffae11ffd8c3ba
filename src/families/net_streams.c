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
    LCT_NET_GOT(*out);
    for (b->part = 0; b->part < n; b->part++)
        LCT_TRY(lct_net_bind_linear(&(*out)[b->part], b, role, D, D));
    return LOCANT_OK;
}

locant_status lct_net_streams_bind(struct lct_net_stack *s,
                                   struct lct_net_binder *b)
{
    const int64_t others = b->n->s.streams - 1;

    if (others == 0)
        return LOCANT_OK;
    LCT_TRY(bind_maps(&s->stream_in, b, LCT_STREAM_IN, others));
    return bind_maps(&s->stream_out, b, LCT_STREAM_OUT, others);
}

locant_status lct_net_streams_bind_layer(struct lct_net_streams **out,
                                         struct lct_net_binder *b)
{
    const int64_t n = b->n->s.streams, D = b->n->width;
    struct lct_net_streams *s;
    int64_t rank = -1;

    if (n == 1)
        return LOCANT_OK;
    *out = s = lct_net_keep(b->n, sizeof(*s));
    LCT_NET_GOT(s);
    LCT_TRY(lct_net_bind_norm(&s->router_norm, b, LCT_STREAM_NORM, D));
    LCT_TRY(lct_net_bind_linear(&s->router, b, LCT_STREAM_ROUTER, n, D));
    LCT_TRY(lct_net_bind_linear(&s->predict, b, LCT_STREAM_PREDICT, n * n, n));
    LCT_TRY(lct_net_bind_linear(&s->correct, b, LCT_STREAM_CORRECT, n, n));
    if (b->n->s.stream_scale)
        LCT_TRY(lct_net_bind_numbers(&s->scale, b, LCT_STREAM_SCALE, "", D));
    LCT_TRY(lct_net_family_keys_width(&rank, &b->n->config, "laurel_rank"));
    LCT_TRY(lct_net_bind_linear(&s->left, b, LCT_LAUREL_LEFT, rank, D));
    LCT_TRY(
        lct_net_bind_linear(&s->right, b, LCT_LAUREL_RIGHT, D, s->left.w.out));
    return lct_net_bind_norm(&s->low_norm, b, LCT_LAUREL_NORM, D);
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

void lct_net_streams_enter(void *x, int64_t rows, struct lct_net_room *room)
{
    const struct lct_net *n = room->n;

    for (int64_t k = 1; k < n->s.streams; k++) {
        void *y = lct_net_math_at(n->math, x, k * rows * n->width);

        lct_net_linear_forward(y, x, rows, &n->text.stream_in[k - 1], room);
        resize(y, x, rows, n);
    }
}

locant_status lct_net_streams_leave(void *x, int64_t rows,
                                    struct lct_net_room *room)
{
    const struct lct_net *n = room->n;
    const struct lct_net_math *m = n->math;
    const int64_t all = rows * n->width, N = n->s.streams;
    const size_t mark = room->used;
    void *y, *sum;

    if (N == 1)
        return LOCANT_OK;
    y = lct_net_take(room, rows, n->width);
    sum = lct_net_take(room, rows, n->width);
    LCT_NET_GOT(sum);
    memcpy(sum, x, (size_t)all * m->item);
    for (int64_t k = 1; k < N; k++) {
        lct_net_linear_forward(y, lct_net_math_at(m, x, k * all), rows,
                               &n->text.stream_out[k - 1], room);
        resize(y, x, rows, n);
        m->add(sum, y, 1, all);
    }
    m->scale(sum, 1 / (double)N, all);
    memcpy(x, sum, (size_t)all * m->item);
    lct_net_give_back(room, mark);
    return LOCANT_OK;
}

/* ------------------------------------------------------------------ layers */

/* What stands in scratch. */
struct work {
    void *predicted;   /* [N, rows, D] */
    void *h, *y, *low; /* [rows, D] */
    void *mode;        /* [rows, N] */
    void *factor;      /* [rows, N N] */
    void *rank;
};

static locant_status take(struct work *w, struct lct_net_room *room,
                          const struct lct_net_streams *st, int64_t rows)
{
    const int64_t D = room->n->width, N = room->n->s.streams;

    w->predicted = lct_net_take(room, rows, N * D);
    w->h = lct_net_take(room, rows, D);
    w->y = lct_net_take(room, rows, D);
    w->low = lct_net_take(room, rows, D);
    w->mode = lct_net_take(room, rows, N);
    w->factor = lct_net_take(room, rows, N * N);
    w->rank = lct_net_take(room, rows, st->left.w.out);
    LCT_NET_GOT(w->rank);
    return LOCANT_OK;
}

/* mode [rows, N] = tanh(router(norm(x) / D)) */
static void find_mode(void *mode, void *room, const void *x, int64_t rows,
                      const struct lct_net_step *s,
                      const struct lct_net_streams *st)
{
    const struct lct_net_math *m = s->n->math;
    const int64_t D = s->n->width;

    lct_net_norm_rows(room, x, rows, m, &st->router_norm);
    m->scale(room, 1 / (double)D, rows * D);
    lct_net_linear_forward(mode, room, rows, &st->router, s->room);
    m->activate(mode, LCT_ACT_TANH, rows * s->n->s.streams);
}

/* predicted[to] = x[to] + sum over 'from' of factor[to, from] x[from] */
static void predict(const struct work *w, const void *x, int64_t rows,
                    const struct lct_net_step *s,
                    const struct lct_net_streams *st)
{
    const struct lct_net_math *m = s->n->math;
    const int64_t D = s->n->width, all = rows * D, N = s->n->s.streams;

    find_mode(w->mode, w->h, lct_net_math_at(m, x, s->n->s.active * all), rows,
              s, st);
    lct_net_linear_forward(w->factor, w->mode, rows, &st->predict, s->room);
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
    const int64_t D = s->n->width, all = rows * D, N = s->n->s.streams;

    find_mode(w->mode, w->h, w->y, rows, s, st);
    lct_net_linear_forward(w->factor, w->mode, rows, &st->correct, s->room);
    m->add(w->y, lct_net_math_at(m, w->predicted, s->n->s.active * all), -1,
           all);
    memcpy(x, w->predicted, (size_t)(N * all) * m->item);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < N; k++)
            m->add(lct_net_math_at(m, x, k * all + r * D),
                   lct_net_math_at(m, w->y, r * D),
                   1 + m->get(w->factor, r * N + k), D);
}

/* What the input of the layer gives is added to all streams but the first. */
static locant_status add_input(void *x, const struct work *w, int64_t rows,
                               const struct lct_net_step *s,
                               const struct lct_net_layer *l, int64_t i)
{
    const struct lct_net_math *m = s->n->math;
    const struct lct_net_streams *st = l->streams;
    const int64_t D = s->n->width, all = rows * D;

    memcpy(w->h, lct_net_math_at(m, x, s->n->s.active * all),
           (size_t)all * m->item);
    for (int64_t r = 0; st->scale != NULL && r < rows; r++)
        m->multiply(lct_net_math_at(m, w->h, r * D), st->scale, D);
    LCT_TRY(lct_net_inputs_add(w->y, w->h, rows, l, i, s->inputs, s->room));
    for (int64_t k = 1; k < s->n->s.streams; k++)
        m->add(lct_net_math_at(m, x, k * all), w->y, 1, all);
    return LOCANT_OK;
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
    const void *x = lct_net_math_at(m, w->predicted, s->n->s.active * all);

    lct_net_norm_rows(w->h, x, rows, m, &l->before_attn);
    lct_net_linear_forward(w->rank, w->h, rows, &st->left, s->room);
    lct_net_linear_forward(w->low, w->rank, rows, &st->right, s->room);
    lct_net_norm_rows(w->low, w->low, rows, m, &st->low_norm);
    m->add(w->low, w->h, 1, all);
    LCT_TRY(lct_net_attention_forward(w->y, w->h, s, &l->attention, i));
    lct_net_norm_rows(w->y, w->y, rows, m, &l->after_attn);
    m->add(w->y, x, 1, all);
    m->add(w->y, w->low, 1, all);
    m->scale(w->y, sqrt(0.5), all);
    lct_net_norm_rows(w->h, w->y, rows, m, &l->before_mlp);
    LCT_TRY(lct_net_mlp_forward(w->low, w->h, rows, &l->mlp, s->room));
    lct_net_norm_rows(w->low, w->low, rows, m, &l->after_mlp);
    m->add(w->y, w->low, 1, all);
    return LOCANT_OK;
}

locant_status lct_net_streams_forward(void *x, const struct lct_net_step *s,
                                      const struct lct_net_layer *l, int64_t i)
{
    const int64_t rows = s->cache->B * s->T;
    const size_t mark = s->room->used;
    struct work w;

    LCT_TRY(take(&w, s->room, l->streams, rows));
    predict(&w, x, rows, s, l->streams);
    LCT_TRY(compute(&w, rows, s, l, i));
    correct(x, &w, rows, s, l->streams);
    if (l->input.gate.w.weight != NULL)
        LCT_TRY(add_input(x, &w, rows, s, l, i));
    lct_net_give_back(s->room, mark);
    return LOCANT_OK;
}
