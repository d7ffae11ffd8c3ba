/*
 * rows_gates.c - forget gates (FoX) in double: biases from gates of tokens.
 *
 * The bias of query i and key j is the sum of ln f_t over t in (j, i].  It is
 * summed over the keys that the query sees, in descending order of position (at
 * equal positions, from the last in memory).  So padding, other documents and
 * later keys do not count, and no digits cancel.
 */
#include "order.h"
#include "rows_gates.h"
#include <math.h>

static double *gates_of(const struct lct_rows_task *w, double *gates,
                        int64_t head)
{
    return gates + head * w->c->keys;
}

static bool is_before(const void *k_pos, int64_t a, int64_t b)
{
    const int64_t *pos = k_pos;

    return pos[a] != pos[b] ? pos[a] < pos[b] : a < b;
}

/* ln f = ln sigmoid(weight x + bias) */
void lct_rows_gates_begin(const struct lct_rows_task *w)
{
    const struct lct_call *c = &w->c->call;
    const double *weight = c->param[w->content->products.gate_weight];
    const double *bias = c->param[w->content->products.gate_bias];
    int64_t W = c->width;

    lct_order_sort(w->content->order, w->c->keys, is_before, w->c->k_pos);
    for (int64_t h = 0; h < c->heads; h++)
        for (int64_t j = 0; j < w->c->keys; j++)
            gates_of(w, w->content->log_gate, h)[j] = lct_log_sigmoid(
                lct_dot(weight + h * W, w->doc->x + j * W, W) + bias[h]);
}

void lct_rows_gates_scores(double *scores, const struct lct_rows_task *w)
{
    const struct lct_content *c = w->c;

    for (int64_t h = 0; h < c->call.heads; h++) {
        const double *log_gate = gates_of(w, w->content->log_gate, h);
        double sum = 0;

        for (int64_t n = c->keys; n-- > 0;) {
            int64_t j = w->content->order[n];
            double *score = &scores[h * c->keys + j];

            if (c->k_pos[j] > w->q.pos || lct_is_hidden(*score))
                continue;
            *score += sum;
            sum += log_gate[j];
        }
    }
}

/* forward: s_j += sum ln f_t, t after j: dln f_t = sum ds_j, j before t */
void lct_rows_gates_backward(const double *dscores, const double *scores,
                             const struct lct_rows_task *w)
{
    const struct lct_content *c = w->c;
    const int64_t *order = w->content->order;

    for (int64_t h = 0; h < c->call.heads; h++) {
        double *dlog_gate = gates_of(w, w->content->dlog_gate, h);
        double before = 0;

        for (int64_t n = 0; n < c->keys && c->k_pos[order[n]] <= w->q.pos;
             n++) {
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
                        const struct lct_rows_task *w)
{
    const struct lct_products *products = &w->content->products;
    int weight = products->gate_weight, bias = products->gate_bias;
    int64_t W = w->c->call.width;

    for (int64_t h = 0; h < w->c->call.heads; h++)
        for (int64_t j = 0; j < w->c->keys; j++) {
            double dgate = gates_of(w, w->content->dlog_gate, h)[j], dz;

            if (dgate == 0)
                continue;
            dz = -expm1(gates_of(w, w->content->log_gate, h)[j]) * dgate;
            lct_accumulate(g->dparam[weight] + h * W, dz, w->doc->x + j * W, W);
            g->dparam[bias][h] += dz;
            if (g->dx != NULL)
                lct_accumulate(g->dx + j * W, dz,
                               w->c->call.param[weight] + h * W, W);
        }
}
