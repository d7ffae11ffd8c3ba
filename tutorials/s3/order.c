/* order.c - chapter 1: attention ignores order: S3.1 .. S3.4. */
#include "../tutorial.h"

enum { WORDS = 3, NARROW = 16 };

/* Mean of a layer's output over the tokens, which a classifier reads. */
static locant_tensor pooled(const struct mha *m, locant_tensor x)
{
    locant_tensor y = mha(m, x), out = ZEROS(NARROW);

    for (int i = 0; i < WORDS * NARROW; i++)
        data(out)[i % NARROW] += data(y)[i] / WORDS;
    return out;
}

/* S3.1 */
void s3_blindness(void)
{
    static const int64_t back[] = { 2, 1, 0 };
    locant_random r = draws(1);
    struct mha m = mha_new(&r, NARROW, 2, 0);
    locant_tensor x = NORMALS(&r, 1, WORDS, NARROW), y = reordered(x, back);
    locant_tensor P = table_rows("sinusoidal", 0, WORDS, NARROW, NULL);

    say("Three words, 猫, 追逐, 狗, as random vectors of width 16; one "
        "attention layer, then the mean of its outputs.  猫追逐狗 and 狗追逐猫 "
        "differ by:");
    /* means of three sums of 16, in another order */
    expect("without positions", difference(pooled(&m, x), pooled(&m, y)), 0,
           IN_DOUBLE);
    double aware = difference(pooled(&m, added(x, P)), pooled(&m, added(y, P)));
    show("with a sinusoid added", aware);
    claim("a sentence with positions is no set", aware > 1e-3);
}

/* S3.2 */
void s3_attention(void)
{
    enum { T = 100, D = 64 };
    locant_random r = draws(2);
    locant_tensor q = NORMALS(&r, 1, 1, T, D), k = NORMALS(&r, 1, 1, T, D);
    locant_tensor v = NORMALS(&r, 1, 1, T, D);
    locant_attention a = { .q = &q, .k = &k, .v = &v }, undivided = a;
    locant_tensor w = weights(a), loops = ZEROS(1, 1, T, D), w1, s;
    double worst = 0;

    undivided.scale = 1;
    w1 = weights(undivided);
    s = scores(undivided);
    attend_by_loops(loops, q, k, v);
    for (int i = 0; i < T; i++)
        worst = fmax(worst, fabs(T * mean(data(w) + i * T, T) - 1));
    say("softmax(Q K^T / sqrt(d_k)) V.  100 random tokens, d_k = 64:");
    /* sqrt(64); 10^4 products of 100 + 100 independent vectors: 3 percent */
    expect("deviation of q . k", deviation(data(s), T * T), 8, 0.5);
    show("entropy of a row, divided by sqrt(64)", entropy(data(w), T, T, 0));
    show("entropy of a row, not divided", entropy(data(w1), T, T, 0));
    show("entropy of even attention, ln 100", log(T));
    say("Without the division the softmax all but picks one key, and little "
        "gradient comes through.");
    check("library less plain loops", difference(attend(a), loops), 0,
          IN_DOUBLE);
    check("rows sum to one", worst, 0, IN_DOUBLE);
    claim("scaling keeps attention spread",
          entropy(data(w), T, T, 0) > entropy(data(w1), T, T, 0) + 1);
}

/* S3.3 */
void s3_equivariance(void)
{
    enum { L = 8, W = 32 };
    locant_random r = draws(3);
    struct block layer = block_new(&r, W, 4, 64, 0);
    locant_tensor x = NORMALS(&r, 1, L, W), tx = block_run(&layer, x, NULL);
    double equivariance = 0, invariance = INFINITY;
    int64_t order[L];

    for (int i = 0; i < 20; i++) {
        locant_tensor tpx;

        do
            shuffle(order, L, &r);
        while (order[0] == 0);
        tpx = block_run(&layer, reordered(x, order), NULL);
        equivariance =
            fmax(equivariance, difference(tpx, reordered(tx, order)));
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
static double last_token(int layers, locant_mask mask)
{
    enum { L = 8, W = 32 };
    static const int64_t order[L] = { 6, 5, 4, 3, 2, 1, 0, 7 };
    locant_random r = draws(4);
    locant_tensor a = NORMALS(&r, 1, L, W), b = reordered(a, order);

    for (int l = 0; l < layers; l++) {
        struct block layer = block_new(&r, W, 4, 64, 0);

        layer.self.mask = mask;
        a = block_run(&layer, a, NULL);
        b = block_run(&layer, b, NULL);
    }
    return max_difference(data(a) + 7 * W, data(b) + 7 * W, W);
}

/* S3.4 */
void s3_causal(void)
{
    double two = last_token(2, LOCANT_MASK_CAUSAL);

    say("No positions at all.  The seven tokens before the last are reversed; "
        "the last one's output changes by:");
    expect("one causal layer", last_token(1, LOCANT_MASK_CAUSAL), 0, IN_DOUBLE);
    show("two causal layers", two);
    expect("two layers without mask", last_token(2, LOCANT_MASK_NONE), 0,
           IN_DOUBLE);
    say("One causal layer sees a set.  From the second on each key carries "
        "what stood before it, so depth and mask together give order; without "
        "the mask no depth does.");
    table("steps", "length 1024|steps one after another|products of pairs");
    table_row("RNN, LSTM|%d|%d", 1024, 0);
    table_row("attention layer|%d|%d", 1, 1024 * 1024);
    say("A recurrent network knows order because it walks; attention gave the "
        "walk up to be parallel, and positions buy order back.");
    claim("two causal layers know order", two > 1e-4);
}
