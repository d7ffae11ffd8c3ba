/*
 * order.c - seed 003, chapter 1: attention knows no order.
 */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../layers.h"

/* ------------------------------------------------------------------ S3.1 */

enum { WORDS = 3, NARROW = 16 };

/* Mean over the tokens of a layer's output: what a classifier reads. */
static void pooled(struct seed *s, double *out, const struct seed_mha *m,
                   const double *x, const int64_t *order, const char *spec)
{
    const locant_encoding *e = seed_encoding(s, spec);
    locant_tensor in = SEED_F64(s, 1, WORDS, NARROW);
    locant_tensor y = SEED_F64(s, 1, WORDS, NARROW);
    double *to = in.data;

    layer_reorder(to, x, order, WORDS, NARROW);
    if (locant_encoding_info_of(e)->doors & LOCANT_DOOR_INPUT) {
        locant_tensor P = seed_table_rows(s, e, 0, WORDS, NARROW, NULL);

        for (int i = 0; i < WORDS * NARROW; i++)
            to[i] += ((double *)P.data)[i];
    }
    seed_mha(s, &y, NULL, m, &in);
    for (int c = 0; c < NARROW; c++) {
        out[c] = 0;
        for (int i = 0; i < WORDS; i++)
            out[c] += ((double *)y.data)[i * NARROW + c] / WORDS;
    }
}

void s3_blindness(struct seed *s)
{
    static const int64_t said[] = { 0, 1, 2 }, turned[] = { 2, 1, 0 };
    locant_random r = seed_random(s, 1);
    struct seed_mha m = seed_mha_new(s, &r, NARROW, 2, 0);
    double x[WORDS * NARROW], a[NARROW], b[NARROW], blind, aware;

    seed_fill_normal(x, WORDS * NARROW, 1, &r);
    pooled(s, a, &m, x, said, "none");
    pooled(s, b, &m, x, turned, "none");
    blind = seed_max_difference(a, b, NARROW);
    pooled(s, a, &m, x, said, "sinusoidal");
    pooled(s, b, &m, x, turned, "sinusoidal");
    aware = seed_max_difference(a, b, NARROW);
    seed_say(s, "Three words, 猫, 追逐, 狗, as random vectors of width 16; one "
             "attention layer, then the mean of its outputs.  猫追逐狗 and "
             "狗追逐猫 differ by:");
    seed_real(s, "without positions", blind);
    seed_real(s, "with a sinusoid added", aware);
    /* means of three sums of 16 in another order */
    seed_check(s, "a set without positions", blind, 0, LAYER_DOUBLE);
    seed_claim(s, "a sentence with them", aware > 1e-3);
}

/* ------------------------------------------------------------------ S3.2 */

/* Mean over rows of -sum p ln p. */
static double entropy(const locant_tensor *weights)
{
    int64_t n = seed_count(weights), rows = n / weights->shape[3];
    const double *p = weights->data;
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum -= p[i] > 0 ? p[i] * log(p[i]) : 0;
    return sum / (double)rows;
}

void s3_attention(struct seed *s)
{
    enum { T = 100, D = 64 };
    locant_random r = seed_random(s, 2);
    locant_tensor t[3], out = SEED_F64(s, 1, 1, T, D), scaled, unscaled, scores;
    const double *qkv[3];
    double *plain = seed_reals(s, T * D), worst = 0;
    locant_attention a = LOCANT_ATTENTION_INIT;

    for (int i = 0; i < 3; i++) {
        t[i] = SEED_F64(s, 1, 1, T, D);
        seed_fill_normal(t[i].data, T * D, 1, &r);
        qkv[i] = t[i].data;
    }
    a.q = &t[0];
    a.k = &t[1];
    a.v = &t[2];
    seed_attend(s, &out, &a);
    layer_attend_plain(s, plain, qkv, T, D);
    scaled = seed_weights(s, &a);
    a.scale = 1;
    unscaled = seed_weights(s, &a);
    scores = layer_scores(s, &a);
    for (int64_t i = 0; i < T; i++)
        worst = fmax(worst, fabs(T * seed_mean((double *)scaled.data + i * T,
                                               T) - 1));
    seed_say(s, "softmax(Q K^T / sqrt(d_k)) V.  100 random tokens, d_k = 64:");
    seed_real(s, "deviation of q . k", seed_deviation(scores.data, T * T));
    seed_real(s, "entropy of a row, divided by sqrt(64)", entropy(&scaled));
    seed_real(s, "entropy of a row, not divided", entropy(&unscaled));
    seed_real(s, "entropy of even attention, ln 100", log(T));
    seed_say(s, "Without the division the softmax all but picks one key, and "
             "little gradient comes through.");
    seed_check(s, "library less plain loops",
               seed_max_difference(out.data, plain, T * D), 0, LAYER_DOUBLE);
    seed_check(s, "rows sum to one", worst, 0, LAYER_DOUBLE);
    /* sqrt(64), 10^4 products of 100 + 100 independent vectors: 3 percent */
    seed_check(s, "deviation of q . k", seed_deviation(scores.data, T * T), 8,
               0.5);
    seed_claim(s, "scaling keeps attention spread",
               entropy(&scaled) > entropy(&unscaled) + 1);
}

