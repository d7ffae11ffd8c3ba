/*
 * relative.c - seed 003, chapter 3: segments, Transformer-XL, and the cost.
 */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../layers.h"

/* ------------------------------------------------------------------ S3.7 */

enum { SEGMENT = 4, TOKENS = 8, HEADS = 2, D = 16 };

/* Tokens from 'from' on, of a tensor [1, HEADS, TOKENS, D]. */
static locant_tensor tail(const locant_tensor *t, int64_t from)
{
    locant_tensor view = *t;

    view.data = (double *)t->data + from * D;
    view.shape[2] -= from;
    return view;
}

/* Largest difference of two views [1, HEADS, SEGMENT, D]. */
static double apart(const locant_tensor *a, const locant_tensor *b)
{
    double worst = 0;

    for (int64_t h = 0; h < HEADS; h++)
        worst = fmax(worst, seed_max_difference(
                                (double *)a->data + h * a->stride[1],
                                (double *)b->data + h * b->stride[1],
                                SEGMENT * D));
    return worst;
}

void s3_segments(struct seed *s)
{
    const locant_encoding *sine = seed_encoding(s, "sinusoidal");
    locant_random r = seed_random(s, 1);
    locant_tensor t[3], second[3], full = SEED_F64(s, 1, HEADS, TOKENS, D);
    locant_tensor recurrent = SEED_F64(s, 1, HEADS, SEGMENT, D);
    locant_tensor alone = SEED_F64(s, 1, HEADS, SEGMENT, D), last, P, Q;
    locant_attention a = LOCANT_ATTENTION_INIT;

    for (int i = 0; i < 3; i++) {
        t[i] = SEED_F64(s, 1, HEADS, TOKENS, D);
        seed_fill_normal(t[i].data, HEADS * TOKENS * D, 1, &r);
        second[i] = tail(&t[i], SEGMENT);
    }
    a.encoding = seed_encoding(s, "alibi");
    a.mask = LOCANT_MASK_CAUSAL;
    a.q = &t[0];
    a.k = &t[1];
    a.v = &t[2];
    seed_attend(s, &full, &a); /* eight tokens at once */
    a.q = &second[0];
    seed_attend(s, &recurrent, &a); /* the second four, the first as memory */
    a.k = &second[1];
    a.v = &second[2];
    seed_attend(s, &alone, &a); /* the second four, cut off */
    last = tail(&full, SEGMENT);
    P = seed_table_rows(s, sine, 1, 1, D, NULL); /* token 1 of segment 1 */
    Q = seed_table_rows(s, sine, 1, 1, D, NULL); /* token 1 of segment 2 */
    seed_say(s, "Eight tokens in two segments of four.  Cut off from the first "
             "segment, the second computes something else (context "
             "fragmentation); with the first one's keys and values kept as "
             "memory and distances counted across the border, one layer gives "
             "what the whole would:");
    seed_real(s, "second segment alone, less the whole", apart(&alone, &last));
    seed_real(s, "second segment with memory, less the whole",
              apart(&recurrent, &last));
    seed_say(s, "Absolute positions that start again in each segment give "
             "token 1 of both the same vector (temporal confusion):");
    seed_real(s, "largest difference of the two vectors",
              seed_max_difference(P.data, Q.data, D));
    seed_check(s, "memory gives the whole", apart(&recurrent, &last), 0,
               LAYER_DOUBLE);
    seed_claim(s, "a segment alone does not", apart(&alone, &last) > 1e-2);
}

