/* content_gates.c - forget gates (FoX): biases from gates of tokens */
#include "content_gates.h"
#include "../core/pool.h"
#include "../encodings/content.h"
#include "../kernel/row.h"
#include "content_state.h"
#include "key_order.h"
#include "param_gradients.h"
#include <math.h>
#include <string.h>

struct gate_job {
    const struct lct_plan *p;
    const struct lct_content_gates *set;
    const locant_tensor *dx;
    int64_t from, rows; /* batch rows, in backward */
};

/* Tokens whose sums a state has. */
static int64_t known_of(const struct lct_plan *p)
{
    return lct_content_state_keeps_sums(p) ? lct_content_state_known(p) : 0;
}

void lct_content_gates_layout(struct lct_content_products *c,
                              const struct lct_plan *p, struct lct_arena *arena)
{
    int64_t heads = p->B * p->H;

    c->order = lct_arena_ints(arena, p->position_rows, p->S);
    c->last = lct_arena_ints(arena, p->position_rows, p->T);
    c->gate_sets = c->products.after_weight < 0 ? 1 : 2;
    for (int n = 0; n < c->gate_sets; n++) {
        struct lct_content_gates *set = &c->gates[n];

        set->weight =
            n == 0 ? c->products.gate_weight : c->products.after_weight;
        set->bias = n == 0 ? c->products.gate_bias : c->products.after_bias;
        set->gate = lct_arena_doubles(arena, heads, p->S);
        set->rows = p->S;
        if (p->request->a->state != NULL && lct_content_state_keeps_sums(p)) {
            struct lct_content_state *state = lct_content_state_of(p->request);
            struct lct_arena kept = lct_content_state_arena(state);

            set->rows = state->capacity;
            set->k_sum = lct_content_state_sums(p, &kept, set->rows);
        } else {
            set->k_sum = lct_arena_doubles(arena, heads, p->S);
        }
        set->q_sum = lct_arena_doubles(arena, heads, p->T);
        set->dk_sum = lct_arena_doubles(arena, heads, p->S);
        set->dq_sum = lct_arena_doubles(arena, heads, p->T);
    }
}

/* -------------------------------------------------------------------- sums */

/* ln f of a block of keys, for all heads. */
static void fill_gates(void *context, size_t task, int slot)
{
    const struct gate_job *job = context;
    const struct lct_plan *p = job->p;
    const double *weight = p->tables->content->param[job->set->weight];
    const double *bias = p->tables->content->param[job->set->bias];
    double *x = p->content->scratch[slot].row;
    int64_t b = (int64_t)task / p->k_tiles;
    int64_t from = (int64_t)task % p->k_tiles * LCT_TILE;
    int64_t end = from + lct_sizes_in_tile(p->S, from);
    int64_t known = known_of(p);

    for (int64_t j = from > known ? from : known; j < end; j++) {
        lct_row_to_f64(x, lct_at(p->request->a->x, (int64_t[2]){ b, j }, 2),
                       p->request->a->x->dtype, (size_t)p->W);
        for (int64_t h = 0; h < p->H; h++)
            job->set->gate[(b * p->H + h) * p->S + j] =
                lct_log_sigmoid(lct_dot(weight + h * p->W, x, p->W) + bias[h]);
    }
}

/* C of one head's keys, and C_last(i) of its queries (content_gates.h). */
static void sum_gates(void *context, size_t task, int slot)
{
    const struct gate_job *job = context;
    const struct lct_plan *p = job->p;
    int64_t row = lct_plan_row(p, (int64_t)task / p->H), doc = 0;
    const int64_t *order = p->content->order + row * p->S;
    const double *gate = job->set->gate + (int64_t)task * p->S;
    double *k_sum = job->set->k_sum + (int64_t)task * job->set->rows, sum = 0;
    double *q_sum = job->set->q_sum + (int64_t)task * p->T;
    int64_t known = known_of(p);

    (void)slot;
    if (known > 0)
        sum = k_sum[known - 1];
    for (int64_t n = known; n < p->S; n++) {
        int64_t j = order[n], before = doc;

        doc = lct_key_order_doc(p, row, j);
        sum = doc == before ? sum + gate[j] : gate[j];
        k_sum[j] = sum;
    }
    for (int64_t i = 0; i < p->T; i++) {
        int64_t last = p->content->last[row * p->T + i];

        q_sum[i] = last < 0 ? 0 : k_sum[last];
    }
}

