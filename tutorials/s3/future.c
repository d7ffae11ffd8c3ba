/*
 * future.c - seed 003: what it calls the future, all of it in the catalogue.
 */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../layers.h"

static void no_positions(struct seed *s)
{
    const locant_encoding *e = seed_encoding(s, "none");

    seed_say(s, "NoPE, no positions at all: %s.  A causal decoder of two or "
             "more layers tells order by its mask (S3.4).",
             locant_encoding_info_of(e)->formula);
    seed_wrong_text(s, "E-3.6", "NoPE", "not in general use",
                    "in Llama 4, SmolLM3, Cohere 2, EXAONE 4",
                    "As some of their layers, between rotary ones.");
    seed_claim(s, "none uses no door", locant_encoding_info_of(e)->doors == 0);
}

static void biases(struct seed *s)
{
    static const double n[] = { 0, 1, 2, 3, 4, 5 };
    static const double known[] = { /* encodings.md 12.1, p = 1.5, a = .5 */
        0, -0.6081976622, -1.0397207708, -1.3744360978, -1.6479184330,
        -1.8791444527
    };
    const locant_encoding *alibi = seed_encoding(s, "alibi");
    const locant_encoding *kerple = seed_encoding(s, "kerple");
    locant_tensor p[2] = { SEED_F64(s, 1), SEED_F64(s, 1) };
    double a[8 * 6], k[6];

    *(double *)p[0].data = 1.5;
    *(double *)p[1].data = .5;
    layer_bias_at(s, a, alibi, 8, n, 6, NULL);
    layer_bias_at(s, k, kerple, 1, n, 6, p);
    seed_numbers(s, "ALiBi, head 1 of 8, distances 0 .. 5", "%.4f", a, 6);
    seed_numbers(s, "KERPLE, p = 1.5, a = 0.5", "%.4f", k, 6);
    seed_check(s, "ALiBi at distance 5", a[5], -2.5, 0);
    seed_check(s, "KERPLE less the known numbers",
               seed_max_difference(k, known, 6), 0, LAYER_KNOWN);
}

/*
 * FIRE with c = 0.1, L = 512 and a network that gives its input back: the
 * normalised distance of query i and key j.
 */
static double fire(struct seed *s, int64_t i, int64_t j)
{
    const locant_encoding *e = seed_encoding(s, "fire(hidden=1)");
    static const double values[] = { .1, 1, 1, 0, 1, 0 };
    locant_tensor p[6] = { SEED_F64(s, 1), SEED_F64(s, 1), SEED_F64(s, 1),
                           SEED_F64(s, 1), SEED_F64(s, 1, 1), SEED_F64(s, 1) };
    locant_tensor q_pos = seed_positions(s, i, 1);
    locant_tensor k_pos = seed_positions(s, j, 1), b = SEED_F64(s, 1, 1, 1);

    for (int k = 0; k < 6; k++)
        *(double *)p[k].data = values[k];
    seed_try(s, locant_encoding_bias(&b, e, &q_pos, &k_pos, p));
    return *(double *)b.data;
}

static void planes(struct seed *s)
{
    static const double known[] = { /* encodings.md 13.1, row (0, 1) */
        0.8414709848, 0.0099998333, 0.5403023059, 0.9999500004, 0, 0, 1, 1
    };
    const locant_encoding *e =
        seed_encoding(s, "sincos2d(form=mae,width=2,height=2)");
    locant_tensor rows = seed_table_rows(s, e, 0, 4, 8, NULL);

    seed_say(s, "Images (ViT): a patch has a row and a column.  2 x 2 patches, "
             "width 8, half of the channels for each axis:");
    seed_matrix(s, "2-D sinusoid", "%.4f", rows.data, 4, 8);
    /* entries to float32 or better */
    seed_check(s, "patch (0, 1) less the known numbers",
               seed_max_difference((double *)rows.data + 8, known, 8), 0,
               LAYER_TABLE);
}

static void volumes(struct seed *s)
{
    const locant_encoding *e =
        seed_encoding(s, "sincos3d(form=half,width=2,height=2)");
    locant_tensor rows = seed_table_rows(s, e, 0, 8, 16, NULL);
    const double *x = rows.data;

    seed_say(s, "Video: frame, row, column.  Two frames of 2 x 2, width 16: "
             "the frame has 8 channels, row and column 4 each.");
    seed_numbers(s, "frame 1, patch (0, 0)", "%.4f", x + 4 * 16, 16);
    seed_check(s, "its first channel, sin 1", x[4 * 16], 0.8414709848,
               LAYER_TABLE);
    seed_check(s, "row and column as in frame 0",
               seed_max_difference(x + 4 * 16 + 8, x + 8, 8), 0, 0);
}

static void graphs(struct seed *s)
{
    const locant_encoding *e =
        seed_encoding(s, "laplacian(length=4,vectors=2)");
    const locant_tensor *start = seed_params(s, e, 2, 1);
    locant_tensor p[2] = { start[0], SEED_F64(s, 2, 2) }, rows;
    double *projection = p[1].data, first[4], sign;

    projection[0] = projection[3] = 1;
    rows = seed_table_rows(s, e, 0, 4, 2, p);
    for (int i = 0; i < 4; i++)
        first[i] = ((double *)rows.data)[2 * i];
    sign = first[0] < 0 ? -1 : 1;
    seed_say(s, "Graphs: a node has no number but a place, told by "
             "eigenvectors of the graph's Laplacian.  A path of four nodes, "
             "the first vector that is not trivial (its sign is free):");
    seed_numbers(s, "nodes 0 .. 3", "%.10f", first, 4);
    seed_check(s, "node 0", sign * first[0], 0.5773502692, LAYER_KNOWN);
    seed_check(s, "node 1", sign * first[1], 0.4082482905, LAYER_KNOWN);
    seed_check(s, "node 3", sign * first[3], -0.5773502692, LAYER_KNOWN);
}

void s3_future(struct seed *s)
{
    double near, far;

    no_positions(s);
    biases(s);
    near = fire(s, 10, 9);
    far = fire(s, 1024, 512);
    seed_real(s, "FIRE's normalised distance, query 10, key 9", near);
    seed_real(s, "query 1024, key 512", far);
    seed_check(s, "FIRE, 10 and 9", near, 0.0240981461, LAYER_KNOWN);
    seed_check(s, "FIRE, 1024 and 512", far, 0.8526446366, LAYER_KNOWN);
    planes(s);
    volumes(s);
    graphs(s);
}
