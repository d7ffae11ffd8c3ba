/*
 * test_content.c - encodings that read content, hooks and window tricks against
 * the numbers of their papers and of docs: scores, rows and distances.
 *
 * Scores come from real attention in double through a logarithm of a weight:
 * a few roundings of numbers below 10, 1e-14; printed numbers have ten digits.
 */
#include "content_case.h"

static const double printed = 5e-11, exact = 1e-13;

#define SIZES(...) ((const int64_t[6]){ __VA_ARGS__ }) /* H G T S D W */

/* ---------------------------------------------------- vectors by distance */

TEST(shaw_scores_queries_with_keys_and_their_vectors)
{
    static const double q[] = { 1, 0, 0, 1 }, k[] = { 1, 1, 0, 2 };
    static const double table[] = { .1, .2, .3, .4, .5, .6 };
    static const double want[] = { 0.9192388155, 0.3535533906, 0.8485281374,
                                   1.6970562748 };
    struct content_case *c =
        case_open("shaw(distance=1,values=no)", SIZES(1, 1, 2, 2, 2, 2));
    double s[4];

    c->a.mask = LOCANT_MASK_NONE;
    memcpy(c->q, q, sizeof(q));
    memcpy(c->k, k, sizeof(k));
    memcpy(case_param(c, "keys"), table, sizeof(table));
    case_scores(s, c);
    case_near(s, want, 4, printed, "score");
    case_close(c);
}

/* Scores that are the row's number: q = 1, k = 0, row m holds m. */
static void check_rows(const char *spec, const char *name, int64_t L,
                       const double *want)
{
    struct content_case *c = case_open(spec, SIZES(1, 1, L, L, 1, 1));
    double s[64], *table = case_param(c, name);

    c->a.mask = LOCANT_MASK_NONE;
    for (int64_t m = 0; m < case_count(&c->param[0]); m++)
        table[m] = (double)m;
    for (int64_t i = 0; i < L; i++)
        c->q[i] = 1;
    case_scores(s, c);
    case_near(s, want, L * L, exact, spec);
    case_close(c);
}

TEST(rows_are_those_of_the_papers)
{
    static const double shaw[] = { 2, 3, 4, 4, 1, 2, 3, 4,
                                   0, 1, 2, 3, 0, 0, 1, 2 };
    double turned[16];

    for (int i = 0; i < 16; i++)
        turned[i] = 4 - shaw[i];
    check_rows("shaw(distance=2,values=no)", "keys", 4, shaw);
    check_rows("relative(distance=2)", "table", 4, turned);
}

TEST(music_counts_rows_from_the_last)
{
    static const double want[] = { 2, -INFINITY, -INFINITY, -INFINITY,
                                   1, 2,         -INFINITY, -INFINITY,
                                   0, 1,         2,         -INFINITY,
                                   0, 0,         1,         2 };
    struct content_case *c =
        case_open("music(length=3)", SIZES(1, 1, 4, 4, 1, 1));
    double s[16];

    for (int i = 0; i < 4; i++)
        c->q[i] = 1;
    for (int i = 0; i < 3; i++)
        case_param(c, "table")[i] = i;
    case_scores(s, c);
    case_near(s, want, 16, exact, "score");
    case_close(c);
}

TEST(shaw_adds_vectors_to_values)
{
    struct content_case *c =
        case_open("shaw(distance=1)", SIZES(1, 1, 1, 3, 1, 1));

    for (int m = 0; m < 3; m++)
        case_param(c, "values")[m] = 10 + m;
    c->v[0] = 1, c->v[1] = 2, c->v[2] = 3;
    case_run(c); /* equal weights: mean of v and of rows 0 0 1 */
    case_is(c->out[0], 2 + 31.0 / 3, exact);
    case_close(c);
}

/* ----------------------------------------------------------- Transformer-XL */

