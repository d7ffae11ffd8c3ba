/*
 * wavlm.c - gated relative position bias: each query scales a bucketed bias by
 * a gate of its input.
 *
 * Chen et al.: WavLM: Large-Scale Self-Supervised Pre-Training for Full Stack
 * Speech Processing. 2021. arXiv:2110.13900.  Formula and layout of the
 * parameters are those of transformers (modeling_wavlm.py).
 *
 *     y = W x_i^h + b
 *     a = sigmoid(y_0 + .. + y_3),  c = sigmoid(y_4 + .. + y_7)
 *     s_ij += (a (c k_h - 1) + 2) table[bucket(p_j - p_i), h]
 *
 * x_i^h is the slice of head h of the layer's input.  Buckets are those of T5,
 * half of them for keys after the query.  One table serves all layers; each
 * layer has its gate.
 */
#include "buckets.h"
#include "content.h"

enum { BUCKETS, DISTANCE };
enum { TABLE, WEIGHT, BIAS, CONSTANT };
enum { UNITS = 4 }; /* of each of the two sums */

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "buckets", .kind = LCT_INTEGER, .def = 320, .min = 4,
      .max = 1024, .doc = "rows of the table, an even number: half of them "
      "for keys after the query" },
    { .name = "distance", .kind = LCT_INTEGER, .def = 800, .min = 2,
      .max = 1 << 20, .doc = "distances from here on share the last bucket" },
    { 0 }
};

static const struct lct_param params[] = {
    { .name = "table", .dims = { "buckets", "heads" }, LCT_NORMAL(0, 0.02),
      .rate = 10, .scope = LCT_SHARED,
      .doc = "bias of each bucket for each head (rel_attn_embed)" },
    { .name = "weight", .dims = { "8", "head_dim" }, LCT_NORMAL(0, 0.02),
      .scope = LCT_PER_LAYER,
      .doc = "of the gate, for all heads (gru_rel_pos_linear)" },
    { .name = "bias", .dims = { "8" }, .scope = LCT_PER_LAYER,
      .doc = "of the gate (gru_rel_pos_linear)" },
    { .name = "constant", .dims = { "heads" }, LCT_NORMAL(1, 0),
      .scope = LCT_PER_LAYER,
      .doc = "k, in the gate of a head (gru_rel_pos_const)" },
    { 0 }
};
/* clang-format on */

static struct lct_buckets_spec spec_of(const locant_encoding *e)
{
    return (struct lct_buckets_spec){ .buckets = e->value[BUCKETS],
                                      .distance = e->value[DISTANCE],
                                      .both = true };
}

static locant_status check(const locant_encoding *e)
{
    struct lct_buckets_spec spec = spec_of(e);

    return lct_buckets_check(e, &spec);
}

static locant_status prepare(locant_encoding *e)
{
    struct lct_buckets_spec spec = spec_of(e);

    return lct_buckets_prepare(e, &spec);
}

/* The gate of a query and head. */
struct gate {
    int64_t own, at; /* the query's key, and where its slice begins in x */
    double a, c, value;
};

/* sigmoid of the sum of units first .. first + 3 */
static double half_gate(const struct lct_content *c, const double *x, int first)
{
    double sum = 0;

    for (int u = first; u < first + UNITS; u++)
        sum += c->call.param[BIAS][u] +
               lct_dot(c->call.param[WEIGHT] + u * c->call.head_dim, x,
                       c->call.head_dim);
    return lct_sigmoid(sum);
}

static struct gate gate_of(const struct lct_content *c, int64_t own,
                           int64_t head)
{
    struct gate g = { .own = own,
                      .at = own * c->call.width + head * c->call.head_dim };

    g.a = half_gate(c, c->x + g.at, 0);
    g.c = half_gate(c, c->x + g.at, UNITS);
    g.value = g.a * (g.c * c->call.param[CONSTANT][head] - 1) + 2;
    return g;
}

