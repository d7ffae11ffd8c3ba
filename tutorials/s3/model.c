/*
 * model.c - the code: attention with RoPE, a pre-norm block, and a run of it:
 * S3.19 .. S3.21.
 */
#include <string.h>

#include "../tutorial.h"
#include "locant/angles.h"

enum { MODEL = 512, HEADS = 8, HEAD = MODEL / HEADS, FF = 2048 };

/* The second half of the class, by loops: weights w times values, projected. */
static locant_tensor finish(const struct mha *m, const double *w,
                            locant_tensor x)
{
    locant_tensor out = array(LOCANT_F64, 3, x.shape);

    mix_by_loops(as_heads(out, HEADS), as_heads(linear(&m->v, x), HEADS), w);
    return linear(&m->o, out);
}

/* S3.19 */
void s3_heads(void)
{
    enum { T = 32, CELLS = HEADS * T * T };
    locant_random r = draws(1), drops = draws(2);
    struct mha m = mha_new(&r, MODEL, HEADS, 0);
    locant_tensor x = NORMALS(&r, 1, T, MODEL), w, out, plain, train;
    double above = 0, dropped;

    m.encoding = ROPE_PAIRS;
    m.mask = LOCANT_MASK_CAUSAL;
    out = mha(&m, x);
    w = mha_weights(&m, x);
    plain = finish(&m, data(w), x);
    for (int i = 0; i < CELLS; i++)
        above = fmax(above, i % T > i / T % T ? data(w)[i] : 0);
    dropped = dropout(data(w), CELLS, .1, &drops);
    train = finish(&m, data(w), x);
    say("Four projections 512 to 512 without bias, heads of 64, RoPE on "
        "queries and keys, a mask, dropout 0.1 on the weights.");
    show_shape("x", x);
    show_shape("weights", w);
    show_shape("output", out);
    show_count("learned numbers", 4 * MODEL * MODEL);
    expect("largest weight above the diagonal", above, 0, 0);
    /* 8192 draws: five deviations of 3.3e-3 */
    expect("share of weights dropped in training", dropped / CELLS, .1, 1.7e-2);
    show("mean change of the output by dropout",
         mean_difference(data(train), data(plain), count(plain)));
    check("class written out less library", difference(out, plain), 0,
          IN_DOUBLE);
}

static struct block pre_norm_block(locant_random *r)
{
    struct block b = block_new(r, MODEL, HEADS, FF, 0);

    b.pre_norm = 1;
    b.self.encoding = ROPE_PAIRS;
    b.self.mask = LOCANT_MASK_CAUSAL;
    return b;
}

/* The parts of the block, as the tutorial's print(model) lists them. */
static void structure(const struct block *b)
{
    int W = MODEL, F = FF;

    table("structure", "part|shape|numbers");
    table_row("norm1|weight and bias [%d]|%d", W, 2 * W);
    table_row("W_q, W_k, W_v, W_o|four of [%d, %d]|%d", W, W, 4 * W * W);
    table_row("dropout 0.1 on weights and on both sums|-|0");
    table_row("norm2|weight and bias [%d]|%d", W, 2 * W);
    table_row("linear 1|[%d, %d] and bias|%d", W, F, W * F + F);
    table_row("ReLU|-|0");
    table_row("linear 2|[%d, %d] and bias|%d", F, W, W * F + W);
    expect_count("learned numbers", block_numbers(b), 3150336);
}

/* S3.20 */
void s3_block(void)
{
    enum { T = 32 };
    locant_random r = draws(3);
    struct block b = pre_norm_block(&r);
    locant_tensor x = NORMALS(&r, 1, T, MODEL), y = block_run(&b, x, NULL);
    double change = mean_difference(data(x), data(y), count(x));

    say("x + attention(norm1(x)), then x + ffn(norm2(x)):");
    structure(&b);
    show_shape("output of [1, 32, 512]", y);
    show("mean change of x", change);
    /* if the last matrix of both parts is 0, only the residual is left */
    b.self.o.w = reals(MODEL * MODEL);
    b.down.w = reals(FF * MODEL);
    b.down.b = reals(MODEL);
    check("output less x when both parts end in zeros",
          difference(x, block_run(&b, x, NULL)), 0, 0);
    claim("else the block changes x", change > 1e-2);
}

/* S3.21 */
void s3_run(void)
{
    enum { BATCH = 4, LENGTH = 256, MAX = 1024, BEFORE = (LENGTH - 1) * MODEL };
    locant_random r = draws(4);
    struct block b = pre_norm_block(&r);
    locant_tensor x = NORMALS(&r, BATCH, LENGTH, MODEL), y;
    locant_tensor one = COPY(data(x), 1, LENGTH, MODEL);
    locant_tensor cis = ZEROS_F32(MAX, HEAD / 2, 2), at = positions(0, MAX);
    double start = seconds(), early;

    must(locant_angles(&cis, &at, 10000, LOCANT_ANGLES_EXACT));
    for (int c = 0; c < MODEL; c++)
        data(one)[BEFORE + c] += 1;
    structure(&b);
    show_shape("frequencies, as (cos, sin)", cis);
    show_shape("input", x);
    show_shape("mask of the tutorial, lower triangle",
               ZEROS_F32(1, 1, LENGTH, LENGTH));
    progress("running the block on [4, 256, 512]");
    y = block_run(&b, x, NULL);
    one = block_run(&b, one, NULL);
    early = max_difference(data(y), data(one), BEFORE);
    show_shape("output", y);
    show_list("first ten numbers", "%.4f", data(y), 10);
    progress("%.1f s in double", seconds() - start);
    say("Evaluation: no dropout.  The first sequence again by itself, with its "
        "last token changed:");
    /* neither the last token nor the other sequences may have an effect */
    expect("largest change of the tokens before it", early, 0, IN_DOUBLE);
    claim("the last token's output changes",
          max_difference(data(y) + BEFORE, data(one) + BEFORE, MODEL) > 1e-2);
}
