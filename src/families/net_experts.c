/*
 * net_experts.c - mixtures of experts: a router chooses some MLPs for a token
 *
 * Scores of the router are computed in double.  Experts are taken in ascending
 * order, each for all tokens that chose it, so the sum of a token does not
 * depend on the other tokens.  Of equal scores the lower index is chosen.
 */
#include "net_experts.h"
#include "net_math.h"
#include "net_mlp.h"
#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------- router */

/* The index of the largest of n scores that is not -infinity; -1: none. */
static int64_t best_of(const double *score, int64_t n)
{
    int64_t best = -1;

    for (int64_t i = 0; i < n; i++)
        if (score[i] > -HUGE_VAL && (best < 0 || score[i] > score[best]))
            best = i;
    return best;
}

/* e^(x - largest), all of it over the sum */
static void softmax(double *x, int64_t n)
{
    double most = -HUGE_VAL, sum = 0;

    for (int64_t i = 0; i < n; i++)
        most = fmax(most, x[i]);
    for (int64_t i = 0; i < n; i++)
        sum += x[i] = exp(x[i] - most);
    for (int64_t i = 0; i < n; i++)
        x[i] /= sum;
}

/* The best score of a group, or the sum of its best two. */
static double group_score(const double *score, int64_t n, bool two)
{
    double first = -HUGE_VAL, second = -HUGE_VAL;

    for (int64_t i = 0; i < n; i++)
        if (score[i] > first) {
            second = first;
            first = score[i];
        } else if (score[i] > second) {
            second = score[i];
        }
    return two && n > 1 ? first + second : first;
}

/* Keep the scores of the best groups; the others become -infinity. */
static void keep_groups(double *score, double *room,
                        const struct lct_net_experts *e)
{
    const int64_t each = e->n / e->groups;

    for (int64_t g = 0; g < e->groups; g++)
        room[g] = group_score(score + g * each, each, e->group_by_two);
    for (int64_t kept = 0; kept < e->top_groups; kept++) {
        int64_t g = best_of(room, e->groups);

        if (g >= 0)
            room[g] = -HUGE_VAL;
    }
    for (int64_t g = 0; g < e->groups; g++)
        for (int64_t i = 0; room[g] > -HUGE_VAL && i < each; i++)
            score[g * each + i] = -HUGE_VAL;
}

/* What experts weigh, from their logits. */
static void weigh(double *weight, const struct lct_net_experts *e)
{
    if (e->router == LCT_ROUTER_SOFTMAX)
        softmax(weight, e->n);
    for (int64_t i = 0; e->router == LCT_ROUTER_SIGMOID && i < e->n; i++)
        weight[i] = 1 / (1 + exp(-weight[i]));
}

/* Choose experts of one token by logits; room holds 3 n numbers. */
static void choose(int64_t *chosen, double *weight, const void *logits,
                   const struct lct_net *n, const struct lct_net_experts *e,
                   double *room)
{
    double *all = room, *score = room + e->n, sum = e->epsilon;

    for (int64_t i = 0; i < e->n; i++)
        all[i] = n->math->get(logits, i);
    weigh(all, e);
    for (int64_t i = 0; i < e->n; i++)
        score[i] = all[i] +
                   (e->correction != NULL ? n->math->get(e->correction, i) : 0);
    if (e->groups > 1)
        keep_groups(score, room + 2 * e->n, e);
    for (int64_t k = 0; k < e->top_k; k++) {
        chosen[k] = best_of(score, e->n);
        weight[k] = chosen[k] >= 0 ? all[chosen[k]] : 0;
        if (chosen[k] >= 0)
            score[chosen[k]] = -HUGE_VAL;
        sum += weight[k];
    }
    if (e->router == LCT_ROUTER_OF_CHOSEN)
        softmax(weight, e->top_k);
    for (int64_t k = 0; k < e->top_k; k++) {
        if (e->renormalise)
            weight[k] /= sum;
        weight[k] *= e->scaling;
        if (e->per_expert_scale != NULL && chosen[k] >= 0)
            weight[k] *= n->math->get(e->per_expert_scale, chosen[k]);
    }
}

/* ---------------------------------------------------------------- forward */

