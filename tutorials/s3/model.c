/*
 * model.c - seed 003, the code: attention with RoPE, a pre-norm block, and a
 * run of it.
 */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../layers.h"
#include "locant/angles.h"

enum { MODEL = 512, HEADS = 8, HEAD = MODEL / HEADS, FF = 2048 };

static struct seed_mha mha_new(struct seed *s, locant_random *r)
{
    struct seed_mha m = seed_mha_new(s, r, MODEL, HEADS, 0);

    m.encoding = seed_encoding(s, "rope(pairing=interleaved)");
    m.mask = LOCANT_MASK_CAUSAL;
    return m;
}

/* ----------------------------------------------------------------- S3.19 */

/*
 * The second half of the class written out: dropout with probability p on the
 * weights [H, T, T], times the values, joined, projected.
 */
static int64_t finish(struct seed *s, double *out, const struct seed_mha *m,
                      const locant_tensor *weights, const locant_tensor *x,
                      double p)
{
    int64_t T = x->shape[1], n = HEADS * T * T, dropped = 0;
    locant_random r = seed_random(s, 2);
    double *w = seed_reals(s, n), *flat = seed_reals(s, T * MODEL);
    double *v = seed_reals(s, T * MODEL), *o = seed_reals(s, T * MODEL);

    seed_linear(flat, &m->v, x->data, T);
    seed_split_heads(v, flat, 1, T, HEADS, HEAD);
    for (int64_t i = 0; i < n; i++) {
        int keep = locant_random_uniform(&r) >= p;

        w[i] = keep ? ((double *)weights->data)[i] / (1 - p) : 0;
        dropped += !keep;
    }
    for (int64_t i = 0; i < HEADS * T; i++)
        for (int64_t j = 0; j < T; j++)
            for (int64_t d = 0; d < HEAD; d++)
                o[i * HEAD + d] += w[i * T + j] *
                                   v[(i / T * T + j) * HEAD + d];
    seed_join_heads(flat, o, 1, T, HEADS, HEAD);
    seed_linear(out, &m->o, flat, T);
    return dropped;
}

void s3_heads(struct seed *s)
{
    enum { T = 32, N = T * MODEL };
    locant_random r = seed_random(s, 1);
    struct seed_mha m = mha_new(s, &r);
    locant_tensor x = SEED_F64(s, 1, T, MODEL), out = SEED_F64(s, 1, T, MODEL);
    locant_tensor w = SEED_F64(s, 1, HEADS, T, T);
    double *plain = seed_reals(s, N), *train = seed_reals(s, N), above = 0;

    seed_fill_normal(x.data, N, 1, &r);
    seed_mha(s, &out, &w, &m, &x);
    finish(s, plain, &m, &w, &x, 0);
    double dropped = (double)finish(s, train, &m, &w, &x, .1) /
                     (HEADS * T * T);
    for (int64_t i = 0; i < HEADS * T * T; i++)
        if (i % T > i / T % T)
            above = fmax(above, ((double *)w.data)[i]);
    seed_say(s, "Four projections 512 to 512 without bias, heads of 64, RoPE "
             "on queries and keys, a mask, dropout 0.1 on the weights.");
    seed_shape(s, "x", &x);
    seed_shape(s, "weights", &w);
    seed_shape(s, "output", &out);
    seed_integer(s, "learned numbers", 4 * MODEL * (int64_t)MODEL);
    seed_real(s, "largest weight above the diagonal", above);
    seed_real(s, "share of weights dropped in training", dropped);
    seed_real(s, "mean change of the output by dropout",
              seed_mean_difference(train, plain, N));
    seed_check(s, "class written out less library",
               seed_max_difference(out.data, plain, N), 0, LAYER_DOUBLE);
    seed_check(s, "weights the mask hides", above, 0, 0);
    /* 8192 draws: five deviations of 3.3e-3 */
    seed_check(s, "share dropped", dropped, .1, 1.7e-2);
}

/* ----------------------------------------------------------------- S3.20 */

static struct layer_block block_new(struct seed *s, locant_random *r)
{
    struct layer_block b = layer_block_new(s, r, MODEL, HEADS, FF, 0);

    b.pre_norm = 1;
    b.self.encoding = seed_encoding(s, "rope(pairing=interleaved)");
    b.self.mask = LOCANT_MASK_CAUSAL;
    return b;
}

