/*
 * cope.c - contextual position encoding: positions count what the query finds
 * important, not tokens.
 *
 * Golovneva, Wang, Weston, Sukhbaatar: Contextual Position Encoding: Learning
 * to Count What's Important. 2024. arXiv:2405.18719, eq. (3) to (6) and the
 * listing of its appendix.
 *
 *     g_t = sigmoid(s_t),  pi_j = sum of g_t over visible t >= j,
 *     s_j += (1 - w) q.e[lo] + w q.e[lo + 1],  lo = floor(pi_j), w = pi_j - lo
 *
 * pi is clamped to length - 1.  As in the listing, gates are computed from the
 * scores so far (scaled, with any bias), and q.e is not scaled.
 * Keys are counted in their order in memory, from the last visible one back:
 * with a causal mask from the query's own token.  The table starts at 0, as in
 * the authors' code.
 */
#include "content.h"

enum { LENGTH, SHARE };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "length", .kind = LCT_INTEGER, .def = 64, .min = 2,
      .max = 1 << 20, .doc = "rows of the table: contextual positions 0 .. "
      "length - 1" },
    LCT_SHARE(0, "yes: the same table in all layers"),
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "table", .dims = { "length", "head_dim" }, .scope = LCT_SHARE_KEY,
      .doc = "vector of each contextual position" },
    { 0 }
};
/* clang-format on */

/* The two rows around a contextual position, and the weight of 'high'. */
struct between {
    int64_t low, high;
    double weight;
    double product[2]; /* of the query with each row */
};

/* Move to a position; compute the products again if the rows change. */
static void move(struct between *b, double position, const double *q,
                 const struct lct_content *c)
{
    int64_t last = (int64_t)c->call.e->value[LENGTH] - 1;
    int64_t D = c->call.head_dim;
    int64_t low = position < (double)last ? (int64_t)position : last;

    b->weight = position < (double)last ? position - (double)low : 0;
    if (low == b->low)
        return;
    b->low = low;
    b->high = low < last ? low + 1 : last;
    b->product[0] = lct_dot(q, c->call.param[0] + b->low * D, D);
    b->product[1] = lct_dot(q, c->call.param[0] + b->high * D, D);
}

static void scores(double *s, const struct lct_content *c,
                   const struct lct_query *q)
{
    for (int64_t h = 0; h < c->call.heads; h++) {
        const double *q_head = q->q + h * c->call.head_dim;
        double *score = s + h * c->keys;
        struct between b = { .low = -1 };
        double position = 0;

        for (int64_t j = c->keys; j-- > 0;) {
            if (lct_is_hidden(score[j]))
                continue;
            position += lct_sigmoid(score[j]);
            move(&b, position, q_head, c);
            score[j] += (1 - b.weight) * b.product[0] + b.weight * b.product[1];
        }
    }
}

/*
 * forward: (1 - w) q.e[lo] + w q.e[hi], for consecutive keys with the same two
 * rows; 'sum' are their sums of (1 - w) ds and w ds.
 */
static void add_rows(const struct lct_content_gradient *g,
                     const struct lct_content *c, const double *q, int64_t head,
                     const struct between *b, const double sum[2])
{
    const int64_t row[2] = { b->low, b->high };
    int64_t D = c->call.head_dim;

    if (b->low >= 0)
        for (int i = 0; i < 2; i++) {
            lct_accumulate(g->dq + head * D, sum[i],
                           c->call.param[0] + row[i] * D, D);
            lct_accumulate(g->dparam[0] + row[i] * D, sum[i], q, D);
        }
}

/*
 * Gradients of table and query, and the sum over keys of
 * dpi_j = ds_j (q.e[hi] - q.e[lo]), which is 0 where pi is clamped.
 */
static double table_backward(const struct lct_content_gradient *g,
                             const double *ds, const double *s,
                             const struct lct_content *c, const double *q,
                             int64_t head)
{
    struct between b = { .low = -1 };
    double sum[2] = { 0, 0 }, position = 0, total = 0;

    for (int64_t j = c->keys; j-- > 0;) {
        struct between before = b;

        if (lct_is_hidden(s[j]))
            continue;
        position += lct_sigmoid(s[j]);
        move(&b, position, q, c);
        if (b.low != before.low) {
            add_rows(g, c, q, head, &before, sum);
            sum[0] = sum[1] = 0;
        }
        sum[0] += (1 - b.weight) * ds[j];
        sum[1] += b.weight * ds[j];
        total += ds[j] * (b.product[1] - b.product[0]);
    }
    add_rows(g, c, q, head, &b, sum);
    return total;
}

/*
 * forward: pi_j sums g_t over t >= j, so dg_t is the sum of dpi_j over j <= t:
 * 'total' less the sum over j > t.  Through the gate ds_t += dg_t g_t (1 -
 * g_t).
 */
static void gates_backward(double *ds, double total, const double *s,
                           const struct lct_content *c, const double *q)
{
    struct between b = { .low = -1 };
    double position = 0, after = 0;

    for (int64_t j = c->keys; j-- > 0;) {
        double gate, dposition;

        if (lct_is_hidden(s[j]))
            continue;
        gate = lct_sigmoid(s[j]);
        position += gate;
        move(&b, position, q, c);
        dposition = ds[j] * (b.product[1] - b.product[0]);
        ds[j] += (total - after) * gate * lct_sigmoid(-s[j]);
        after += dposition;
    }
}

static void scores_backward(double *ds, const struct lct_content_gradient *g,
                            const double *s, const struct lct_content *c,
                            const struct lct_query *q)
{
    for (int64_t h = 0; h < c->call.heads; h++) {
        const double *q_head = q->q + h * c->call.head_dim;
        int64_t at = h * c->keys;
        double total = table_backward(g, ds + at, s + at, c, q_head, h);

        gates_backward(ds + at, total, s + at, c, q_head);
    }
}

static const locant_variant variants[] = {
    { "cope(length=64)", "the paper's 64 contextual positions",
      "CoPE language models" },
    { "cope(length=64)+rope", "scores of rotated queries and keys, then CoPE",
      "the paper's CoPE with RoPE" },
    { 0 }
};

const struct lct_encoding lct_enc_cope = {
    .info = {
        .name = "cope",
        .title = "Contextual position encoding (CoPE)",
        .formula = "s_j += (1 - w) q.e[lo] + w q.e[lo + 1], lo + w = sum over "
                   "t = j .. i of sigmoid(s_t)",
        .gradient = "de[lo] = (1 - w) dS q, de[lo + 1] = w dS q; dpi_j = dS_j "
                    "(q.e[lo + 1] - q.e[lo]); dg_t = sum over j <= t of dpi_j; "
                    "ds_t = dS_t + dg_t g_t (1 - g_t)",
        .source = "Golovneva et al. 2024, arXiv:2405.18719v2, eq. (3) to (6) "
                  "and listing",
        .used_by = "research",
        .pitfalls = "Gates use scaled, masked scores, but the added term is "
                    "not scaled; positions count from the query back.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED |
                  LOCANT_TRAIT_CAUSAL,
    },
    .keys = keys,
    .params = { .list = params },
    .content = { .scores = scores, .backward = scores_backward },
};
