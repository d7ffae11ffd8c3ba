/*
 * test_content_inputs.c - encodings of the content door that read the layer's
 * input, keys or queries, against numbers computed from their formulas.
 */
#include "content_numbers.h"

/* -------------------------------------------------------------------- WavLM */

static struct content_case *wavlm_case(void)
{
    struct content_case *c = numbers_case("wavlm", H * D);

    for (int a = 0; a < 8; a++) {
        for (int d = 0; d < D; d++)
            case_param(c, "weight")[a * D + d] = 0.2 * sin(a + 0.5 * d);
        case_param(c, "bias")[a] = 0.1 * cos(a);
    }
    case_param(c, "constant")[0] = 1;
    case_param(c, "constant")[1] = 1.2;
    return c;
}

TEST(wavlm_gates_of_queries)
{
    static const double want[L] = { 1.7576301854, 1.7211219000, 1.6861872853,
                                    1.6561596546, 1.6345308059 };
    struct content_case *c = wavlm_case();
    double s[H * L * L];

    for (int64_t m = 0; m < case_count(&c->param[0]); m++)
        case_param(c, "table")[m] = 1; /* the bias is the gate */
    added(s, c);
    for (int i = 0; i < L; i++)
        case_is(s[i * L], want[i], printed);
    case_is(s[L * L], 1.8300062403, printed);
    case_close(c);
}

/* The bucket of r = p_j - p_i: the gate is 3/2 where its parameters are 0. */
TEST(wavlm_buckets)
{
    static const int64_t at[][2] = {
        { -800, 159 }, { -400, 135 }, { -200, 111 }, { -100, 87 },
        { -80, 80 },   { -79, 79 },   { 0, 0 },      { 1, 161 },
        { 79, 239 },   { 80, 240 },   { 100, 247 },  { 799, 319 },
    };

    for (size_t n = 0; n < LEN(at); n++) {
        OWNED(content_case) *c =
            case_open("wavlm", (const int64_t[6]){ 1, 1, 1, 2, 1, 1 });
        double s[2];

        c->a.mask = LOCANT_MASK_NONE;
        c->q_pos[0] = c->k_pos[1] = 1000;
        c->k_pos[0] = 1000 + at[n][0];
        for (int64_t m = 0; m < case_count(&c->param[0]); m++)
            case_param(c, "table")[m] = (double)m / 1024;
        case_scores(s, c);
        case_is(s[0], 1.5 * (double)at[n][1] / 1024, 1e-12);
    }
}

TEST(wavlm_needs_a_slice_for_each_head)
{
    OWNED(content_case) *c = numbers_case("wavlm", D);

    CHECK_REFUSED(
        locant_attention_reference(&c->tensor[4], &c->tensor[5], &c->a),
        LOCANT_ERR_SHAPE,
        "locant_attention_reference: x has width 4, expected 8: wavlm "
        "reads a slice of 4 channels for each of 2 heads");
}

/* ---------------------------------------------------------------------- FoX */

/* ln f of x and of -x: the gates of a token for the past and for the future. */
TEST(fox_has_gates_for_both_directions)
{
    OWNED(content_case) *c =
        case_open("fox(both=yes)", (const int64_t[6]){ 1, 1, 4, 4, 1, 1 });
    double s[16], past[4], future[4];

    c->a.mask = LOCANT_MASK_NONE;
    case_param(c, "weight")[0] = 1;
    case_param(c, "after_weight")[0] = -1;
    for (int t = 0; t < 4; t++) {
        c->x[t] = 2 - t;
        past[t] = -log1p(exp(-c->x[t]));
        future[t] = -log1p(exp(c->x[t]));
    }
    case_scores(s, c);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            double want = 0;

            for (int t = 0; t < 4; t++)
                want += t > j && t <= i   ? past[t]
                        : t > i && t <= j ? future[t]
                                          : 0;
            case_is(s[i * 4 + j], want, exact);
        }
}

/* ------------------------------------------------------------------- cosine */

TEST(cosine_of_query_and_key)
{
    struct content_case *c = numbers_case("cosine", D);
    double s[H * L * L];

    case_param(c, "log_scale")[0] = case_param(c, "log_scale")[1] = log(10);
    case_scores(s, c);
    case_is(s[(L + 4) * L + 1], 9.9846169621, 1e-9);
    case_param(c, "log_scale")[1] = 5; /* beyond ln 100 */
    case_scores(s, c);
    case_is(s[(L + 4) * L + 1], 99.84616962, 1e-8);
    case_close(c);
}