/* The parts of the block, as the seed's print(model) lists them. */
static void structure(struct seed *s, const struct layer_block *b)
{
    long long W = MODEL, F = FF;

    seed_columns(s, "structure", "part|shape|numbers");
    seed_cells(s, "norm1|weight and bias [%lld]|%lld", W, 2 * W);
    seed_cells(s, "W_q, W_k, W_v, W_o|four of [%lld, %lld]|%lld", W, W,
               4 * W * W);
    seed_cells(s, "dropout 0.1 on weights and on both sums|-|0");
    seed_cells(s, "norm2|weight and bias [%lld]|%lld", W, 2 * W);
    seed_cells(s, "linear 1|[%lld, %lld] and bias|%lld", W, F, W * F + F);
    seed_cells(s, "ReLU|-|0");
    seed_cells(s, "linear 2|[%lld, %lld] and bias|%lld", F, W, W * F + W);
    seed_table_end(s);
    seed_integer(s, "learned numbers", layer_block_parameters(b));
    seed_check(s, "learned numbers", (double)layer_block_parameters(b),
               3150336, 0);
}

void s3_block(struct seed *s)
{
    enum { T = 32, N = T * MODEL };
    locant_random r = seed_random(s, 3);
    struct layer_block b = block_new(s, &r);
    locant_tensor x = SEED_F64(s, 1, T, MODEL), y = SEED_F64(s, 1, T, MODEL);
    double change;

    seed_fill_normal(x.data, N, 1, &r);
    memcpy(y.data, x.data, N * sizeof(double));
    layer_block_run(s, &b, &y, NULL);
    seed_say(s, "x + attention(norm1(x)), then x + ffn(norm2(x)):");
    structure(s, &b);
    seed_shape(s, "output of [1, 32, 512]", &y);
    change = seed_mean_difference(x.data, y.data, N);
    seed_real(s, "mean change of x", change);
    /* with the last matrix of both parts zero only the residual is left */
    memset(b.self.o.w, 0, MODEL * MODEL * sizeof(double));
    memset(b.down.w, 0, FF * MODEL * sizeof(double));
    memset(b.down.b, 0, MODEL * sizeof(double));
    memcpy(y.data, x.data, N * sizeof(double));
    layer_block_run(s, &b, &y, NULL);
    seed_check(s, "output less x when both parts end in zeros",
               seed_max_difference(x.data, y.data, N), 0, 0);
    seed_claim(s, "else the block changes x", change > 1e-2);
}

/* ----------------------------------------------------------------- S3.21 */

void s3_run(struct seed *s)
{
    enum { BATCH = 4, LENGTH = 256, MAX = 1024 };
    locant_random r = seed_random(s, 4);
    struct layer_block b = block_new(s, &r);
    locant_tensor x = SEED_F64(s, BATCH, LENGTH, MODEL);
    locant_tensor cis = SEED_F32(s, MAX, HEAD / 2, 2);
    locant_tensor mask = SEED_F32(s, 1, 1, LENGTH, LENGTH);
    locant_tensor one = SEED_F64(s, 1, LENGTH, MODEL);
    locant_tensor pos = seed_positions(s, 0, MAX);
    int64_t n = LENGTH * MODEL;
    double seconds, *last = (double *)one.data + n - MODEL;

    seed_try(s, locant_angles(&cis, &pos, 10000, LOCANT_ANGLES_EXACT));
    seed_fill_normal(x.data, BATCH * n, 1, &r);
    memcpy(one.data, x.data, (size_t)n * sizeof(double));
    for (int c = 0; c < MODEL; c++)
        last[c] += 1;
    structure(s, &b);
    seed_shape(s, "frequencies, as (cos, sin)", &cis);
    seed_shape(s, "input", &x);
    seed_shape(s, "mask of the seed, lower triangle", &mask);
    seed_progress(s, "running the block on [4, 256, 512]");
    seconds = seed_seconds();
    layer_block_run(s, &b, &x, NULL);
    seconds = seed_seconds() - seconds;
    layer_block_run(s, &b, &one, NULL);
    seed_shape(s, "output", &x);
    seed_numbers(s, "first ten numbers", "%.4f", x.data, 10);
    seed_progress(s, "%.1f s in double", seconds);
    seed_say(s, "Evaluation: no dropout.  The first sequence again by itself, "
             "with its last token changed:");
    seed_real(s, "largest change of the tokens before it",
              seed_max_difference(x.data, one.data, n - MODEL));
    /* nothing of the last token or the other sequences may come in */
    seed_check(s, "no look ahead, no look aside",
               seed_max_difference(x.data, one.data, n - MODEL), 0,
               LAYER_DOUBLE);
    seed_claim(s, "the last token's output changes", seed_max_difference(
               (double *)x.data + n - MODEL, last, MODEL) > 1e-2);
}