/* ------------------------------------------------------------------ S3.3 */

void s3_equivariance(struct seed *s)
{
    enum { L = 8, W = 32, N = L * W };
    locant_random r = seed_random(s, 3);
    struct layer_block layer = layer_block_new(s, &r, W, 4, 64, 0);
    locant_tensor x = SEED_F64(s, 1, L, W), y = SEED_F64(s, 1, L, W);
    double X[N], PTX[N], equivariance = 0, invariance = INFINITY;
    int64_t order[L];

    seed_fill_normal(X, N, 1, &r);
    memcpy(x.data, X, sizeof X);
    layer_block_run(s, &layer, &x, NULL); /* T(X) */
    for (int i = 0; i < 20; i++) {
        do
            seed_order(order, L, &r);
        while (order[0] == 0);
        layer_reorder(y.data, X, order, L, W);
        layer_block_run(s, &layer, &y, NULL); /* T(PX) */
        layer_reorder(PTX, x.data, order, L, W);
        equivariance = fmax(equivariance,
                            seed_max_difference(y.data, PTX, N));
        invariance = fmin(invariance, seed_max_difference(y.data, x.data, N));
    }
    seed_say(s, "T: a whole layer (attention, feed-forward, norms) of width 32 "
             "on 8 tokens, 20 random orders P.  Every step is either the same "
             "for each row, or a sum over all rows:");
    seed_real(s, "largest |T(PX) - P T(X)|", equivariance);
    seed_real(s, "least of the 20 |T(PX) - T(X)|", invariance);
    seed_check(s, "equivariant", equivariance, 0, LAYER_DOUBLE);
    seed_claim(s, "not invariant", invariance > 0.1);
}

/* ------------------------------------------------------------------ S3.4 */

/*
 * Output of the last of 8 tokens after 'layers' layers without positions: its
 * change when the seven before it are reversed.
 */
static double last_token(struct seed *s, int layers, locant_mask mask)
{
    enum { L = 8, W = 32 };
    locant_random r = seed_random(s, 4);
    locant_tensor a = SEED_F64(s, 1, L, W), b = SEED_F64(s, 1, L, W);
    int64_t order[L] = { 6, 5, 4, 3, 2, 1, 0, 7 };

    seed_fill_normal(a.data, L * W, 1, &r);
    layer_reorder(b.data, a.data, order, L, W);
    for (int l = 0; l < layers; l++) {
        struct layer_block layer = layer_block_new(s, &r, W, 4, 64, 0);

        layer.self.mask = mask;
        layer_block_run(s, &layer, &a, NULL);
        layer_block_run(s, &layer, &b, NULL);
    }
    return seed_max_difference((double *)a.data + 7 * W,
                               (double *)b.data + 7 * W, W);
}

void s3_causal(struct seed *s)
{
    double one = last_token(s, 1, LOCANT_MASK_CAUSAL);
    double two = last_token(s, 2, LOCANT_MASK_CAUSAL);
    double open = last_token(s, 2, LOCANT_MASK_NONE);

    seed_say(s, "No positions at all.  The seven tokens before the last are "
             "reversed; the last one's output changes by:");
    seed_real(s, "one causal layer", one);
    seed_real(s, "two causal layers", two);
    seed_real(s, "two layers without mask", open);
    seed_say(s, "One causal layer sees a set.  From the second on each key "
             "carries what stood before it, so depth and mask together tell "
             "order; without the mask no depth does.");
    seed_columns(s, "steps", "length 1024|steps one after another|products of "
                 "pairs");
    seed_cells(s, "RNN, LSTM|%d|%d", 1024, 0);
    seed_cells(s, "attention layer|%d|%d", 1, 1024 * 1024);
    seed_table_end(s);
    seed_say(s, "A recurrent network knows order because it walks; attention "
             "gave the walk up to be parallel, and positions buy order back.");
    seed_check(s, "one causal layer", one, 0, LAYER_DOUBLE);
    seed_check(s, "two layers without mask", open, 0, LAYER_DOUBLE);
    seed_claim(s, "two causal layers know order", two > 1e-4);
}