TEST(transformer_xl_reads_a_split_sinusoid)
{
    static const double want[3][4] = {
        { 0.9092974268, 0.0199986667, -0.4161468365, 0.9998000067 },
        { 0.8414709848, 0.0099998333, 0.5403023059, 0.9999500004 },
        { 0, 0, 1, 1 },
    };

    for (int channel = 0; channel < 4; channel++) {
        struct content_case *c =
            case_open("transformer-xl", SIZES(1, 1, 1, 3, 1, 4));
        double s[3];

        case_param(c, "projection")[channel] = 1;
        case_param(c, "v")[0] = 1;
        case_scores(s, c);
        for (int j = 0; j < 3; j++)
            case_is(s[j], want[j][channel], printed);
        case_close(c);
    }
}

TEST(transformer_xl_has_four_terms)
{
    struct content_case *c =
        case_open("transformer-xl", SIZES(1, 1, 1, 1, 2, 2));
    double s;

    c->q[0] = 1, c->q[1] = 2;
    c->k[0] = .5, c->k[1] = -1;
    case_param(c, "u")[0] = .1, case_param(c, "u")[1] = .2;
    case_param(c, "v")[0] = .3, case_param(c, "v")[1] = -.1;
    /* R at distance 0 is [sin 0 | cos 0] = [0, 1]: the second column is r. */
    case_param(c, "projection")[1] = .7, case_param(c, "projection")[3] = .4;
    case_scores(&s, c);
    case_is(s, 0.0141421356, printed);
    case_close(c);
}

/* Score of distance n of the wave sin(n), by xlnet or transformer-xl. */
static void check_clamp(const char *spec, const double want[5])
{
    OWNED(content_case) *c = case_open(spec, SIZES(1, 1, 1, 5, 1, 2));
    double s[5];

    c->a.mask = LOCANT_MASK_NONE;
    c->q_pos[0] = 2;
    case_param(c, "projection")[0] = 1;
    case_param(c, "v")[0] = 1;
    case_scores(s, c);
    case_near(s, want, 5, exact, spec);
}

TEST(distances_are_held_to_the_clamp)
{
    const double past[] = { sin(1), sin(1), 0, -sin(1), -sin(2) };
    const double both[] = { sin(1), sin(1), 0, -sin(1), -sin(1) };

    check_clamp("transformer-xl(clamp=1)", past);
    check_clamp("xlnet(clamp=1)", both);
}

TEST(xlnet_tells_segments_apart)
{
    struct content_case *c =
        case_open("xlnet(segment=2)", SIZES(1, 1, 1, 4, 1, 2));
    static const double want[] = { 7 * 3, 7 * 3, 7 * 2, 7 * 2 };
    double s[4];

    c->q[0] = 5;
    case_param(c, "segment_bias")[0] = 2;
    case_param(c, "segments")[0] = 2, case_param(c, "segments")[1] = 3;
    case_scores(s, c);
    case_near(s, want, 4, exact, "score");
    case_close(c);
}

/* ------------------------------------------------------------------ DeBERTa */

TEST(deberta_rows_are_clipped_or_in_log_buckets)
{
    static const int64_t far[] = { 128, 129, 130, 131, 132,  200,  256, 300,
                                   400, 511, 512, 600, -132, -512, -600 };
    static const double bucket[] = { 128, 129, 130, 131, 131,  169,  192, 207,
                                     233, 255, 255, 255, -131, -256, -256 };
    struct content_case *c =
        case_open("deberta(version=2)", SIZES(1, 1, 1, LEN(far), 1, 1));
    double s[LEN(far)];

    c->a.mask = LOCANT_MASK_NONE;
    c->a.scale = 1;
    c->q_pos[0] = 0;
    c->q[0] = 1;
    for (size_t j = 0; j < LEN(far); j++)
        c->k_pos[j] = -far[j];
    for (int m = 0; m < 512; m++) /* small, so that no weight vanishes */
        case_param(c, "table")[m] = (m - 256) / 64.0;
    case_param(c, "key")[0] = 1;
    case_scores(s, c);
    for (size_t j = 0; j < LEN(far); j++)
        case_is(s[j] * sqrt(3) * 64, bucket[j], 1e-10);
    case_close(c);
}

