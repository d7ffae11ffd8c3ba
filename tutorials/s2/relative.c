/* relative.c - two classes that the tutorial leaves empty: S2.12, S2.13. */
#include "../tutorial.h"

/* Scores with Shaw's relative positions, for a published example. */
static void shaw_example(void)
{
    locant_tensor q = RESHAPED(VECTOR(1, 0, 0, 1), 1, 1, 2, 2);
    locant_tensor k = RESHAPED(VECTOR(1, 1, 0, 2), 1, 1, 2, 2);
    locant_tensor keys = RESHAPED(VECTOR(.1, .2, .3, .4, .5, .6), 3, 2);
    locant_tensor known =
        VECTOR(0.9192388155, 0.3535533906, 0.8485281374, 1.6970562748);
    locant_tensor s = scores((locant_attention){
        .q = &q,
        .k = &k,
        .v = &k,
        .params = &keys,
        .encoding = encoding("shaw(distance=1,values=no)") });

    say("Two tokens of width 2 and a table of three rows, small enough to do "
        "by hand:");
    show_matrix("scores (q_i . (k_j + a_ij)) / sqrt(2)", "%.10f", s);
    /* a logarithm and an exponential of numbers near 1, in double */
    compare("scores less the known numbers", s, known, TEN_DIGITS);
}

/* score(i, j) = (q_i . k_j + q_i . P[clip(i - j)]) / sqrt(D) */
void s2_12_relative(void)
{
    enum { T = 12, D = 64, K = 4 };
    locant_random r = random_stream(3);
    locant_tensor q = NORMALS(&r, 1, 1, T, D), k = NORMALS(&r, 1, 1, T, D);
    locant_tensor P = SCALED_NORMALS(&r, 0.02, 2 * K + 1, D);
    locant_attention a = { .q = &q, .k = &k, .v = &k };
    locant_tensor plain = scores(a), added = zeros_like(plain), s;

    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) {
            int clipped = i - j < -K ? -K : i - j > K ? K : i - j;

            data(row(added, i))[j] =
                dot(row(q, i), row(P, clipped + K)) / sqrt(D);
        }
    a.encoding = encoding("relative(distance=4)");
    a.params = &P;
    s = scores(a);
    say("computeRelativeAttention(Q, K), which the tutorial leaves empty: each "
        "score gains the product of the query with the table's row for the "
        "clipped distance.  One head of 64, 12 tokens, distances clipped to "
        "4:");
    show_shape("relative_embeddings", P);
    show_shape("scores", s);
    expect_count("learned numbers",
                 learned_numbers("relative(distance=4)", D, 1), count(P));
    shaw_example();
    mistake_in_words("E-2.4", "the attention of the class",
                     "an empty method; dModel is not kept",
                     "q . table[clip(i - j)] joins the score",
                     "A table that no score reads changes nothing.");
    compare("scores less plain scores less the table's part", minus(s, plain),
            added, TEN_DIGITS);
}

/* The score of q at position m and k at position n, after rotation. */
static double rotated_score(locant_tensor q, locant_tensor k, int64_t m,
                            int64_t n)
{
    return dot(rotated(ROPE_PAIRS, q, m), rotated(ROPE_PAIRS, k, n));
}

/* z_c -> z_c exp(i p 10000^(-2c/d)), z_c = x_2c + i x_2c+1 */
void s2_13_rotary(void)
{
    locant_tensor x = RESHAPED(VECTOR(1, 2, 3, 4, 5, 6, 7, 8), 1, 8);
    locant_tensor k = RESHAPED(VECTOR(.5, -1, .25, 2, -.5, 1, 1.5, -2), 1, 8);
    locant_tensor at_five =
        VECTOR(2.20151073479, -0.391599903737, 0.715045531254, 4.94860686337,
               4.69387628635, 6.24239740872, 6.95991266685, 8.03489985438);
    double near = rotated_score(x, k, 7, 4);

    say("The class is empty in the tutorial.  What it would do: take channels "
        "in pairs as complex numbers and multiply pair c at position p by "
        "exp(i p 10000^(-2c/8)).");
    show_list("x", "%g", x);
    /* table in float32, entries up to 8, two products each */
    expect_list("x at position 5", "%.6f", rotated(ROPE_PAIRS, x, 5), at_five,
                16 * 0x1p-24);
    show("score of x at 7 with k at 4", near);
    /* eight products of two such numbers */
    expect("score of x at 100007 with k at 100004",
           rotated_score(x, k, 100007, 100004), near, 2e-5);
    mistake_in_words("E-2.4", "beyond the trained length", "goes on well",
                     "gets worse unless frequencies are scaled",
                     "The rotation is defined anywhere; the phases of slow "
                     "pairs beyond training are new to the model.");
}
