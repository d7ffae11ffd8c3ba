/* relative.c - chapter 3: segments, Transformer-XL, cost: S3.7 .. S3.9. */
#include "../tutorial.h"

enum { SEGMENT = 4, TOKENS = 8, HEADS = 2, D = 16 };

/* A view of the last SEGMENT tokens of a tensor [1, HEADS, TOKENS, D]. */
static locant_tensor second_segment(locant_tensor t)
{
    t.data = data(row(t, SEGMENT));
    t.shape[2] = SEGMENT;
    return t;
}

/* Largest difference of y [1, HEADS, SEGMENT, D] from the same tokens of
   'whole'. */
static double segment_difference(locant_tensor y, locant_tensor whole)
{
    double worst = 0;

    for (int h = 0; h < HEADS; h++)
        worst =
            fmax(worst, difference(rows(y, h * SEGMENT, SEGMENT),
                                   rows(whole, h * TOKENS + SEGMENT, SEGMENT)));
    return worst;
}

void s3_7_segments(void)
{
    locant_random r = random_stream(1);
    locant_tensor q = NORMALS(&r, 1, HEADS, TOKENS, D);
    locant_tensor k = NORMALS(&r, 1, HEADS, TOKENS, D);
    locant_tensor v = NORMALS(&r, 1, HEADS, TOKENS, D);
    locant_tensor q2 = second_segment(q), k2 = second_segment(k);
    locant_tensor v2 = second_segment(v), whole, recurrent, alone;
    locant_attention a = { .q = &q,
                           .k = &k,
                           .v = &v,
                           .encoding = encoding("alibi"),
                           .mask = LOCANT_MASK_CAUSAL };

    whole = attend(a); /* eight tokens at once */
    a.q = &q2;
    recurrent = attend(a); /* the second four, with the first four as memory */
    a.k = &k2;
    a.v = &v2;
    alone = attend(a); /* the second four, without memory */
    say("Eight tokens in two segments of four.  Cut off from the first "
        "segment, the second computes something else (context fragmentation); "
        "with the first one's keys and values kept as memory and distances "
        "counted across the border, one layer gives what the whole would:");
    show("second segment alone, less the whole",
         segment_difference(alone, whole));
    expect("second segment with memory, less the whole",
           segment_difference(recurrent, whole), 0, IN_DOUBLE);
    say("Absolute positions that start again in each segment give token 1 of "
        "both the same vector (temporal confusion):");
    show("largest difference of the two vectors",
         difference(sinusoidal(1, 1, D), sinusoidal(1, 1, D)));
    claim("a segment alone does not", segment_difference(alone, whole) > 1e-2);
}

/* A published example with one key: (q . k + q . W_R R + u . k + v . W_R R) /
   sqrt(2), where W_R R = r. */
static void xl_example(void)
{
    locant_tensor q = VECTOR(1, 2), k = VECTOR(.5, -1);
    locant_tensor u = VECTOR(.1, .2), v = VECTOR(.3, -.1), r = VECTOR(.7, .4);
    locant_tensor tq = RESHAPED(q, 1, 1, 1, 2), tk = RESHAPED(k, 1, 1, 1, 2);
    /* R_0 = (sin 0, cos 0) = (0, 1), so that W_R R_0 = r */
    locant_tensor params[] = { RESHAPED(VECTOR(0, .7, 0, .4), 1, 2, 2),
                               RESHAPED(u, 1, 2), RESHAPED(v, 1, 2) };
    locant_tensor score =
        scores((locant_attention){ .q = &tq,
                                   .k = &tk,
                                   .v = &tk,
                                   .params = params,
                                   .encoding = encoding("transformer-xl") });

    table("terms", "term|reads|value");
    table_row("(a) q . k|both contents|%.4f", dot(q, k));
    table_row("(b) q . W_R R|content and distance|%.4f", dot(q, r));
    table_row("(c) u . k|key alone|%.4f", dot(u, k));
    table_row("(d) v . W_R R|distance alone|%.4f", dot(v, r));
    show("sum of the four / sqrt(2)",
         (dot(q, k) + dot(q, r) + dot(u, k) + dot(v, r)) / sqrt(2));
    expect("the library's score", *data(score), 0.0141421356, TEN_DIGITS);
}

