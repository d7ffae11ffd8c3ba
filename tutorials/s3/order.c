/* order.c - chapter 1: attention ignores order: S3.1 .. S3.4. */
#include "../tutorial.h"

/* Mean of a layer's output over the tokens, which a classifier reads. */
static locant_tensor pooled(const struct mha *m, locant_tensor x)
{
    int64_t T = x.shape[1], W = x.shape[2];
    locant_tensor y = mha(m, x), out = ZEROS(W);

    for (int i = 0; i < T * W; i++)
        data(out)[i % W] += data(y)[i] / T;
    return out;
}

void s3_1_blindness(void)
{
    enum { T = 3, W = 16 };
    locant_random r = random_stream(1);
    struct mha m = mha_new(&r, W, 2, NO_BIAS);
    locant_tensor x = NORMALS(&r, 1, T, W), y = picked(x, reversed(T));
    locant_tensor P = sinusoidal(0, T, W);
    double with = difference(pooled(&m, plus(x, P)), pooled(&m, plus(y, P)));

    say("Three words, 猫, 追逐, 狗, as random vectors of width 16; one "
        "attention layer, then the mean of its outputs.  猫追逐狗 and 狗追逐猫 "
        "differ by:");
    /* means of three sums of 16, in another order */
    expect("without positions", difference(pooled(&m, x), pooled(&m, y)), 0,
           IN_DOUBLE);
    show("with a sinusoid added", with);
    claim("a sentence with positions is no set", with > 1e-3);
}

/* out = softmax(Q K^T / sqrt(d_k)) V */
void s3_2_attention(void)
{
    enum { T = 100, D = 64 };
    locant_random r = random_stream(2);
    locant_tensor q = NORMALS(&r, 1, 1, T, D), k = NORMALS(&r, 1, 1, T, D);
    locant_tensor v = NORMALS(&r, 1, 1, T, D), loops = zeros_like(v);
    locant_attention a = { .q = &q, .k = &k, .v = &v }, undivided = a;
    locant_tensor w = weights(a), w1;
    double worst = 0;

    undivided.scale = 1;
    w1 = weights(undivided);
    attend_by_loops(loops, q, k, v);
    for (int i = 0; i < T; i++)
        worst = fmax(worst, fabs(T * mean(row(w, i)) - 1));
    say("softmax(Q K^T / sqrt(d_k)) V.  100 random tokens, d_k = 64:");
    /* sqrt(64); 10^4 products of 100 + 100 independent vectors: 3 percent */
    expect("deviation of q . k", deviation(scores(undivided)), 8, 0.5);
    show("entropy of a row, divided by sqrt(64)", entropy(w, 0));
    show("entropy of a row, not divided", entropy(w1, 0));
    show("entropy of even attention, ln 100", log(T));
    say("Without the division the softmax gives nearly all weight to one key, "
        "and little gradient comes through.");
    compare("library less plain loops", attend(a), loops, IN_DOUBLE);
    check("rows sum to one", worst, 0, IN_DOUBLE);
    claim("scaling keeps attention spread", entropy(w, 0) > entropy(w1, 0) + 1);
}

/* T(P X) = P T(X) for every order P of the tokens */
void s3_3_equivariance(void)
{
    enum { L = 8, W = 32 };
    locant_random r = random_stream(3);
    struct block layer = block_new(&r, W, 4, 64, ENCODER);
    locant_tensor x = NORMALS(&r, 1, L, W), tx = block_run(&layer, x, NULL);
    double equivariance = 0, invariance = INFINITY;

    for (int i = 0; i < 20; i++) {
        locant_tensor P, tpx;

        do
            P = shuffled(L, &r);
        while (*integer_data(P) == 0);
        tpx = block_run(&layer, picked(x, P), NULL);
        equivariance = fmax(equivariance, difference(tpx, picked(tx, P)));
        invariance = fmin(invariance, difference(tpx, tx));
    }
    say("T: a whole layer (attention, feed-forward, norms) of width 32 on 8 "
        "tokens, 20 random orders P.  Every step is either the same for each "
        "row, or a sum over all rows:");
    expect("largest |T(PX) - P T(X)|", equivariance, 0, IN_DOUBLE);
    show("least of the 20 |T(PX) - T(X)|", invariance);
    claim("not invariant", invariance > 0.1);
}

/*
 * By how much the last of 8 tokens changes, after 'layers' layers without
 * positions, if the seven tokens before it are reversed.
 */
static double last_token_change(int layers, locant_mask mask)
{
    enum { L = 8, W = 32 };
    locant_random r = random_stream(4);
    locant_tensor a = NORMALS(&r, 1, L, W);
    locant_tensor b = picked(a, INTEGERS(6, 5, 4, 3, 2, 1, 0, 7));

    for (int l = 0; l < layers; l++) {
        struct block layer = block_new(&r, W, 4, 64, ENCODER);

        layer.self.mask = mask;
        a = block_run(&layer, a, NULL);
        b = block_run(&layer, b, NULL);
    }
    return difference(row(a, 7), row(b, 7));
}

void s3_4_causal(void)
{
    double two = last_token_change(2, LOCANT_MASK_CAUSAL);

    say("No positions at all.  The seven tokens before the last are reversed; "
        "the last one's output changes by:");
    expect("one causal layer", last_token_change(1, LOCANT_MASK_CAUSAL), 0,
           IN_DOUBLE);
    show("two causal layers", two);
    expect("two layers without mask", last_token_change(2, LOCANT_MASK_NONE), 0,
           IN_DOUBLE);
    say("One causal layer sees a set.  From the second on each key carries "
        "what stood before it, so depth and mask together give order; without "
        "the mask no depth does.");
    table("steps", "length 1024|steps one after another|products of pairs");
    table_row("RNN, LSTM|%d|%d", 1024, 0);
    table_row("attention layer|%d|%d", 1, 1024 * 1024);
    say("A recurrent network knows order because it reads one token after "
        "another; attention gave that up to work in parallel, and positions "
        "bring order back.");
    claim("two causal layers know order", two > 1e-4);
}