/* A query of zeros has scores 0 and, by the smallest norm, a gradient. */
TEST(cosine_of_zero)
{
    struct content_case *c = numbers_case("cosine", D);
    double s[H * L * L];

    memset(c->q, 0, sizeof(double) * H * L * D);
    case_scores(s, c);
    for (int j = 0; j < L; j++)
        case_is(s[4 * L + j], 0, exact);
    case_backward(c);
    for (int i = 0; i < H * L * D; i++)
        CHECK(isfinite(c->dq[i]));
    case_close(c);
}

/* ---------------------------------------------------------------- conformer */

/* q = 1: scores are <W R_n>, of the first sine alone: sin(n). */
static void check_conformer(const char *spec, const double n[9])
{
    struct content_case *c =
        case_open(spec, (const int64_t[6]){ 1, 1, 3, 3, 1, 2 });
    double s[9];

    c->a.mask = LOCANT_MASK_NONE;
    for (int i = 0; i < 3; i++)
        c->q[i] = 1;
    case_param(c, "projection")[0] = 1;
    case_scores(s, c);
    for (int i = 0; i < 9; i++)
        case_is(s[i], sin(n[i]), exact);
    case_close(c);
}

/* X[i][m] of ESPnet is the product with the sinusoid of n = T - 1 - m; its rows
 * 2 3 4 / 1 2 3 / 0 1 2 are distances 0 -1 -2 / 1 0 -1 / 2 1 0. */
TEST(conformer_shifts_to_both_sides)
{
    static const double shifted[9] = { 0, -1, -2, 1, 0, -1, 2, 1, 0 };
    static const double keys[9] = { 0, 1, 2, 0, 1, 2, 0, 1, 2 };

    check_conformer("conformer", shifted);
    check_conformer("conformer(form=none,length=3)", keys);
}

TEST(conformer_without_a_shift_ends)
{
    OWNED(content_case) *c = case_open("conformer(form=none,length=2)",
                                       (const int64_t[6]){ 1, 1, 3, 3, 1, 2 });

    CHECK_REFUSED(
        locant_attention_reference(&c->tensor[4], &c->tensor[5], &c->a),
        LOCANT_ERR_PARAM,
        "locant_attention_reference: position 2 (index 2) is outside "
        "the length of conformer, which has positions 0 to 1");
}

/* Channels 2c and 2c + 1 are the sine and cosine of one frequency. */
TEST(conformer_interleaves_the_sinusoid)
{
    for (int channel = 0; channel < 4; channel++) {
        OWNED(content_case) *c =
            case_open("conformer", (const int64_t[6]){ 1, 1, 1, 3, 1, 4 });
        double s[3];

        case_param(c, "projection")[channel] = 1;
        case_param(c, "v")[0] = 1;
        case_scores(s, c);
        for (int j = 0; j < 3; j++) {
            double n = (2 - j) * (channel < 2 ? 1 : 0.01);

            case_is(s[j], channel % 2 == 0 ? sin(n) : cos(n), exact);
        }
    }
}

/* ------------------------------------------------------------------ GRAPE-A */

static struct content_case *grape_case(const char *spec)
{
    struct content_case *c = numbers_case(spec, D);
    int both = strstr(spec, "both") != NULL;

    for (int h = 0; h < H; h++) {
        case_param(c, "slope")[h] = log(expm1(1));
        for (int d = 0; d < D; d++) {
            case_param(c, "key")[h * D + d] = cos(d + h);
            if (both)
                case_param(c, "query")[h * D + d] = sin(0.5 * d + h + 1);
        }
    }
    return c;
}

static void check_grape(const char *spec, const double bias[4],
                        const double out[D])
{
    struct content_case *c = grape_case(spec);
    double s[H * L * L];

    check_out(c, 0, 4, out);
    added(s, c);
    case_near(s + 4 * L, bias, 4, 1e-10, "bias");
    case_is(s[4 * L + 4], 0, exact);
    case_close(c);
}

TEST(grape_a_gates_slopes)
{
    static const double key[] = { -0.2095159059, -0.1498409479, -0.0946447867,
                                  -0.0446335805 };
    static const double both[] = { -0.4820252735, -0.3542229736, -0.2308994705,
                                   -0.1127609224 };
    static const double key_out[] = { 0.7116019294, 0.7516155877, 0.4381326908,
                                      -0.0814108566 };
    static const double both_out[] = { 0.7382374371, 0.7410559978, 0.3953443434,
                                       -0.1363039331 };

    check_grape("grape-a", key, key_out);
    check_grape("grape-a(gate=both)", both, both_out);
}