/* Rows 2 1 0 0 / 3 2 1 0 / 3 3 2 1 / 3 3 3 2 of both terms, each / sqrt 3. */
TEST(deberta_uses_one_row_for_both_terms)
{
    static const double row[] = {
        2, 1, 0, 0, 3, 2, 1, 0, 3, 3, 2, 1, 3, 3, 3, 2
    };
    struct content_case *c =
        case_open("deberta(span=2)", SIZES(1, 1, 4, 4, 1, 1));
    double s[16];

    c->a.mask = LOCANT_MASK_NONE;
    c->a.scale = 1;
    for (int i = 0; i < 4; i++) {
        c->q[i] = 1, c->k[i] = 1;
        case_param(c, "table")[i] = i;
    }
    case_param(c, "key")[0] = 1, case_param(c, "query")[0] = .5;
    case_param(c, "query_bias")[0] = .25;
    case_scores(s, c);
    for (int i = 0; i < 16; i++)
        case_is(s[i], (1 + 1.5 * row[i] + .25) / sqrt(3), exact);
    case_close(c);
}

/* ----------------------------------------------------- gates and networks */

TEST(cope_counts_gates)
{
    static const double logit[] = { 0, 1, -1, 2 };
    static const double table[] = { 0, 0, .5, 0, 1, .25, 2, .5 };
    static const double added[] = { 1.0355978085, 0.7201992695, 0.5374346248,
                                    0.4403985390 };
    struct content_case *c =
        case_open("cope(length=4)", SIZES(1, 1, 1, 4, 2, 2));
    double s[4];

    c->a.scale = 1;
    c->q[0] = 1, c->q[1] = -1;
    for (int j = 0; j < 4; j++)
        c->k[2 * j] = logit[j];
    memcpy(case_param(c, "table"), table, sizeof(table));
    case_scores(s, c);
    for (int j = 0; j < 4; j++)
        case_is(s[j] - logit[j], added[j], printed);
    case_close(c);
}

TEST(fox_forgets_by_the_gates_between)
{
    static const double want[] = { -2.3196705556, -2.0064088681, -1.3132616875,
                                   0 };
    OWNED(content_case) *c = case_open("fox", SIZES(1, 1, 1, 4, 1, 1));
    double s[4];

    for (int j = 0; j < 4; j++)
        c->x[j] = 2 - j;
    case_param(c, "weight")[0] = 1;
    case_scores(s, c);
    case_near(s, want, 4, printed, "score");
    /* The same in another order of memory. */
    for (int j = 0; j < 4; j++) {
        c->k_pos[j] = 3 - j;
        c->x[j] = j - 1;
    }
    case_scores(s, c);
    for (int j = 0; j < 4; j++)
        case_is(s[j], want[3 - j], printed);
}

static double lrelu(double x)
{
    return x > 0 ? x : 0.01 * x;
}

TEST(dape_corrects_scores_and_bias_together)
{
    struct content_case *c =
        case_open("dape(hidden=1)+alibi", SIZES(1, 1, 1, 3, 1, 1));
    double s[3];

    c->q[0] = 1;
    c->k[0] = 3, c->k[1] = -2, c->k[2] = .5;
    case_param(c, "dape.w1")[0] = .7, case_param(c, "dape.w1")[1] = -300;
    case_param(c, "dape.b1")[0] = -1;
    case_param(c, "dape.w2")[0] = .3, case_param(c, "dape.b2")[0] = .2;
    case_scores(s, c);
    for (int j = 0; j < 3; j++) { /* one head: slope 2^-8 */
        double S = c->k[j], B = -(2 - j) / 256.0;

        case_is(s[j], S + B + .3 * lrelu(.7 * S - 300 * B - 1) + .2, exact);
    }
    case_close(c);
}