/* ------------------------------------------------------------------ S3.8 */

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* One key, numbers of encodings.md 4: the log-sum-exp is the score. */
static void xl_example(struct seed *s)
{
    static const double q[] = { 1, 2 }, k[] = { .5, -1 };
    static const double u[] = { .1, .2 }, v[] = { .3, -.1 }, r[] = { .7, .4 };
    locant_tensor tq = SEED_F64(s, 1, 1, 1, 2), tk = SEED_F64(s, 1, 1, 1, 2);
    locant_tensor params[3] = { SEED_F64(s, 1, 2, 2), SEED_F64(s, 1, 2),
                                SEED_F64(s, 1, 2) };
    locant_tensor scores;
    locant_attention a = LOCANT_ATTENTION_INIT;
    double *projection = params[0].data;

    memcpy(tq.data, q, sizeof q);
    memcpy(tk.data, k, sizeof k);
    memcpy(params[1].data, u, sizeof u);
    memcpy(params[2].data, v, sizeof v);
    projection[1] = r[0]; /* R_0 = (sin 0, cos 0) = (0, 1) */
    projection[3] = r[1];
    a.q = &tq;
    a.k = a.v = &tk;
    a.encoding = seed_encoding(s, "transformer-xl");
    a.params = params;
    scores = layer_scores(s, &a);
    seed_columns(s, "terms", "term|reads|value");
    seed_cells(s, "(a) q . k|both contents|%.4f", dot(q, k, 2));
    seed_cells(s, "(b) q . W_R R|content and distance|%.4f", dot(q, r, 2));
    seed_cells(s, "(c) u . k|key alone|%.4f", dot(u, k, 2));
    seed_cells(s, "(d) v . W_R R|distance alone|%.4f", dot(v, r, 2));
    seed_table_end(s);
    seed_real(s, "sum of the four / sqrt(2)",
              (dot(q, k, 2) + dot(q, r, 2) + dot(u, k, 2) + dot(v, r, 2)) /
              sqrt(2));
    seed_real(s, "the library's score", *(double *)scores.data);
    seed_check(s, "score", *(double *)scores.data, 0.0141421356, LAYER_KNOWN);
}

/* The four terms by loops against the library, four tokens, one head of 4. */
static double xl_error(struct seed *s)
{
    enum { T = 4, W = 4 };
    locant_random rand = seed_random(s, 2);
    const locant_encoding *split = seed_encoding(s, "sinusoidal(form=split)");
    locant_tensor t[2] = { SEED_F64(s, 1, 1, T, W), SEED_F64(s, 1, 1, T, W) };
    locant_tensor p[3] = { SEED_F64(s, 1, W, W), SEED_F64(s, 1, W),
                           SEED_F64(s, 1, W) };
    locant_tensor R = seed_table_rows(s, split, 0, T, W, NULL), scores;
    locant_attention a = LOCANT_ATTENTION_INIT;
    double worst = 0;

    for (int i = 0; i < 2; i++)
        seed_fill_normal(t[i].data, T * W, 1, &rand);
    for (int i = 0; i < 3; i++)
        seed_fill_normal(p[i].data, seed_count(&p[i]), 1, &rand);
    a.q = &t[0];
    a.k = a.v = &t[1];
    a.encoding = seed_encoding(s, "transformer-xl");
    a.params = p;
    a.mask = LOCANT_MASK_CAUSAL;
    scores = layer_scores(s, &a);
    for (int i = 0; i < T; i++)
        for (int j = 0; j <= i; j++) {
            const double *q = (double *)t[0].data + i * W;
            const double *k = (double *)t[1].data + j * W;
            const double *u = p[1].data, *v = p[2].data;
            double r[W], sum;

            for (int d = 0; d < W; d++)
                r[d] = dot((double *)p[0].data + d * W,
                           (double *)R.data + (i - j) * W, W);
            sum = dot(q, k, W) + dot(q, r, W) + dot(u, k, W) + dot(v, r, W);
            worst = fmax(worst, fabs(sum / sqrt(W) -
                                     ((double *)scores.data)[i * T + j]));
        }
    return worst;
}

