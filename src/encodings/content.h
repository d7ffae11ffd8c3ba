/*
 * content.h - the products that the content door adds, and what encodings of
 * that door share.
 *
 *     s[i,j] = factor (scale [<q_i + u, k_j> + <q_i + a, A[m]> + <k_j, K[m]>]
 *                      + b_ij + g_i - g_j),       o_i = sum_j p_ij (v_j + V[m])
 *
 * The pair of positions picks row m; g of a token sums ln gate over the keys up
 * to that token.  Attention forms these products for tiles in float32, and for
 * one query at a time in double.
 */
#ifndef LCT_CONTENT_H
#define LCT_CONTENT_H
#include "encoding.h"
#include <math.h>

enum { LCT_MAX_VECTORS = 2 };

/* A row multiplies the query (A), the key (K) or the weight p_ij (V). */
enum lct_times { LCT_TIMES_QUERY, LCT_TIMES_KEY, LCT_TIMES_WEIGHT };

/*
 * A table of vectors [head_dim]; each pair of positions picks a row.  Rows are
 * a parameter, or are computed as matrix x basis row + bias.
 */
struct lct_vectors {
    enum lct_times times;

    /*
     * The row that a pair of positions picks, -1: none.  If 'pairs' is 0, the
     * row depends only on q_pos - k_pos, is monotone in it, and is constant up
     * to 'first' and from 'last' on; else it is any of 0 .. pairs - 1.
     */
    int64_t (*row)(const locant_encoding *e, int64_t q_pos, int64_t k_pos);
    int64_t first, last;
    int pairs;

    /* Indices of parameters; -1: none. */
    int table; /* [rows, head_dim], or with 'by_head' [rows, heads, ..] */
    bool by_head;
    int matrix; /* [heads, head_dim, width], instead of 'table' */
    int bias;   /* [heads, head_dim], beside 'matrix' */
    int added;  /* [heads, head_dim]: a in the formula */
};

/*
 * Maps H_t = I - b_t w_t w_t^T of tokens along the path from key to query, in
 * order of position: <q_i, k_j> becomes <q_i, H_i .. H_{j+1} k_j>.  For each
 * head, from indices of parameters,
 *
 *     w_t = v / sqrt(v.v + 1e-6), v = silu(sum of conv [heads, head_dim,
 *           kernel] over the last tokens, up [heads, head_dim, rank] down
 *           [rank, width] x)
 *     b_t = 2 sigmoid(beta [heads, width] x_t + beta_bias [heads])
 */
struct lct_map_params {
    int64_t rank, kernel; /* rank 0: no maps */
    int down, up, conv, beta, beta_bias;
};

struct lct_products {
    int count;
    struct lct_vectors vectors[LCT_MAX_VECTORS];
    int u; /* parameter [heads, head_dim]; -1: none */
    double factor;

    /*
     * Parameters [heads, width] and [heads] of gates f = sigmoid(weight x +
     * bias), x the layer's input; -1: none.  The gate of a token adds ln f to
     * the scores of all keys before it.  Attention in tiles needs a mask
     * without hooks.
     */
    int gate_weight, gate_bias;
    bool gates_scaled; /* ln f counts times the scale, also of hidden keys */

    /* The same of gates for keys after the query: the gates of tokens after the
     * query up to the key add ln f to its score; -1: none do. */
    int after_weight, after_bias;

    struct lct_map_params maps;

    /* Scores come from content.near_far and the schedule's frequencies. */
    bool near_far;
};

/* No products yet; the caller fills them in. */
static inline struct lct_products lct_no_products(void)
{
    return (struct lct_products){ .u = -1,
                                  .factor = 1,
                                  .gate_weight = -1,
                                  .gate_bias = -1,
                                  .after_weight = -1,
                                  .after_bias = -1 };
}

/* Vectors whose rows are parameter 'table'. */
static inline struct lct_vectors lct_plain_vectors(enum lct_times times,
                                                   int table)
{
    return (struct lct_vectors){
        .times = times, .table = table, .matrix = -1, .bias = -1, .added = -1
    };
}

/* Parameters of the content door: a projection for each head, a vector for each
 * head. */
/* clang-format off */
#define LCT_PROJECTION(called, shared, text)                              \
    { .name = called, .dims = { "heads", "head_dim", "width" },           \
      LCT_NORMAL(0, 0.02), .scope = (shared), .doc = text }
#define LCT_HEAD_VECTOR(called, text)                                     \
    { .name = called, .dims = { "heads", "head_dim" },                    \
      LCT_NORMAL(0, 0.02), .scope = LCT_SHARE_KEY, .doc = text }
/* clang-format on */

static inline bool lct_is_hidden(double score)
{
    return score == -INFINITY;
}

/* <a, b>, by four sums, so that additions do not wait for each other. */
static inline double lct_dot(const double *a, const double *b, int64_t n)
{
    double sum[4] = { 0, 0, 0, 0 };
    int64_t i = 0;

    for (; i + 4 <= n; i += 4)
        for (int lane = 0; lane < 4; lane++)
            sum[lane] += a[i + lane] * b[i + lane];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* out += factor x */
static inline void lct_accumulate(double *out, double factor, const double *x,
                                  int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        out[i] += factor * x[i];
}

/* The key head that a query head reads. */
static inline int64_t lct_key_head(const struct lct_content *c, int64_t head)
{
    return head / (c->call.heads / c->call.kv_heads);
}

/* Where key j of a query head begins in k and dk. */
static inline int64_t lct_key_at(const struct lct_content *c, int64_t head,
                                 int64_t j)
{
    return (lct_key_head(c, head) * c->keys + j) * c->call.head_dim;
}

/* The key at the position of a query, of equal positions the last in memory;
 * attention refuses a query without one if the encoding reads x. */
static inline int64_t lct_own_key(const struct lct_content *c, int64_t q_pos)
{
    int64_t j = c->keys - 1;

    while (j > 0 && c->k_pos[j] != q_pos)
        j--;
    return j;
}

/* Where the numbers of key j for a head begin in c->numbers. */
static inline int64_t lct_token_at(const struct lct_content *c, int64_t head,
                                   int64_t j)
{
    return (head * c->all_keys + c->index[j]) * c->count;
}

/* Row of a distance in a table of 2k + 1 rows: clip(n, -k, k) + k. */
static inline int64_t lct_row_clipped(int64_t n, int64_t k)
{
    return (n < -k ? -k : n > k ? k : n) + k;
}

/* The logistic function, and its logarithm, without overflow. */
static inline double lct_sigmoid(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

static inline double lct_log_sigmoid(double x)
{
    return x >= 0 ? -log1p(exp(-x)) : x - log1p(exp(x));
}

/* ln(1 + e^x); its derivative is the logistic function. */
static inline double lct_softplus(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}
#endif