void lct_content_gates_fill(const struct lct_plan *p)
{
    struct lct_content_products *c = p->content;

    lct_key_order_fill(c->order, c->last, p);
    for (int n = 0; n < c->gate_sets; n++) {
        struct gate_job job = { .p = p, .set = &c->gates[n] };

        lct_parallel_for((size_t)(p->B * p->k_tiles), p->slots, fill_gates,
                         &job);
        lct_parallel_for((size_t)(p->B * p->H), p->slots, sum_gates, &job);
    }
    if (lct_content_state_keeps_sums(p))
        lct_content_state_advance(p);
}

void lct_content_gates_begin_backward(const struct lct_plan *p)
{
    const struct lct_content_products *c = p->content;
    const size_t heads = (size_t)(p->B * p->H) * sizeof(double);

    for (int n = 0; n < c->gate_sets; n++) {
        memset(c->gates[n].dk_sum, 0, heads * (size_t)p->S);
        memset(c->gates[n].dq_sum, 0, heads * (size_t)p->T);
    }
}

/* ---------------------------------------------------------------- one tile */

/* Sums, or their gradients, at the tile's queries and keys. */
struct sums {
    double *q, *k;
};

static struct sums sums_of(const struct lct_plan *p, const struct lct_tile *t,
                           double *q, double *k)
{
    int64_t head = t->b * p->H + t->h, rows = p->content->gates->rows;

    return (struct sums){ q + head * p->T + t->i, k + head * rows + t->j };
}

/* Positions from token 'at' of batch row b on, of n tokens each. */
static const int64_t *positions_of(const struct lct_plan *p, const int64_t *pos,
                                   int64_t b, int64_t n, int64_t at)
{
    return pos + lct_plan_row(p, b) * n + at;
}

/* Both sets: that of the keys up to the query, and that of the others. */
static void scores_of_both(const struct lct_plan *p, const struct lct_tile *t,
                           struct lct_scratch *s)
{
    const struct lct_content_gates *g = p->content->gates;
    struct sums before = sums_of(p, t, g[0].q_sum, g[0].k_sum);
    struct sums after = sums_of(p, t, g[1].q_sum, g[1].k_sum);
    const int64_t *q_pos = positions_of(p, p->tables->q_pos, t->b, p->T, t->i);
    const int64_t *k_pos = positions_of(p, p->tables->k_pos, t->b, p->S, t->j);

    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t i = 0; i < t->rows; i++)
            s->s[j * (int64_t)t->lanes + i] +=
                (float)(k_pos[j] > q_pos[i] ? after.k[j] - after.q[i]
                                            : before.q[i] - before.k[j]);
}

/* What ln f counts times. */
static double scale_of(const struct lct_plan *p)
{
    return p->content->products.gates_scaled ? p->scale : 1;
}

void lct_content_gates_scores(const struct lct_plan *p,
                              const struct lct_tile *t, struct lct_scratch *s)
{
    const struct lct_content_gates *g = p->content->gates;
    struct sums sums = sums_of(p, t, g->q_sum, g->k_sum);
    double scale = scale_of(p);

    if (p->content->gate_sets > 1) {
        scores_of_both(p, t, s);
        return;
    }
    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t i = 0; i < t->rows; i++)
            s->s[j * (int64_t)t->lanes + i] +=
                (float)(scale * (sums.q[i] - sums.k[j]));
}

/* forward: scores_of_both() */
static void scores_of_both_backward(const struct lct_plan *p,
                                    const struct lct_tile *t,
                                    const struct lct_scratch *s)
{
    const struct lct_content_gates *g = p->content->gates;
    struct sums before = sums_of(p, t, g[0].dq_sum, g[0].dk_sum);
    struct sums after = sums_of(p, t, g[1].dq_sum, g[1].dk_sum);
    const int64_t *q_pos = positions_of(p, p->tables->q_pos, t->b, p->T, t->i);
    const int64_t *k_pos = positions_of(p, p->tables->k_pos, t->b, p->S, t->j);

    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t i = 0; i < t->rows; i++) {
            double ds = (double)s->ds[j * (int64_t)t->lanes + i];
            bool later = k_pos[j] > q_pos[i];

            (later ? after.k : before.q)[later ? j : i] += ds;
            (later ? after.q : before.k)[later ? i : j] -= ds;
        }
}

/* forward: s += q_sum - k_sum */
void lct_content_gates_scores_backward(const struct lct_plan *p,
                                       const struct lct_tile *t,
                                       const struct lct_scratch *s)
{
    const struct lct_content_gates *g = p->content->gates;
    struct sums d = sums_of(p, t, g->dq_sum, g->dk_sum);
    double scale = scale_of(p);

    if (p->content->gate_sets > 1) {
        scores_of_both_backward(p, t, s);
        return;
    }
    for (int64_t j = 0; j < t->keys; j++) {
        const float *ds = s->ds + j * (int64_t)t->lanes;
        double sum = 0;

        for (int64_t i = 0; i < t->rows; i++) {
            d.q[i] += scale * (double)ds[i];
            sum += (double)ds[i];
        }
        d.k[j] -= scale * sum;
    }
}