void s3_xl(struct seed *s)
{
    const locant_encoding *e = seed_encoding(s, "transformer-xl");
    locant_param_info info;
    locant_sizes sizes = { .width = 410, .heads = 10, .kv_heads = 10,
                           .head_dim = 41 };
    double worst = xl_error(s);

    seed_say(s, "Positions are not added to the input: each score is rewritten "
             "as four products, divided by sqrt(D).");
    xl_example(s);
    seed_columns(s, "learned", "parameter|of|numbers (10 heads of 41)");
    for (int i = 0; locant_encoding_param(&info, e, i, &sizes); i++) {
        int64_t n = 1;

        for (int k = 0; k < info.rank; k++)
            n *= info.shape[k];
        seed_cells(s, "%s|%s|%lld", info.name, info.dims, (long long)n);
    }
    seed_table_end(s);
    seed_wrong_text(s, "E-3.1", "R_{i-j}", "a learned vector",
                    "a fixed sinusoid of the distance", "Learned are W_R, u "
                    "and v; only so are distances beyond training defined.  "
                    "The key's matrix splits in two, W_{k,E} and W_{k,R}, and "
                    "the division by sqrt(D) is missing in the seed.");
    seed_real(s, "four terms by loops less library, 4 tokens", worst);
    /* R to 2^-25 an entry, sums of 4 x 4 products of N(0, 1) numbers */
    seed_check(s, "four terms less library", worst, 0, 1e-6);
}

/* ------------------------------------------------------------------ S3.9 */

/* The bucket of each distance, read off a table whose row b holds b. */
static void buckets(struct seed *s, double *first)
{
    const locant_encoding *e = seed_encoding(s, "t5");
    locant_tensor table = SEED_F64(s, 32, 1);
    double n[200], b[200];

    for (int i = 0; i < 32; i++)
        ((double *)table.data)[i] = i;
    for (int i = 0; i < 200; i++)
        n[i] = i;
    layer_bias_at(s, b, e, 1, n, 200, &table);
    for (int i = 199; i >= 0; i--)
        first[(int)b[i]] = i;
}

/* Bytes locant takes beside inputs and outputs, a T5 bias over L tokens. */
static double workspace(struct seed *s, int64_t L)
{
    locant_tensor q = SEED_F32(s, 1, 1, L, 64);
    const locant_encoding *e = seed_encoding(s, "t5");
    locant_attention a = LOCANT_ATTENTION_INIT;
    size_t bytes;

    a.q = a.k = a.v = &q;
    a.encoding = e;
    a.params = seed_params(s, e, 64, 1);
    a.mask = LOCANT_MASK_CAUSAL;
    seed_try(s, locant_attention_workspace(&bytes, &a));
    return (double)bytes;
}

void s3_cost(struct seed *s)
{
    static const double expected[] = { /* encodings.md 5.1, causal, from 16 */
        16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113
    };
    const locant_encoding *t5 = seed_encoding(s, "t5");
    double first[32], L = 2048, width = 64;

    buckets(s, first);
    seed_say(s, "For it: no wall, distances mean the same across segments, "
             "long context.  Against it: more code, and cost:");
    seed_columns(s, "cost", "method|array|bytes in float32 (L = 2048, D = 64)");
    seed_cells(s, "naive Shaw|[L, L, D]|%.0f", 4 * L * L * width);
    seed_cells(s, "Transformer-XL, shifted|[L, D]|%.0f", 4 * L * width);
    seed_cells(s, "T5|[buckets]|%.0f", 4 * 32.);
    seed_cells(s, "locant, whole attention with T5|tiles and one row of "
               "biases|%.0f", workspace(s, 2048));
    seed_table_end(s);
    seed_wrong(s, "E-3.2", "bytes of Transformer-XL's relative part",
               4 * L * L * width, 4 * L * width, "One row for each distance is "
               "enough: O(L D).  O(L^2 D) is Shaw's form done naively.");
    seed_say(s, "T5 keeps of all this one learned number for each head and "
             "range of distances.  Buckets from 16 on begin at:");
    seed_numbers(s, "first distance of buckets 16 .. 31", "%.0f", first + 16,
                 16);
    seed_integer(s, "learned numbers, 8 heads", seed_parameters(t5, 512, 8));
    seed_check(s, "buckets less the known ones",
               seed_max_difference(first + 16, expected, 16), 0, 0);
    seed_check(s, "learned numbers", (double)seed_parameters(t5, 512, 8),
               32 * 8, 0);
    seed_claim(s, "locant's scratch grows less than L",
               workspace(s, 8192) < 4 * workspace(s, 2048));
}
