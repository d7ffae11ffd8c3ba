/*
 * fox.c - the Forgetting Transformer: a forget gate of each token and head
 * weakens everything before it.
 *
 * Lin, Nikishin, He, Courville: Forgetting Transformer: Softmax Attention with
 * a Forget Gate. 2025. arXiv:2503.02130, section 3.
 *
 *     f_t = sigmoid(w_h.x_t + b_h),  s_ij += sum over t in (j, i] of ln f_t
 *
 * which is C_i - C_j with the running sum C of ln f.  It is formed from the
 * query back, over the keys the query sees, in falling order of position (of
 * equal positions the later in memory first): so no padding, no other document
 * and no later key enters, and nothing cancels.  The query's own token is the
 * key at its position; attention refuses a query without one.  Keys after the
 * query get nothing.
 * Weights start at N(0, 0.02^2), biases at 0, as in the authors' code.
 */
#include "content.h"
#include "terms.h"
#include <stdlib.h>

enum { WEIGHT, BIAS };

static const struct lct_key keys[] = {
    { .name = "share", .kind = LCT_SWITCH, .def = 0,
      .doc = "yes: the same gates in all layers" },
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "weight", .dims = { "heads", "width" }, .init = LCT_INIT_NORMAL,
      .a = 0, .b = 0.02, .scope = LCT_SHARE_KEY,
      .doc = "what a head's gate makes of the layer's input" },
    { .name = "bias", .dims = { "heads" }, .scope = LCT_SHARE_KEY,
      .doc = "of the gate: 0 forgets half of what is before each token" },
    { 0 }
};

/* One key in order of positions. */
struct ranked {
    int64_t pos, index;
};

/* The memo: the keys in order, then ln f [heads, keys]. */
enum { RANKED_DOUBLES = sizeof(struct ranked) / sizeof(double) };

static const struct ranked *order_of(const struct lct_content *c)
{
    return (const struct ranked *)(const void *)c->memo;
}

static int64_t gates_at(const struct lct_content *c, int64_t head)
{
    return c->keys * RANKED_DOUBLES + head * c->keys;
}

static size_t memo(const struct lct_content *c)
{
    return (size_t)gates_at(c, c->call.heads);
}

static int by_position(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->pos != y->pos)
        return x->pos < y->pos ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void begin(const struct lct_content *c)
{
    struct ranked *order = (struct ranked *)(void *)c->memo;
    int64_t W = c->call.width;

    for (int64_t j = 0; j < c->keys; j++)
        order[j] = (struct ranked){ c->k_pos[j], j };
    if (c->keys > 0)
        qsort(order, (size_t)c->keys, sizeof(*order), by_position);
    for (int64_t h = 0; h < c->call.heads; h++) {
        double *log_gate = c->memo + gates_at(c, h);

        for (int64_t j = 0; j < c->keys; j++)
            log_gate[j] = lct_log_sigmoid(
                lct_dot(c->call.param[WEIGHT] + h * W, c->x + j * W, W) +
                c->call.param[BIAS][h]);
    }
}

static void content(double *s, const struct lct_content *c,
                    const struct lct_query *q)
{
    const struct ranked *order = order_of(c);

    for (int64_t h = 0; h < c->call.heads; h++) {
        const double *log_gate = c->memo + gates_at(c, h);
        double sum = 0;

        for (int64_t r = c->keys; r-- > 0;) {
            double *score = &s[h * c->keys + order[r].index];

            if (order[r].pos > q->pos || lct_is_hidden(*score))
                continue;
            *score += sum;
            sum += log_gate[order[r].index];
        }
    }
}

/* forward: s_j += sum over t after j of ln f_t: dln f_t = sum ds_j before t */
static void content_backward(double *ds, const struct lct_content_gradient *g,
                             const double *s, const struct lct_content *c,
                             const struct lct_query *q)
{
    const struct ranked *order = order_of(c);

    for (int64_t h = 0; h < c->call.heads; h++) {
        double *dlog_gate = g->dmemo + gates_at(c, h);
        double before = 0;

        for (int64_t r = 0; r < c->keys && order[r].pos <= q->pos; r++) {
            int64_t j = order[r].index;

            if (lct_is_hidden(s[h * c->keys + j]))
                continue;
            dlog_gate[j] += before;
            before += ds[h * c->keys + j];
        }
    }
}

/*
 * forward: ln f = ln sigmoid(z), z = w.x + b: dz = (1 - f) dln f, and
 * dw = dz x, db = dz, dx = dz w.
 */
static void end(const struct lct_content_gradient *g,
                const struct lct_content *c)
{
    int64_t W = c->call.width;

    for (int64_t h = 0; h < c->call.heads; h++) {
        for (int64_t j = 0; j < c->keys; j++) {
            double dgate = g->dmemo[gates_at(c, h) + j], dz;

            if (dgate == 0)
                continue;
            dz = -expm1(c->memo[gates_at(c, h) + j]) * dgate;
            lct_accumulate(g->dparam[WEIGHT] + h * W, dz, c->x + j * W, W);
            g->dparam[BIAS][h] += dz;
            if (g->dx != NULL)
                lct_accumulate(g->dx + j * W, dz,
                               c->call.param[WEIGHT] + h * W, W);
        }
    }
}

static void terms(struct lct_terms *out, const locant_encoding *e, int64_t low,
                  int64_t high)
{
    (void)e;
    (void)low;
    (void)high;
    *out = lct_no_terms();
    out->gate_weight = WEIGHT;
    out->gate_bias = BIAS;
}

static const struct lct_term_form form = { .terms = terms };

static const locant_variant variants[] = {
    { "fox", "forget gates alone", "FoX (LLaMA) without RoPE" },
    { "rope(base=500000)+fox", "with rotated queries and keys",
      "FoX (LLaMA) with RoPE" },
    { 0 }
};

const struct lct_encoding lct_enc_fox = {
    .info = {
        .name = "fox",
        .title = "Forget gates (Forgetting Transformer)",
        .formula = "s[h,i,j] += sum over t in (j, i] of ln f_t, f_t = "
                   "sigmoid(w_h.x_t + b_h)",
        .gradient = "dln f_t = sum of dS_ij over j < t <= i; dz_t = (1 - f_t) "
                    "dln f_t; dw = sum dz_t x_t; db = sum dz_t; dx_t += dz_t w",
        .source = "Lin et al. 2025, arXiv:2503.02130v2, section 3; "
                  "zhixuan-lin/forgetting-transformer",
        .used_by = "Forgetting Transformer",
        .traps = "The gate of the key itself does not weaken it, that of the "
                 "query's token does; gates and their sums want float32 or "
                 "better; ALiBi is the case of constant gates.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED |
                  LOCANT_TRAIT_READS_X | LOCANT_TRAIT_CAUSAL,
    },
    .keys = keys,
    .params = params,
    .content_memo = memo,
    .content_begin = begin,
    .scores_only = true,
    .content = content,
    .content_backward = content_backward,
    .content_end = end,
    .terms = &form,
};