struct work {
    double *weight, *room;   /* [rows, k], [3 n] */
    int64_t *chosen, *token; /* [rows, k], [rows] */
    double *factor;          /* [rows] */
    void *logits, *x, *y;    /* [rows, n], [rows, D] twice */
};

static locant_status take(struct work *w, const struct lct_net_experts *e,
                          int64_t rows, struct lct_net_room *room)
{
    const size_t eight = sizeof(double);

    w->weight = lct_net_take_items(room, rows, e->top_k, eight);
    w->room = lct_net_take_items(room, 3, e->n, eight);
    w->chosen = lct_net_take_items(room, rows, e->top_k, eight);
    w->token = lct_net_take_items(room, rows, 1, eight);
    w->factor = lct_net_take_items(room, rows, 1, eight);
    w->logits = lct_net_take(room, rows, e->n);
    w->x = lct_net_take(room, rows, room->n->width);
    w->y = lct_net_take(room, rows, room->n->width);
    LCT_NET_GOT(w->y);
    return LOCANT_OK;
}

/* The tokens that chose expert i, and their weights. */
static int64_t tokens_of(const struct work *w, const struct lct_net_experts *e,
                         int64_t rows, int64_t i)
{
    int64_t count = 0;

    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < e->top_k; k++)
            if (w->chosen[r * e->top_k + k] == i) {
                w->token[count] = r;
                w->factor[count++] = w->weight[r * e->top_k + k];
            }
    return count;
}

/* y += an expert of 'count' tokens, which are weighed before it if 'first'. */
static locant_status run_expert(void *y, const void *x, const struct work *w,
                                int64_t count, const struct lct_net_mlp *mlp,
                                bool first, struct lct_net_room *room)
{
    const struct lct_net_math *m = room->n->math;
    const int64_t D = room->n->width;

    for (int64_t c = 0; c < count; c++) {
        void *to = lct_net_math_at(m, w->x, c * D);

        memcpy(to, lct_net_math_at(m, x, w->token[c] * D), (size_t)D * m->item);
        if (first)
            m->scale(to, w->factor[c], D);
    }
    LCT_TRY(lct_net_mlp_forward(w->y, w->x, count, mlp, room));
    for (int64_t c = 0; c < count; c++)
        m->add(lct_net_math_at(m, y, w->token[c] * D),
               lct_net_math_at(m, w->y, c * D), first ? 1 : w->factor[c], D);
    return LOCANT_OK;
}

/* All tokens share an expert, weighed by sigmoid(gate x) if there is a gate. */
static void share(const struct work *w, const void *x, int64_t rows,
                  const struct lct_net_experts *e, struct lct_net_room *room)
{
    const bool scaled = e->shared_gate.w.weight != NULL;

    if (scaled)
        lct_net_linear_forward(w->logits, x, rows, &e->shared_gate, room);
    for (int64_t r = 0; r < rows; r++) {
        w->token[r] = r;
        w->factor[r] =
            scaled ? 1 / (1 + exp(-room->n->math->get(w->logits, r))) : 1;
    }
}

locant_status lct_net_experts_forward(void *y, const void *x,
                                      const void *router_x, int64_t rows,
                                      const struct lct_net_experts *e,
                                      struct lct_net_room *room)
{
    const struct lct_net_math *m = room->n->math;
    const size_t mark = room->used;
    struct work w;

    LCT_TRY(take(&w, e, rows, room));
    lct_net_linear_forward(w.logits, router_x, rows, &e->gate, room);
    for (int64_t r = 0; r < rows; r++)
        choose(w.chosen + r * e->top_k, w.weight + r * e->top_k,
               lct_net_math_at(m, w.logits, r * e->n), room->n, e, w.room);
    memset(y, 0, (size_t)(rows * room->n->width) * m->item);
    for (int64_t i = 0; i < e->n; i++) {
        int64_t count = tokens_of(&w, e, rows, i);

        if (count > 0)
            LCT_TRY(
                run_expert(y, x, &w, count, &e->mlp[i], e->scales_input, room));
    }
    if (e->shared.up.w.weight != NULL) {
        share(&w, x, rows, e, room);
        LCT_TRY(run_expert(y, x, &w, rows, &e->shared, false, room));
    }
    lct_net_give_back(room, mark);
    return LOCANT_OK;
}
