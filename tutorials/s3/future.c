/* future.c - methods that the tutorial calls future, all in use: S3.14. */
#include "../tutorial.h"

static void no_positions(void)
{
    say("NoPE, no positions at all: %s.  A causal decoder of two or more "
        "layers knows order by its mask (S3.4).",
        info("none")->formula);
    mistake_in_words("E-3.6", "NoPE", "not in general use",
                     "in Llama 4, SmolLM3, Cohere 2, EXAONE 4",
                     "As some of their layers, between rotary ones.");
    claim("none uses no door", info("none")->doors == 0);
}

/* ALiBi: b = -m n.  KERPLE: b = -p ln(1 + a n).  n is the distance. */
static void biases(void)
{
    locant_tensor n = VECTOR(0, 1, 2, 3, 4, 5);
    locant_tensor p[] = { VECTOR(1.5), VECTOR(.5) }; /* KERPLE's p and a */
    locant_tensor alibi = row(bias_at("alibi", 8, n, NULL), 0);

    show_list("ALiBi, head 0 of 8, distances 0 .. 5", "%.4f", alibi);
    expect_list("KERPLE, p = 1.5, a = 0.5", "%.4f", bias_at("kerple", 1, n, p),
                VECTOR(0, -0.6081976622, -1.0397207708, -1.3744360978,
                       -1.6479184330, -1.8791444527),
                TEN_DIGITS);
    check("ALiBi at distance 5", data(alibi)[5], -2.5, 0);
}

/*
 * FIRE: b = f(ln(c n + 1) / ln(c max(L, i) + 1)), f a small network.  With
 * c = 0.1, L = 512 and the identity as f: the normalised distance of query i
 * and key j.
 */
static double fire(int64_t i, int64_t j)
{
    locant_tensor p[] = {
        VECTOR(.1), VECTOR(1), VECTOR(1), VECTOR(0), RESHAPED(VECTOR(1), 1, 1),
        VECTOR(0)
    };

    return *data(
        bias_between("fire(hidden=1)", 1, positions(i, 1), positions(j, 1), p));
}

static void planes(void)
{
    locant_tensor x =
        table_rows("sincos2d(form=mae,width=2,height=2)", 0, 4, 8, NULL);
    locant_tensor patch_01 = VECTOR(0.8414709848, 0.0099998333, 0.5403023059,
                                    0.9999500004, 0, 0, 1, 1);

    say("Images (ViT): a patch has a row and a column.  2 x 2 patches, width "
        "8, half of the channels for each axis:");
    show_matrix("2-D sinusoid", "%.4f", x);
    compare("patch (0, 1) less the known numbers", row(x, 1), patch_01, FLOAT);
}

static void volumes(void)
{
    locant_tensor x =
        table_rows("sincos3d(form=half,width=2,height=2)", 0, 8, 16, NULL);

    say("Video: frame, row, column.  Two frames of 2 x 2, width 16: the frame "
        "has 8 channels, row and column 4 each.");
    show_list("frame 1, patch (0, 0)", "%.4f", row(x, 4));
    check("its first channel, sin 1", entry(x, 4, 0), 0.8414709848, FLOAT);
    compare("row and column as in frame 0", slice(row(x, 4), 8, 8),
            slice(row(x, 0), 8, 8), 0);
}

static void graphs(void)
{
    const char *spec = "laplacian(length=4,vectors=2)";
    locant_tensor p[] = { initial_params(spec, 2, 1)[0],
                          RESHAPED(VECTOR(1, 0, 0, 1), 2, 2) };
    locant_tensor vectors = transposed(table_rows(spec, 0, 4, 2, p));
    const double *first = data(vectors);
    double sign = first[0] < 0 ? -1 : 1;

    say("Graphs: a node has no index; eigenvectors of the graph's Laplacian "
        "say where it is.  A path of four nodes, the first vector that is not "
        "trivial (its sign is free):");
    show_list("nodes 0 .. 3", "%.10f", row(vectors, 0));
    check("node 0", sign * first[0], 0.5773502692, TEN_DIGITS);
    check("node 1", sign * first[1], 0.4082482905, TEN_DIGITS);
    check("node 3", sign * first[3], -0.5773502692, TEN_DIGITS);
}

void s3_14_future(void)
{
    no_positions();
    biases();
    expect("FIRE's normalised distance, query 10, key 9", fire(10, 9),
           0.0240981461, TEN_DIGITS);
    expect("query 1024, key 512", fire(1024, 512), 0.8526446366, TEN_DIGITS);
    planes();
    volumes();
    graphs();
}