/* Error of the library's four terms against loops: four tokens, a head of 4. */
static double xl_error(void)
{
    enum { T = 4, W = 4 };
    locant_random r = random_stream(2);
    locant_tensor q = NORMALS(&r, 1, 1, T, W), k = NORMALS(&r, 1, 1, T, W);
    locant_tensor W_R = NORMALS(&r, 1, W, W), u = NORMALS(&r, 1, W);
    locant_tensor v = NORMALS(&r, 1, W), p[] = { W_R, u, v };
    locant_tensor R = table_rows("sinusoidal(form=split)", 0, T, W, NULL);
    locant_tensor s =
        scores((locant_attention){ .q = &q,
                                   .k = &k,
                                   .v = &k,
                                   .params = p,
                                   .mask = LOCANT_MASK_CAUSAL,
                                   .encoding = encoding("transformer-xl") });
    double worst = 0;

    for (int i = 0; i < T; i++)
        for (int j = 0; j <= i; j++) {
            locant_tensor qi = row(q, i), kj = row(k, j), far = ZEROS(W);
            double sum;

            for (int d = 0; d < W; d++) /* W_R R_{i-j} */
                data(far)[d] = dot(row(W_R, d), row(R, i - j));
            sum = dot(qi, kj) + dot(qi, far) + dot(u, kj) + dot(v, far);
            worst = fmax(worst, fabs(sum / sqrt(W) - entry(s, i, j)));
        }
    return worst;
}

void s3_8_xl(void)
{
    const locant_encoding *e = encoding("transformer-xl");
    locant_sizes sizes = {
        .width = 410, .heads = 10, .kv_heads = 10, .head_dim = 41
    };
    locant_param_info p;

    say("Positions are not added to the input: each score is rewritten as four "
        "products, divided by sqrt(D).");
    xl_example();
    table("learned", "parameter|of|numbers (10 heads of 41)");
    for (int i = 0; locant_encoding_param(&p, e, i, &sizes); i++)
        table_row("%s|%s|%lld", p.name, p.dims, numbers_in(&p));
    mistake_in_words("E-3.1", "R_{i-j}", "a learned vector",
                     "a fixed sinusoid of the distance",
                     "W_R, u and v are learned; the sinusoid is defined for "
                     "distances beyond training, a learned vector is not.  The "
                     "key's matrix splits in two, W_{k,E} and W_{k,R}, and the "
                     "division by sqrt(D) is missing in the tutorial.");
    /* R to 2^-25 per entry, sums of 4 x 4 products of N(0, 1) numbers */
    expect("four terms by loops less library, 4 tokens", xl_error(), 0, 1e-6);
}

/* Workspace in bytes for attention over L tokens with T5. */
static double workspace(int64_t L)
{
    locant_tensor q = ZEROS_F32(1, 1, L, 64);
    locant_attention a = LOCANT_ATTENTION_INIT;
    size_t bytes;

    a.q = a.k = a.v = &q;
    a.encoding = encoding("t5");
    a.params = initial_params("t5", 64, 1);
    a.mask = LOCANT_MASK_CAUSAL;
    must(locant_attention_workspace(&bytes, &a));
    return bytes;
}

/* The first of 200 distances in each bucket of T5 from 16 on. */
static locant_tensor first_distances(void)
{
    locant_tensor bucket = t5_buckets(as_double(positions(0, 200)));
    locant_tensor first = ZEROS(32);

    for (int i = 199; i >= 0; i--)
        data(first)[(int)data(bucket)[i]] = i;
    return slice(first, 16, 16);
}

void s3_9_cost(void)
{
    const double L = 2048, width = 64;
    locant_tensor published = /* causal */
        VECTOR(16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113);

    say("For it: no length limit, distances mean the same across segments, "
        "long context.  Against it: more code, and cost:");
    table("cost", "method|array|bytes in float32 (L = 2048, D = 64)");
    table_row("naive Shaw|[L, L, D]|%.0f", 4 * L * L * width);
    table_row("Transformer-XL, shifted|[L, D]|%.0f", 4 * L * width);
    table_row("T5|[buckets]|%.0f", 4 * 32.);
    table_row(
        "locant, whole attention with T5|tiles and one row of biases|%.0f",
        workspace(2048));
    mistake("E-3.2", "bytes of Transformer-XL's relative part",
            4 * L * L * width, 4 * L * width,
            "One row for each distance is enough: O(L D).  O(L^2 D) is Shaw's "
            "form done naively.");
    say("Of all this T5 keeps one learned number for each head and range of "
        "distances.  Buckets from 16 on begin at:");
    expect_list("first distance of buckets 16 .. 31", "%.0f", first_distances(),
                published, 0);
    expect_count("learned numbers, 8 heads", learned_numbers("t5", 512, 8),
                 32 * 8);
    claim("locant's scratch grows less than L",
          workspace(8192) < 4 * workspace(2048));
}
