/*
 * rows_gates.c - forget gates (FoX) in double: biases from gates of tokens.
 *
 * The bias is the sum of ln f_t over t in (j, i].  It is summed from the query
 * back over the keys that it sees, in descending order of position (of equal
 * positions the later in memory first).  So padding, other documents and later
 * keys do not count, and no digits cancel.
 */
#include "rows_gates.h"
#include <math.h>

static double *gates_of(const struct lct_rows_document *s, double *gates,
                        int64_t head)
{
    return gates + head * s->c.keys;
}

static bool is_after(const struct lct_rows_document *s, int64_t a, int64_t b)
{
    return s->c.k_pos[a] != s->c.k_pos[b] ? s->c.k_pos[a] > s->c.k_pos[b]
                                          : a > b;
}

/* Sift the key at 'at' down a heap of n keys with the last key at its root. */
static void sift_down(const struct lct_rows_document *s, int64_t at, int64_t n)
{
    int64_t *order = s->content.order, key = order[at];

    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && is_after(s, order[child + 1], order[child]))
            child++;
        if (!is_after(s, order[child], key))
            break;
        order[at] = order[child];
    }
    order[at] = key;
}

static void sort_keys(const struct lct_rows_document *s)
{
    int64_t *order = s->content.order;

    for (int64_t j = 0; j < s->c.keys; j++)
        order[j] = j;
    for (int64_t at = s->c.keys / 2; at-- > 0;)
        sift_down(s, at, s->c.keys);
    for (int64_t n = s->c.keys; n-- > 1;) {
        int64_t last = order[0];

        order[0] = order[n];
        order[n] = last;
        sift_down(s, 0, n);
    }
}

/* ln f = ln sigmoid(weight x + bias) */
void lct_rows_gates_begin(const struct lct_rows_document *s)
{
    const struct lct_call *c = &s->c.call;
    const double *weight = c->param[s->content.products.gate_weight];
    const double *bias = c->param[s->content.products.gate_bias];
    int64_t W = c->width;

    sort_keys(s);
    for (int64_t h = 0; h < c->heads; h++)
        for (int64_t j = 0; j < s->c.keys; j++)
            gates_of(s, s->content.log_gate, h)[j] = lct_log_sigmoid(
                lct_dot(weight + h * W, s->x + j * W, W) + bias[h]);
}

void lct_rows_gates_scores(double *scores, const struct lct_rows_document *s,
                           const struct lct_query *q)
{
    const struct lct_content *c = &s->c;

    for (int64_t h = 0; h < c->call.heads; h++) {
        const double *log_gate = gates_of(s, s->content.log_gate, h);
        double sum = 0;

        for (int64_t n = c->keys; n-- > 0;) {
            int64_t j = s->content.order[n];
            double *score = &scores[h * c->keys + j];

            if (c->k_pos[j] > q->pos || lct_is_hidden(*score))
                continue;
            *score += sum;
            sum += log_gate[j];
        }
    }
}

/* forward: s_j += sum ln f_t, t after j: dln f_t = sum of ds_j, j before t */
void lct_rows_gates_backward(const double *dscores, const double *scores,
                             const struct lct_rows_document *s,
                             const struct lct_query *q)
{
    const struct lct_content *c = &s->c;
    const int64_t *order = s->content.order;

    for (int64_t h = 0; h < c->call.heads; h++) {
        double *dlog_gate = gates_of(s, s->content.dlog_gate, h);
        double before = 0;

        for (int64_t n = 0; n < c->keys && c->k_pos[order[n]] <= q->pos; n++) {
            int64_t j = order[n];

            if (lct_is_hidden(scores[h * c->keys + j]))
                continue;
            dlog_gate[j] += before;
            before += dscores[h * c->keys + j];
        }
    }
}

/*
 * forward: ln f = ln sigmoid(z), z = weight x + bias: dz = (1 - f) dln f, and
 * dweight = dz x, dbias = dz, dx = dz weight.
 */
void lct_rows_gates_end(const struct lct_content_gradient *g,
                        const struct lct_rows_document *s)
{
    const struct lct_products *products = &s->content.products;
    int weight = products->gate_weight, bias = products->gate_bias;
    int64_t W = s->c.call.width;

    for (int64_t h = 0; h < s->c.call.heads; h++)
        for (int64_t j = 0; j < s->c.keys; j++) {
            double dgate = gates_of(s, s->content.dlog_gate, h)[j], dz;

            if (dgate == 0)
                continue;
            dz = -expm1(gates_of(s, s->content.log_gate, h)[j]) * dgate;
            lct_accumulate(g->dparam[weight] + h * W, dz, s->x + j * W, W);
            g->dparam[bias][h] += dz;
            if (g->dx != NULL)
                lct_accumulate(g->dx + j * W, dz,
                               s->c.call.param[weight] + h * W, W);
        }
}
