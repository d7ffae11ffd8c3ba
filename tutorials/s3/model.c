/* model.c - attention with RoPE in a pre-norm block: S3.19 .. S3.21. */
#include "../tutorial.h"

enum { MODEL = 512, HEADS = 8, HEAD = MODEL / HEADS, FF = 2048 };

/* The second half of the class, by loops: weights w times values, projected. */
static locant_tensor mix_and_project(const struct mha *m, locant_tensor w,
                                     locant_tensor x)
{
    locant_tensor out = zeros_like(x);

    mix_by_loops(as_heads(out, HEADS), as_heads(linear(&m->v, x), HEADS), w);
    return linear(&m->o, out);
}

/* out = dropout(softmax(Q K^T / sqrt(64) + mask)) V W_o, Q and K rotated */
void s3_19_heads(void)
{
    enum { T = 32 };
    locant_random r = random_stream(1), drops = random_stream(2);
    struct mha m = mha_new(&r, MODEL, HEADS, NO_BIAS);
    locant_tensor x = NORMALS(&r, 1, T, MODEL), w, out, plain, train;
    double above = 0, dropped;

    m.encoding = ROPE_PAIRS;
    m.mask = LOCANT_MASK_CAUSAL;
    out = mha(&m, x);
    w = mha_weights(&m, x);
    plain = mix_and_project(&m, w, x);
    for (int i = 0; i < count(w); i++)
        above = fmax(above, i % T > i / T % T ? data(w)[i] : 0);
    dropped = dropout(w, .1, &drops);
    train = mix_and_project(&m, w, x);
    say("Four projections 512 to 512 without bias, heads of 64, RoPE on "
        "queries and keys, a mask, dropout 0.1 on the weights.");
    show_shape("x", x);
    show_shape("weights", w);
    show_shape("output", out);
    show_count("learned numbers", mha_size(&m));
    expect("largest weight above the diagonal", above, 0, 0);
    /* 8192 draws: five deviations of 3.3e-3 */
    expect("share of weights dropped in training", dropped, .1, 1.7e-2);
    show("mean change of the output by dropout", mean_difference(train, plain));
    compare("class written out less library", out, plain, IN_DOUBLE);
}

static struct block pre_norm_block(locant_random *r)
{
    struct block b = block_new(r, MODEL, HEADS, FF, ENCODER);

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
    table_row("linear 2|[%d, %d] and bias|%d", F, W, F * W + W);
    expect_count("learned numbers", block_size(b), 3150336);
}

/* x = x + attention(norm1(x)), then x = x + ffn(norm2(x)) */
void s3_20_block(void)
{
    locant_random r = random_stream(3);
    struct block b = pre_norm_block(&r);
    locant_tensor x = NORMALS(&r, 1, 32, MODEL), y = block_run(&b, x, NULL);
    double change = mean_difference(x, y);

    say("x + attention(norm1(x)), then x + ffn(norm2(x)):");
    structure(&b);
    show_shape("output of [1, 32, 512]", y);
    show("mean change of x", change);
    /* if the last matrix of both parts is 0, only the residual is left */
    b.self.o.w = data(ZEROS(MODEL, MODEL));
    b.down.w = data(ZEROS(FF, MODEL));
    b.down.b = data(ZEROS(MODEL));
    compare("output less x when both parts end in zeros", x,
            block_run(&b, x, NULL), 0);
    claim("else the block changes x", change > 1e-2);
}

void s3_21_run(void)
{
    enum { BATCH = 4, LENGTH = 256, LAST = LENGTH - 1 };
    locant_random r = random_stream(4);
    struct block b = pre_norm_block(&r);
    locant_tensor x = NORMALS(&r, BATCH, LENGTH, MODEL), y;
    locant_tensor one = as_double(RESHAPED(x, 1, LENGTH, MODEL));
    double start = seconds();

    for (int c = 0; c < MODEL; c++)
        data(row(one, LAST))[c] += 1;
    structure(&b);
    show_shape("frequencies, as (cos, sin)", rope_angles(1024, HEAD / 2));
    show_shape("input", x);
    show_shape("mask of the tutorial, lower triangle",
               ZEROS_F32(1, 1, LENGTH, LENGTH));
    progress("running the block on [4, 256, 512]");
    y = block_run(&b, x, NULL);
    one = block_run(&b, one, NULL);
    show_shape("output", y);
    show_list("first ten numbers", "%.4f", slice(y, 0, 10));
    progress("%.1f s in double", seconds() - start);
    say("Evaluation: no dropout.  The first sequence again by itself, with its "
        "last token changed:");
    /* neither the last token nor the other sequences may have an effect */
    expect("largest change of the tokens before it",
           difference(rows(y, 0, LAST), rows(one, 0, LAST)), 0, IN_DOUBLE);
    claim("the last token's output changes",
          difference(row(y, LAST), row(one, LAST)) > 1e-2);
}
