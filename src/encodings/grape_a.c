/*
 * grape_a.c - additive GRAPE: linear biases whose slopes a gate of the key or
 * of the query multiplies.
 *
 * Zhang et al.: Group Representational Position Encoding. 2025.
 * arXiv:2512.07805; the authors' code (grape-a-*).
 *
 *     s_ij -= (p_i - p_j) m_h softplus(w_h) g
 *     g = softplus(<u, k_j> / sqrt(D)), or softplus(<v, q_i> / sqrt(D)), or
 *         their sum; u, v = the head's vectors divided by their norms
 *
 * m are the slopes of ALiBi.  Norms below 1e-6 count as 1e-6.  Vectors start at
 * N(0, 1/D), softplus(w) at 1.  Queries and keys are those of the scores: the
 * authors normalise them before.
 */
#include "../kernel/kernels.h"
#include "content.h"
#include "slopes.h"

enum { GATE, MAX, SHARE };
enum { KEY, QUERY, BOTH };
enum { SLOPE, VECTOR }; /* parameters; with gate=both another vector */

static const char *const gates[] = { "key", "query", "both", NULL };
static const double least = 1e-6; /* norm */

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "gate", .kind = LCT_WORD, .def = KEY, .words = gates,
      .doc = "what multiplies the slope: a gate of the key, of the query, or "
      "the sum of both" },
    { .name = "max", .kind = LCT_NUMBER, .def = 8, .min = 0, .min_open = true,
      .max = 64, .doc = "slopes are 2^(-max h/H), h = 1 .. H" },
    LCT_SHARE(0, "yes: the same parameters in all layers"),
    { 0 }
};

#define SLOPE_PARAM                                                       \
    { .name = "slope", .dims = { "heads" }, .scope = LCT_SHARE_KEY,       \
      .doc = "w: softplus(w) multiplies the slope of each head" }
#define KEY_PARAM                                                         \
    { .name = "key", .dims = { "heads", "head_dim" },                     \
      .scope = LCT_SHARE_KEY, .doc = "u: direction of keys in the gate" }
#define QUERY_PARAM                                                       \
    { .name = "query", .dims = { "heads", "head_dim" },                   \
      .scope = LCT_SHARE_KEY, .doc = "v: direction of queries in the gate" }

static const struct lct_param of_key[] = { SLOPE_PARAM, KEY_PARAM, { 0 } };
static const struct lct_param of_query[] = { SLOPE_PARAM, QUERY_PARAM, { 0 } };
static const struct lct_param of_both[] = {
    SLOPE_PARAM, KEY_PARAM, QUERY_PARAM, { 0 }
};
/* clang-format on */

static const struct lct_param *params_of(const locant_encoding *e)
{
    static const struct lct_param *const lists[] = { of_key, of_query,
                                                     of_both };

    return lists[(int)e->value[GATE]];
}

static bool fill(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r)
{
    int64_t n = info->shape[0] * (k == SLOPE ? 1 : info->shape[1]);

    (void)e;
    for (int64_t i = 0; i < n; i++)
        out[i] = k == SLOPE
                     ? log(expm1(1)) /* softplus of it is 1 */
                     : locant_random_normal(r) / sqrt((double)info->shape[1]);
    return true;
}

/* The gate of one head: its vector of keys or of queries. */
struct gate {
    int param; /* -1: there is no such gate */
    const double *vector;
    double norm; /* at least 'least' */
};

static struct gate gate_of(const struct lct_call *c, int which, int64_t head)
{
    int gate = (int)c->e->value[GATE], D = (int)c->head_dim;
    struct gate g = { .param = -1 };

    if (gate != BOTH && gate != which)
        return g;
    g.param = VECTOR + (gate == BOTH && which == QUERY ? 1 : 0);
    g.vector = c->param[g.param] + head * D;
    g.norm = fmax(sqrt(lct_dot(g.vector, g.vector, D)), least);
    return g;
}

/* <vector / norm, x> / sqrt(D), of which the gate is the softplus */
static double logit(const struct gate *g, const double *x, int64_t D)
{
    return lct_dot(g->vector, x, D) / (g->norm * sqrt((double)D));
}

static double value(const struct gate *g, const double *x, int64_t D)
{
    return g->param < 0 ? 0 : lct_softplus(logit(g, x, D));
}

/*
 * forward: l = <w / |w|, x> / sqrt(D), r = w / |w|: dx += dl r / sqrt(D), dw +=
 * dl (x - r <r, x>) / (|w| sqrt(D)) where the norm is not clamped.  dw = NULL:
 * not wanted.
 */
static void logit_backward(double *dx, double *dvector, const struct gate *g,
                           const double *x, int64_t D, double dlogit)
{
    double by = dlogit / (g->norm * sqrt((double)D));
    double along = lct_dot(g->vector, x, D) / (g->norm * g->norm);

    lct_accumulate(dx, by, g->vector, D);
    if (dvector == NULL)
        return;
    lct_accumulate(dvector, by, x, D);
    if (g->norm > least)
        lct_accumulate(dvector, -by * along, g->vector, D);
}

