/*
 * relative.c - seed 002: the two classes the seed leaves empty.
 */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../layers.h"

/* ----------------------------------------------------------------- S2.12 */

/* Scores of Shaw's form for the small example of encodings.md section 3. */
static void shaw_example(struct seed *s)
{
    static const double q[] = { 1, 0, 0, 1 }, k[] = { 1, 1, 0, 2 };
    static const double keys[] = { .1, .2, .3, .4, .5, .6 };
    static const double expected[] = { 0.9192388155, 0.3535533906,
                                       0.8485281374, 1.6970562748 };
    locant_tensor tq = SEED_F64(s, 1, 1, 2, 2), tk = SEED_F64(s, 1, 1, 2, 2);
    locant_tensor table = SEED_F64(s, 3, 2), scores;
    locant_attention a = LOCANT_ATTENTION_INIT;

    memcpy(tq.data, q, sizeof q);
    memcpy(tk.data, k, sizeof k);
    memcpy(table.data, keys, sizeof keys);
    a.q = &tq;
    a.k = a.v = &tk;
    a.encoding = seed_encoding(s, "shaw(distance=1,values=no)");
    a.params = &table;
    scores = layer_scores(s, &a);
    seed_say(s, "Two tokens of width 2 and a table of three rows, small enough "
             "to do by hand:");
    seed_matrix(s, "scores (q_i . (k_j + a_ij)) / sqrt(2)", "%.10f",
                scores.data, 2, 2);
    /* a logarithm and an exponential of numbers near 1, in double */
    seed_check(s, "scores less the known numbers",
               seed_max_difference(scores.data, expected, 4), 0, LAYER_KNOWN);
}

void s2_relative(struct seed *s)
{
    enum { T = 12, D = 64, K = 4 };
    const locant_encoding *e = seed_encoding(s, "relative(distance=4)");
    locant_random r = seed_random(s, 3);
    locant_tensor q = SEED_F64(s, 1, 1, T, D), k = SEED_F64(s, 1, 1, T, D);
    locant_tensor table = SEED_F64(s, 2 * K + 1, D), scores, plain;
    locant_attention a = LOCANT_ATTENTION_INIT;
    double worst = 0, *S, *P;

    seed_fill_normal(q.data, T * D, 1, &r);
    seed_fill_normal(k.data, T * D, 1, &r);
    seed_fill_normal(table.data, (2 * K + 1) * D, 0.02, &r);
    a.q = &q;
    a.k = a.v = &k;
    plain = layer_scores(s, &a);
    a.encoding = e;
    a.params = &table;
    scores = layer_scores(s, &a);
    S = scores.data;
    P = plain.data;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) {
            int row = (i - j < -K ? -K : i - j > K ? K : i - j) + K;
            double extra = 0;

            for (int d = 0; d < D; d++)
                extra += ((double *)q.data)[i * D + d] *
                         ((double *)table.data)[row * D + d];
            worst = fmax(worst, fabs(S[i * T + j] - P[i * T + j] -
                                     extra / sqrt(D)));
        }
    seed_say(s, "computeRelativeAttention(Q, K), which the seed leaves empty: "
             "each score gains the product of the query with the table's row "
             "for the clipped distance.  One head of 64, 12 tokens, distances "
             "clipped to 4:");
    seed_shape(s, "relative_embeddings", &table);
    seed_shape(s, "scores", &scores);
    seed_integer(s, "learned numbers", seed_parameters(e, D, 1));
    shaw_example(s);
    seed_wrong_text(s, "E-2.4", "the attention of the class",
                    "an empty method; dModel is not kept",
                    "q . table[clip(i - j)] joins the score",
                    "A table that no score reads changes nothing.");
    seed_check(s, "scores less plain scores less the table's part", worst, 0,
               LAYER_KNOWN);
    seed_check(s, "learned numbers", (double)seed_parameters(e, D, 1),
               (2 * K + 1) * D, 0);
}

/* ----------------------------------------------------------------- S2.13 */

/* The score of q at m with k at n, both turned. */
static double turned_score(struct seed *s, const locant_encoding *e,
                           const double *q, const double *k, int64_t m,
                           int64_t n)
{
    locant_tensor x = SEED_F64(s, 1, 8), y = SEED_F64(s, 1, 8);
    double sum = 0;

    memcpy(x.data, q, 8 * sizeof *q);
    memcpy(y.data, k, 8 * sizeof *k);
    seed_rotate(s, &x, &x, e, m);
    seed_rotate(s, &y, &y, e, n);
    for (int c = 0; c < 8; c++)
        sum += ((double *)x.data)[c] * ((double *)y.data)[c];
    return sum;
}

void s2_rotary(struct seed *s)
{
    static const double pairs[] = { /* encodings.md A.1, p = 5 */
        2.20151073479, -0.391599903737, 0.715045531254, 4.94860686337,
        4.69387628635, 6.24239740872, 6.95991266685, 8.03489985438
    };
    static const double x[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    static const double k[] = { .5, -1, .25, 2, -.5, 1, 1.5, -2 };
    const locant_encoding *e =
        seed_encoding(s, "rope(pairing=interleaved)");
    locant_tensor turned = SEED_F64(s, 1, 8);
    double near, far;

    memcpy(turned.data, x, sizeof x);
    seed_rotate(s, &turned, &turned, e, 5);
    near = turned_score(s, e, x, k, 7, 4);
    far = turned_score(s, e, x, k, 100007, 100004);
    seed_say(s, "The class is empty in the seed.  What it would do: take "
             "channels in pairs as complex numbers and multiply pair c at "
             "position p by exp(i p 10000^(-2c/8)).");
    seed_numbers(s, "x", "%g", x, 8);
    seed_numbers(s, "x at position 5", "%.6f", turned.data, 8);
    seed_real(s, "score of x at 7 with k at 4", near);
    seed_real(s, "score of x at 100007 with k at 100004", far);
    seed_wrong_text(s, "E-2.4", "beyond the trained length", "goes on well",
                    "gets worse unless frequencies are scaled",
                    "The rotation is defined anywhere; the phases of slow "
                    "pairs beyond training are new to the model.");
    /* a table to float32, entries up to 8, two products each */
    seed_check(s, "x at 5 less the known numbers",
               seed_max_difference(turned.data, pairs, 8), 0, 16 * 0x1p-24);
    /* eight products of two such numbers */
    seed_check(s, "only the difference of positions matters", far, near, 2e-5);
}