TEST(dape_2_convolves_along_visible_keys)
{
    static const double w1[] = { .5, -1, 2 }, w2[] = { .25, .5, -1 };
    struct content_case *c =
        case_open("dape(version=2,hidden=1)", SIZES(1, 1, 2, 4, 1, 1));
    double s[8], in[6] = { 0, .3, -.7, 1.1, 0, 0 }, y[5] = { 0 };

    memcpy(case_param(c, "w1"), w1, sizeof(w1));
    memcpy(case_param(c, "w2"), w2, sizeof(w2));
    case_param(c, "b1")[0] = .1;
    c->q[0] = c->q[1] = 1;
    for (int j = 0; j < 4; j++)
        c->k[j] = j < 3 ? in[j + 1] : 9; /* hidden from the first query */
    case_scores(s, c);
    for (int j = 1; j <= 3; j++)
        y[j] = lrelu(.1 + .5 * in[j - 1] - in[j] + 2 * in[j + 1]);
    for (int j = 1; j <= 3; j++)
        case_is(s[j - 1], in[j] + .25 * y[j - 1] + .5 * y[j] - y[j + 1], exact);
    assert_true(isinf(s[3]));
    case_close(c);
}

/* ------------------------------------------------------------ window tricks */

/*
 * Distance at which each key is seen by the last of S queries: with q = 1 and
 * k = 1 or i the score of one pair is cos d or sin d.  INFINITY: hidden.
 */
static void check_distances(const char *spec, int64_t S, const double *want)
{
    OWNED(content_case) *c = case_open(spec, SIZES(1, 1, 1, S, 2, 2));
    double s[16];

    c->a.scale = 1;
    c->q[0] = 1;
    for (int part = 0; part < 2; part++) {
        for (int64_t j = 0; j < S; j++) {
            c->k[2 * j + part] = 1;
            c->k[2 * j + 1 - part] = 0;
        }
        case_scores(s, c);
        for (int64_t j = 0; j < S; j++) {
            double d = isinf(want[j]) ? -INFINITY
                       : part == 0    ? cos(want[j])
                                      : sin(want[j]);

            case_near(&s[j], &d, 1, 1e-12, spec);
        }
    }
}

TEST(far_keys_are_seen_nearer)
{
    static const double rerope[] = { 4, 4, 4, 4, 3, 2, 1, 0 };
    static const double leaky[] = { 5.5, 5, 4.5, 4, 3, 2, 1, 0 };
    static const double grouped[] = { 5, 5, 4, 4, 3, 2, 1, 0 };
    static const double sinks[] = { 7,        6,        5,        4,
                                    INFINITY, INFINITY, INFINITY, INFINITY,
                                    3,        2,        1,        0 };
    static const double young[] = { 5, 4, 3, 2, 1, 0 };

    check_distances("rerope(window=4)", 8, rerope);
    check_distances("rerope(window=4,leak=2)", 8, leaky);
    check_distances("selfextend(group=2,window=4)", 8, grouped);
    check_distances("streaming(sinks=4,window=4)", 12, sinks);
    check_distances("streaming(sinks=4,window=4)", 6, young);
}

/* ------------------------------------------------------------ temperature */

static void check_temperature(const char *spec, int64_t position, double want)
{
    OWNED(content_case) *c = case_open(spec, SIZES(1, 1, 1, 1, 1, 1));
    double s;

    c->q[0] = 1, c->k[0] = 1;
    c->q_pos[0] = position;
    case_scores(&s, c);
    case_near(&s, &want, 1, printed, spec);
}

TEST(queries_grow_with_their_position)
{
    static const char ministral[] = "temperature(kind=ministral,floor=16384)";
    static const char logn[] = "temperature(kind=logn,length=512)";

    check_temperature("temperature", 8190, 1);
    check_temperature("temperature", 8191, 1.0693147181);
    check_temperature("temperature", 16382, 1.0693147181);
    check_temperature("temperature", 16383, 1.1098612289);
    check_temperature("temperature", 131071, 1.2833213344);
    check_temperature("temperature", 1000000, 1.4812184355);
    check_temperature(ministral, 16382, 1);
    check_temperature(ministral, 131071, 1.2079441542);
    check_temperature(ministral, 1000000, 1.4127134385);
    check_temperature(logn, 511, 1);
    check_temperature(logn, 512 * 512 - 1, 2);
}