static int64_t entry(const struct lct_content *c, int64_t q_pos, int64_t j,
                     int64_t head)
{
    int64_t bucket = lct_buckets_find(c->call.e->state, q_pos, c->k_pos[j]);

    return bucket * c->call.heads + head;
}

static void scores(double *s, const struct lct_content *c,
                   const struct lct_query *q)
{
    int64_t own = lct_own_key(c, q->pos);

    for (int64_t h = 0; h < c->call.heads; h++) {
        struct gate g = gate_of(c, own, h);

        for (int64_t j = 0; j < c->keys; j++)
            if (!lct_is_hidden(s[h * c->keys + j]))
                s[h * c->keys + j] +=
                    g.value * c->call.param[TABLE][entry(c, q->pos, j, h)];
    }
}

/*
 * forward: gate = a (c k - 1) + 2: da = (c k - 1) dgate, dc = a k dgate,
 * dk = a c dgate; a and c are sigmoids of sums of four units.
 */
static void gate_backward(const struct lct_content_gradient *out,
                          const struct lct_content *c, const struct gate *g,
                          int64_t head, double dgate)
{
    double k = c->call.param[CONSTANT][head];
    const double dsum[2] = { dgate * (g->c * k - 1) * g->a * (1 - g->a),
                             dgate * g->a * k * g->c * (1 - g->c) };
    int64_t D = c->call.head_dim;

    out->dparam[CONSTANT][head] += dgate * g->a * g->c;
    for (int u = 0; u < 2 * UNITS; u++) {
        double d = dsum[u / UNITS];

        out->dparam[BIAS][u] += d;
        lct_accumulate(out->dparam[WEIGHT] + u * D, d, c->x + g->at, D);
        if (out->dx != NULL)
            lct_accumulate(out->dx + g->at, d, c->call.param[WEIGHT] + u * D,
                           D);
    }
}

/* forward: s += gate table[m]: dtable[m] = gate ds, dgate = sum ds table[m] */
static void scores_backward(double *ds, const struct lct_content_gradient *out,
                            const double *s, const struct lct_content *c,
                            const struct lct_query *q)
{
    int64_t own = lct_own_key(c, q->pos);

    (void)s;
    for (int64_t h = 0; h < c->call.heads; h++) {
        struct gate g = gate_of(c, own, h);
        double dgate = 0;

        for (int64_t j = 0; j < c->keys; j++) {
            int64_t m = entry(c, q->pos, j, h);

            out->dparam[TABLE][m] += g.value * ds[h * c->keys + j];
            dgate += ds[h * c->keys + j] * c->call.param[TABLE][m];
        }
        if (dgate != 0) /* else x may be NaN */
            gate_backward(out, c, &g, h, dgate);
    }
}

static const locant_variant variants[] = { { "wavlm(buckets=320,distance=800)",
                                             "of the released models",
                                             "WavLM base, base+ and large" },
                                           { 0 } };

const struct lct_encoding lct_enc_wavlm = {
    .info = {
        .name = "wavlm",
        .title = "Gated relative position bias (WavLM)",
        .formula = "s[h,i,j] += (a (c k_h - 1) + 2) table[bucket(p_j - p_i), "
                   "h], a and c sigmoids of sums of W x_i^h + b",
        .gradient = "dtable[m, h] = sum gate dS; dgate = sum dS table[m, h]; "
                    "da = (c k - 1) dgate, dc = a k dgate, dk = a c dgate; "
                    "then through the sigmoids to W, b and x",
        .source = "Chen et al. 2021, arXiv:2110.13900; "
                  "transformers, modeling_wavlm.py",
        .used_by = "WavLM",
        .pitfalls = "The gate reads the input of the layer, not queries; where "
                    "a norm stands before attention, the normed input.  x has "
                    "a slice for each head, so its width is heads times "
                    "head_dim.",
        .variants = variants,
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_LEARNED |
                  LOCANT_TRAIT_READS_X,
    },
    .keys = keys,
    .check = check,
    .prepare = prepare,
    .params = { .list = params },
    .content = {
        .scores = scores,
        .backward = scores_backward,
        .scores_only = true,
        .splits_x = true,
    },
};
