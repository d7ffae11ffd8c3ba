/*
 * rows_gates.c - forget gates (FoX) in double: biases from gates of tokens.
 *
 * The bias of query i and key j is the sum of ln f_t over t in (j, i], or, of
 * other gates and if there are any, over t in (i, j] for a later key.  It is
 * summed over the keys that the query sees, in descending order of position (at
 * equal positions, from the last in memory).  So padding, other documents and
 * later keys do not count, and no digits cancel.
 */
#include "order.h"
#include "rows_gates.h"
#include <math.h>

/* Keys up to the query, and keys after it. */
enum { BEFORE, AFTER };

static double *gates_of(const struct lct_rows_task *w, double *gates, int set,
                        int64_t head)
{
    return gates + (set * w->c->call.heads + head) * w->c->keys;
}

/* Indices of the parameters of a set; false: there are no such gates. */
static bool params_of(int *weight, int *bias, const struct lct_rows_task *w,
                      int set)
{
    const struct lct_products *p = &w->content->products;

    *weight = set == BEFORE ? p->gate_weight : p->after_weight;
    *bias = set == BEFORE ? p->gate_bias : p->after_bias;
    return *weight >= 0;
}

static bool is_before(const void *k_pos, int64_t a, int64_t b)
{
    const int64_t *pos = k_pos;

    return pos[a] != pos[b] ? pos[a] < pos[b] : a < b;
}

/* ln f = ln sigmoid(weight x + bias) */
static void fill_gates(const struct lct_rows_task *w, int set)
{
    const struct lct_call *c = &w->c->call;
    int weight, bias;

    if (!params_of(&weight, &bias, w, set))
        return;
    for (int64_t h = 0; h < c->heads; h++)
        for (int64_t j = 0; j < w->c->keys; j++)
            gates_of(w, w->content->log_gate, set, h)[j] =
                lct_log_sigmoid(lct_dot(c->param[weight] + h * c->width,
                                        w->doc->x + j * c->width, c->width) +
                                c->param[bias][h]);
}

void lct_rows_gates_sort(const struct lct_rows_task *w)
{
    lct_order_sort(w->content->order, w->c->keys, is_before, w->c->k_pos);
}

void lct_rows_gates_begin(const struct lct_rows_task *w)
{
    lct_rows_gates_sort(w);
    fill_gates(w, BEFORE);
    fill_gates(w, AFTER);
}

/* Scores of one head for the keys up to the query, from the last one back. */
static void scores_before(double *scores, const struct lct_rows_task *w,
                          const double *log_gate)
{
    double sum = 0;

    for (int64_t n = w->c->keys; n-- > 0;) {
        int64_t j = w->content->order[n];

        if (w->c->k_pos[j] > w->q.pos || lct_is_hidden(scores[j]))
            continue;
        scores[j] += sum;
        sum += log_gate[j];
    }
}

/* For the keys after the query, from the first one on. */
static void scores_after(double *scores, const struct lct_rows_task *w,
                         const double *log_gate)
{
    double sum = 0;

    for (int64_t n = 0; n < w->c->keys; n++) {
        int64_t j = w->content->order[n];

        if (w->c->k_pos[j] <= w->q.pos || lct_is_hidden(scores[j]))
            continue;
        sum += log_gate[j];
        scores[j] += sum;
    }
}

void lct_rows_gates_scores(double *scores, const struct lct_rows_task *w)
{
    for (int64_t h = 0; h < w->c->call.heads; h++) {
        double *of_head = scores + h * w->c->keys;

        scores_before(of_head, w, gates_of(w, w->content->log_gate, BEFORE, h));
        if (w->content->products.after_weight >= 0)
            scores_after(of_head, w,
                         gates_of(w, w->content->log_gate, AFTER, h));
    }
}

/* forward: s_j += sum ln f_t, t after j: dln f_t = sum ds_j, j before t */
static void before_backward(double *dlog_gate, const double *dscores,
                            const double *scores, const struct lct_rows_task *w)
{
    const int64_t *order = w->content->order;
    double before = 0;

    for (int64_t n = 0; n < w->c->keys && w->c->k_pos[order[n]] <= w->q.pos;
         n++) {
        int64_t j = order[n];

        if (lct_is_hidden(scores[j]))
            continue;
        dlog_gate[j] += before;
        before += dscores[j];
    }
}

/* forward: s_j += sum ln f_t, t up to j: dln f_t = sum ds_j, j from t on */
static void after_backward(double *dlog_gate, const double *dscores,
                           const double *scores, const struct lct_rows_task *w)
{
    const int64_t *order = w->content->order;
    double after = 0;

    for (int64_t n = w->c->keys; n-- > 0 && w->c->k_pos[order[n]] > w->q.pos;) {
        int64_t j = order[n];

        if (lct_is_hidden(scores[j]))
            continue;
        after += dscores[j];
        dlog_gate[j] += after;
    }
}

void lct_rows_gates_backward(const double *dscores, const double *scores,
                             const struct lct_rows_task *w)
{
    for (int64_t h = 0; h < w->c->call.heads; h++) {
        int64_t at = h * w->c->keys;

        before_backward(gates_of(w, w->content->dlog_gate, BEFORE, h),
                        dscores + at, scores + at, w);
        if (w->content->products.after_weight >= 0)
            after_backward(gates_of(w, w->content->dlog_gate, AFTER, h),
                           dscores + at, scores + at, w);
    }
}

/*
 * forward: ln f = ln sigmoid(z), z = weight x + bias: dz = (1 - f) dln f, and
 * dweight = dz x, dbias = dz, dx = dz weight.
 */
static void gates_backward(const struct lct_content_gradient *g,
                           const struct lct_rows_task *w, int set)
{
    int64_t W = w->c->call.width;
    int weight, bias;

    if (!params_of(&weight, &bias, w, set))
        return;
    for (int64_t h = 0; h < w->c->call.heads; h++)
        for (int64_t j = 0; j < w->c->keys; j++) {
            double dgate = gates_of(w, w->content->dlog_gate, set, h)[j], dz;

            if (dgate == 0)
                continue;
            dz = -expm1(gates_of(w, w->content->log_gate, set, h)[j]) * dgate;
            lct_accumulate(g->dparam[weight] + h * W, dz, w->doc->x + j * W, W);
            g->dparam[bias][h] += dz;
            if (g->dx != NULL)
                lct_accumulate(g->dx + j * W, dz,
                               w->c->call.param[weight] + h * W, W);
        }
}

void lct_rows_gates_end(const struct lct_content_gradient *g,
                        const struct lct_rows_task *w)
{
    gates_backward(g, w, BEFORE);
    gates_backward(g, w, AFTER);
}