/* ---------------------------------------------------- one query at a time */

/* One query of one head. */
struct row {
    struct gate key, query;
    const double *q;
    double slope;    /* m */
    double factor;   /* softplus(w) */
    double of_query; /* its gate */
};

static struct row row_of(const struct lct_content *c, const struct lct_query *q,
                         int64_t head)
{
    struct row r = { .key = gate_of(&c->call, KEY, head),
                     .query = gate_of(&c->call, QUERY, head),
                     .q = q->q + head * c->call.head_dim };

    r.slope = lct_slope(c->call.e->value[MAX], head, c->call.heads);
    r.factor = lct_softplus(c->call.param[SLOPE][head]);
    r.of_query = value(&r.query, r.q, c->call.head_dim);
    return r;
}

static double distance(const struct lct_content *c, const struct lct_query *q,
                       int64_t j)
{
    return (double)lct_distance(q->pos, c->k_pos[j]);
}

static void scores(double *s, const struct lct_content *c,
                   const struct lct_query *q)
{
    int64_t D = c->call.head_dim;

    for (int64_t h = 0; h < c->call.heads; h++) {
        struct row r = row_of(c, q, h);

        for (int64_t j = 0; j < c->keys; j++) {
            double *score = &s[h * c->keys + j];

            if (!lct_is_hidden(*score))
                *score -=
                    distance(c, q, j) * r.slope * r.factor *
                    (r.of_query + value(&r.key, c->k + lct_key_at(c, h, j), D));
        }
    }
}

/*
 * forward: s -= n m softplus(w) g: dg = -n m softplus(w) ds, dw = -sigmoid(w)
 * sum n m g ds; g = softplus(l): dl = sigmoid(l) dg.
 */
static void head_backward(const double *ds,
                          const struct lct_content_gradient *g,
                          const struct lct_content *c,
                          const struct lct_query *q, int64_t h)
{
    struct row r = row_of(c, q, h);
    int64_t D = c->call.head_dim;
    double dquery = 0, dfactor = 0;

    for (int64_t j = 0; j < c->keys; j++) {
        const double *k = c->k + lct_key_at(c, h, j);
        double d = -distance(c, q, j) * r.slope * ds[j];

        if (ds[j] == 0)
            continue;
        dfactor += d * (r.of_query + value(&r.key, k, D));
        dquery += d * r.factor;
        if (r.key.param >= 0)
            logit_backward(g->dk + lct_key_at(c, h, j),
                           g->dparam[r.key.param] + h * D, &r.key, k, D,
                           d * r.factor * lct_sigmoid(logit(&r.key, k, D)));
    }
    g->dparam[SLOPE][h] += dfactor * lct_sigmoid(c->call.param[SLOPE][h]);
    if (r.query.param >= 0)
        logit_backward(g->dq + h * D, g->dparam[r.query.param] + h * D,
                       &r.query, r.q, D,
                       dquery * lct_sigmoid(logit(&r.query, r.q, D)));
}

static void scores_backward(double *ds, const struct lct_content_gradient *g,
                            const double *s, const struct lct_content *c,
                            const struct lct_query *q)
{
    (void)s;
    for (int64_t h = 0; h < c->call.heads; h++)
        head_backward(ds + h * c->keys, g, c, q, h);
}

/* -------------------------------------------------------------------- tiles */

static double tile_gate(const struct lct_call *c, enum lct_role role,
                        int64_t head, const double *row)
{
    struct gate g = gate_of(c, role == LCT_KEY ? KEY : QUERY, head);

    return value(&g, row, c->head_dim);
}

/* forward: g = softplus(l): dl = sigmoid(l) dg */
static void tile_gate_backward(double *drow, double *const *dparam,
                               double dgate, const struct lct_call *c,
                               enum lct_role role, int64_t head,
                               const double *row)
{
    struct gate g = gate_of(c, role == LCT_KEY ? KEY : QUERY, head);
    int64_t D = c->head_dim;

    if (g.param >= 0)
        logit_backward(drow, dparam == NULL ? NULL : dparam[g.param] + head * D,
                       &g, row, D, dgate * lct_sigmoid(logit(&g, row, D)));
}

/* A tile for kernels: places, and m softplus(w) times the gates. */
struct tile {
    double q[LCT_PAIRS_SIDE], q_gate[LCT_PAIRS_SIDE];
    double k[LCT_PAIRS_SIDE], k_gate[LCT_PAIRS_SIDE];
    bool exact;     /* are positions numbers of 53 bits? */
    double slope;   /* m */
    double by_gate; /* m softplus(w) */
};

/* Positions as numbers; false: some have more than 53 bits. */
static bool places(double *out, const int64_t *pos, int64_t n)
{
    bool exact = true;

    for (int64_t i = 0; i < n; i++) {
        exact = exact && lct_is_exact(pos[i]);
        out[i] = (double)pos[i];
    }
    return exact;
}