/* ---------------------------------------------------------------- gradient */

/*
 * forward: C_t = sum of ln f up to t (content_gates.h), so dln f_t = sum of dC
 * from t to the end of its document.  ln f = ln sigmoid(z), so
 * dz = (1 - f) dln f; dz overwrites dk_sum.
 */
static void sums_backward(void *context, size_t task, int slot)
{
    const struct gate_job *job = context;
    const struct lct_plan *p = job->p;
    int64_t head = job->from * p->H + (int64_t)task, doc = 0;
    int64_t row = lct_plan_row(p, head / p->H);
    const int64_t *order = p->content->order + row * p->S;
    const int64_t *last = p->content->last + row * p->T;
    const double *gate = job->set->gate + head * p->S;
    const double *dq = job->set->dq_sum + head * p->T;
    double *dk = job->set->dk_sum + head * p->S, sum = 0;

    (void)slot;
    for (int64_t i = 0; i < p->T; i++)
        if (last[i] >= 0)
            dk[last[i]] += dq[i];
    for (int64_t n = p->S; n-- > 0;) {
        int64_t j = order[n], after = doc;

        doc = lct_key_order_doc(p, row, j);
        sum = doc == after ? sum + dk[j] : dk[j];
        dk[j] = sum == 0 ? 0 : -expm1(gate[j]) * sum;
    }
}

/*
 * forward: z = weight x + bias: dweight = dz x, dbias = dz.  One head, batch
 * rows in order.
 */
static void weights_backward(void *context, size_t task, int slot)
{
    const struct gate_job *job = context;
    const struct lct_plan *p = job->p;
    double *x = p->content->scratch[slot].row, *dparam[LCT_MAX_PARAMS];
    int64_t h = (int64_t)task;

    lct_param_gradients_of(dparam, p, p->tables->content, p->gradients->params);
    for (int64_t n = 0; n < job->rows * p->S; n++) {
        int64_t at[2] = { job->from + n / p->S, n % p->S };
        double dz = job->set->dk_sum[(at[0] * p->H + h) * p->S + at[1]];

        if (dz == 0) /* padding, whose x may be NaN */
            continue;
        lct_row_to_f64(x, lct_at(p->request->a->x, at, 2),
                       p->request->a->x->dtype, (size_t)p->W);
        lct_accumulate(dparam[job->set->weight] + h * p->W, dz, x, p->W);
        dparam[job->set->bias][h] += dz;
    }
}

/* dx [W] += dz weight of one set, summed over the heads of a token; false: all
 * dz are 0. */
static bool add_input(double *dx, const struct lct_plan *p,
                      const struct lct_content_gates *set, int64_t b, int64_t j)
{
    const double *weight = p->tables->content->param[set->weight];
    bool any = false;

    for (int64_t h = 0; h < p->H; h++) {
        double dz = set->dk_sum[(b * p->H + h) * p->S + j];

        any |= dz != 0;
        if (dz != 0)
            lct_accumulate(dx, dz, weight + h * p->W, p->W);
    }
    return any;
}

static void input_backward(void *context, size_t task, int slot)
{
    const struct gate_job *job = context;
    const struct lct_plan *p = job->p;
    double *dx = p->content->scratch[slot].row;
    int64_t b = job->from + (int64_t)task / p->S, j = (int64_t)task % p->S;
    bool any = false;

    memset(dx, 0, (size_t)p->W * sizeof(*dx));
    for (int n = 0; n < p->content->gate_sets; n++)
        any |= add_input(dx, p, &p->content->gates[n], b, j);
    if (any)
        lct_row_from_f64(lct_at(job->dx, (int64_t[2]){ b, j }, 2),
                         job->dx->dtype, dx, (size_t)p->W);
}

void lct_content_gates_sum_chunk(const struct lct_plan *p,
                                 const locant_tensor *dx, bool learns,
                                 int64_t b, int64_t rows)
{
    struct gate_job job = { .p = p, .dx = dx, .from = b, .rows = rows };

    for (int n = 0; n < p->content->gate_sets; n++) {
        job.set = &p->content->gates[n];
        lct_parallel_for((size_t)(rows * p->H), p->slots, sums_backward, &job);
        if (learns)
            lct_parallel_for((size_t)p->H, p->slots, weights_backward, &job);
    }
    if (dx != NULL)
        lct_parallel_for((size_t)(rows * p->S), p->slots, input_backward, &job);
}