static void open_tile(struct tile *x, const struct lct_pairs *t)
{
    bool queries = places(x->q, t->q_pos, t->rows);

    x->exact = places(x->k, t->k_pos, t->keys) && queries;
    x->slope = lct_slope(t->call->e->value[MAX], t->head, t->call->heads);
    x->by_gate = x->slope * lct_softplus(t->call->param[SLOPE][t->head]);
    for (int64_t i = 0; i < t->rows; i++)
        x->q_gate[i] = x->by_gate * t->q_gate[i];
    for (int64_t j = 0; j < t->keys; j++)
        x->k_gate[j] = x->by_gate * t->k_gate[j];
}

/* The keys from j on: all, or one if only its distances are exact, which take
 * the place of the queries' positions. */
static struct lct_gated some_keys(struct tile *x, const struct lct_pairs *t,
                                  int64_t j)
{
    struct lct_gated g = { x->q,          x->q_gate,       x->k + j,
                           x->k_gate + j, (size_t)t->rows, (size_t)t->keys };

    if (x->exact)
        return g;
    for (int64_t i = 0; i < t->rows; i++)
        x->q[i] = (double)lct_distance(t->q_pos[i], t->k_pos[j]);
    x->k[j] = 0;
    g.rows = 1;
    return g;
}

static void tile_scores(float *s, const struct lct_pairs *t)
{
    struct tile x;
    struct lct_gated g;

    open_tile(&x, t);
    for (int64_t j = 0; j < t->keys; j += (int64_t)g.rows) {
        g = some_keys(&x, t, j);
        t->kernels->subtract_gated(s + (size_t)j * t->lanes, t->lanes, &g);
    }
}

/* sum a b where a is not 0: gates of what no pair sees may be NaN */
static double sum_of_products(const double *a, const double *b, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += a[i] == 0 ? 0 : a[i] * b[i];
    return sum;
}

/* forward: s -= n m softplus(w) g: dg = -n m softplus(w) ds, dw = -sigmoid(w)
 * m sum n g ds; scores pass on their gradient */
static void tile_backward(float *ds, const struct lct_pair_gradients *to,
                          const float *before, const struct lct_pairs *t)
{
    double dq[LCT_PAIRS_SIDE] = { 0 }, dk[LCT_PAIRS_SIDE] = { 0 };
    struct tile x;
    struct lct_gated g;

    (void)before;
    open_tile(&x, t);
    for (int64_t j = 0; j < t->keys; j += (int64_t)g.rows) {
        g = some_keys(&x, t, j);
        t->kernels->sum_gated_gradient(dq, dk + j, ds + (size_t)j * t->lanes,
                                       t->lanes, &g);
    }
    lct_accumulate(to->dq_gate, x.by_gate, dq, t->rows);
    lct_accumulate(to->dk_gate, x.by_gate, dk, t->keys);
    if (to->dparam != NULL)
        to->dparam[SLOPE][t->head] +=
            x.slope * lct_sigmoid(t->call->param[SLOPE][t->head]) *
            (sum_of_products(dq, t->q_gate, t->rows) +
             sum_of_products(dk, t->k_gate, t->keys));
}

static const struct lct_pair_scores pairs = {
    .gate = tile_gate,
    .gate_backward = tile_gate_backward,
    .scores = tile_scores,
    .backward = tile_backward,
};

static const locant_variant variants[] = {
    { "grape-a", "gated by the key", "GRAPE-A, key gate" },
    { "grape-a(gate=query)", "gated by the query", "GRAPE-A, query gate" },
    { "grape-a(gate=both)", "gated by the sum", "GRAPE-A, both gates" },
    { 0 }
};

const struct lct_encoding lct_enc_grape_a = {
    .info = {
        .name = "grape-a",
        .title = "Gated linear biases (GRAPE-A)",
        .formula = "s[h,i,j] -= (p_i - p_j) m_h softplus(w_h) g, g = "
                   "softplus(<u_h, k_j> / sqrt(D)), u_h of length 1",
        .gradient = "dg = -n m softplus(w) dS; dw = -sigmoid(w) sum n m g dS; "
                    "dl = sigmoid(l) dg; dk += dl u / sqrt(D); du = (I - u "
                    "u^T) sum dl k / (|u| sqrt(D))",
        .source = "Zhang et al. 2025, arXiv:2512.07805; model-architectures/"
                  "GRAPE, grape-a-*",
        .used_by = "research",
        .pitfalls = "The authors normalise queries and keys before; the bias "
                    "is not multiplied by the scale of scores.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED |
                  LOCANT_TRAIT_CAUSAL,
    },
    .keys = keys,
    .params = { .list = of_key, .list_of = params_of, .fill = fill },
    .content = { .scores = scores, .backward = scores_backward,
                 .pairs = &pairs },
};
