/*
 * test_formula_tokens.c - formulas that read numbers of tokens, beside the
 * encodings that they restate: equal to the bit where both do the same
 * operations in double, else to one unit of float32.
 */
#include "content_case.h"

#define FOX   "formula(bias=c.q-c.k,c=scan(heads,map=linear,law=logsigmoid))"
#define CABLE "formula(bias=c.k-c.q,c=scan(heads,map=linear,law=softplus))"
#define GRAPE                                                                  \
    "formula(bias=-(n*m*softplus(w)*softplus(g.k)),"                           \
    "m=param(heads,init=slopes),w=param(heads),g=token(heads))"

enum { H = 2, L = 37, D = 4, W = 6 };

static struct content_case *open_case(const char *spec, int64_t width)
{
    return case_open(spec, (int64_t[]){ H, H, L, L, D, width });
}

static void copy_inputs(struct content_case *to, const struct content_case *c)
{
    const size_t n = H * L * D * sizeof(double);

    memcpy(to->q, c->q, n);
    memcpy(to->k, c->k, n);
    memcpy(to->v, c->v, n);
    memcpy(to->dout, c->dout, n);
}

/*
 * The same numbers, to the bit or (ulp) to one unit of float32.  Gradients of
 * scans are sums of up to L^2 gradients of scores of order 1, which may cancel:
 * they may be off by L^2 2^-53.
 */
static void same(const double *a, const double *b, int64_t n, int ulp,
                 const char *what)
{
    const double rounding = ldexp(L * L, -53);

    for (int64_t i = 0; i < n; i++)
        if (ulp ? !(test_ulp((float)a[i], b[i]) <= 1 ||
                    fabs(a[i] - b[i]) <= rounding)
                : a[i] != b[i])
            FAIL("%s[%lld]: %.17g and %.17g", what, (long long)i, a[i], b[i]);
}

/* Outputs, and gradients of queries, keys and values. */
static void same_attention(const struct content_case *a,
                           const struct content_case *b, int ulp)
{
    same(a->out, b->out, H * L * D, ulp, "out");
    same(a->lse, b->lse, H * L, ulp, "lse");
    same(a->dq, b->dq, H * L * D, ulp, "dq");
    same(a->dk, b->dk, H * L * D, ulp, "dk");
    same(a->dv, b->dv, H * L * D, ulp, "dv");
}

/* ------------------------------------------------------------- forget gates */

/* A formula of gates beside fox, whose parameters it has times 'sign'.  fox
 * sums ln f from the query back, a scan from the first token on. */
static void is_fox(const char *spec, double sign)
{
    OWNED(content_case) *f = open_case(spec, W);
    OWNED(content_case) *fox = open_case("fox", W);
    const int64_t size[2] = { H * W, H };

    case_random(fox);
    copy_inputs(f, fox);
    memcpy(f->x, fox->x, L * W * sizeof(double));
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < size[k]; i++)
            ((double *)f->param[k].data)[i] =
                sign * ((double *)fox->param[k].data)[i];
    case_run(fox);
    case_backward(fox);
    case_run(f);
    case_backward(f);
    same_attention(f, fox, 1);
    same(f->dx, fox->dx, L * W, 1, "dx");
    for (int k = 0; k < 2; k++) {
        for (int64_t i = 0; i < size[k]; i++)
            ((double *)f->dparam[k].data)[i] *= sign;
        same(f->dparam[k].data, fox->dparam[k].data, size[k], 1, "dparams");
    }
}

TEST(fox_is_a_formula)
{
    is_fox(FOX, 1);
}

/* Cable: minus softplus(y) is ln sigmoid(-y). */
TEST(cable_is_a_formula_and_fox_of_the_other_sign)
{
    is_fox(CABLE, -1);
}

/* --------------------------------------------------------- slopes and gates */

/* <a, b>, in the order of the library's double sums of 4 numbers. */
static double dot(const double *a, const double *b)
{
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

static void set_slopes(struct content_case *f)
{
    for (int h = 0; h < H; h++)
        case_param(f, "m")[h] = ldexp(1, -4 * (h + 1));
}

/* The caller computes the gates: <u, k> / (|u| sqrt(D)). */
static void set_gates(struct content_case *f, const struct content_case *grape)
{
    for (int h = 0; h < H; h++) {
        const double *u = (const double *)grape->param[1].data + h * D;

        for (int64_t j = 0; j < L; j++)
            f->x[j * H + h] = dot(u, grape->k + (h * L + j) * D) /
                              (sqrt(dot(u, u)) * sqrt((double)D));
    }
}

TEST(grape_a_by_key_is_a_formula)
{
    OWNED(content_case) *f = open_case(GRAPE, H);
    OWNED(content_case) *grape = open_case("grape-a", H * D);

    case_random(grape);
    copy_inputs(f, grape);
    set_slopes(f);
    set_gates(f, grape);
    memcpy(case_param(f, "w"), case_param(grape, "slope"), H * sizeof(double));
    case_run(grape);
    case_backward(grape);
    case_run(f);
    case_backward(f);
    /* grape-a passes the gates' gradient on to keys, the formula to x. */
    for (int h = 0; h < H; h++) {
        const double *u = (const double *)grape->param[1].data + h * D;

        for (int64_t j = 0; j < L; j++)
            for (int d = 0; d < D; d++)
                f->dk[(h * L + j) * D + d] +=
                    f->dx[j * H + h] * u[d] / (sqrt(dot(u, u)) * sqrt(4));
    }
    same(f->out, grape->out, H * L * D, 0, "out");
    same_attention(f, grape, 1);
    same(f->dparam[1].data, grape->dparam[0].data, H, 1, "dw");
}

/* The inputs of the printed values: 5 tokens, 2 heads of 4 channels. */
TEST(gates_of_keys_have_the_printed_attention)
{
    static const double want[D] = { 0.7116019294, 0.7516155877, 0.4381326908,
                                    -0.0814108566 };
    enum { TOKENS = 5 };
    OWNED(content_case) *f =
        case_open(GRAPE, (int64_t[]){ H, H, TOKENS, TOKENS, D, H });

    for (int h = 0; h < H; h++)
        for (int t = 0; t < TOKENS; t++) {
            double u[D], *k = f->k + (h * TOKENS + t) * D;

            for (int d = 0; d < D; d++) {
                int64_t at = (h * TOKENS + t) * D + d;

                f->q[at] = sin(0.1 * t + 0.3 * d + 0.7 * h);
                f->k[at] = cos(0.2 * t - 0.4 * d + 0.5 * h);
                f->v[at] = sin(0.5 * t + 0.7 * d + 0.2 * h);
                u[d] = cos(d + h);
            }
            f->x[t * H + h] = dot(u, k) / sqrt(dot(u, u)) / 2;
        }
    set_slopes(f);
    for (int h = 0; h < H; h++)
        case_param(f, "w")[h] = log(expm1(1)); /* softplus of it is 1 */
    case_run(f);
    case_near(f->out + 4 * D, want, D, 0.51e-10, "out");
}

/* -------------------------------------------------- which numbers they are */

/* Arrays without a map take channels in order: H of 'a', one of 'b', H of 'c';
 * the rest of x is not read. */
TEST(arrays_are_the_first_channels_of_x)
{
    enum { WIDE = 2 * H + 3 };
    OWNED(content_case) *f =
        open_case("formula(bias=a.k+10*b.k+100*c.k+0*(a.q*b.q),a=token(heads),"
                  "b=token(one),c=token(heads))",
                  WIDE);
    double s[H * L * L];

    for (int64_t t = 0; t < L; t++)
        for (int64_t w = 0; w < WIDE; w++)
            f->x[t * WIDE + w] = w > 2 * H ? NAN : 0.001 * (double)(t + 7 * w);
    case_scores(s, f);
    for (int h = 0; h < H; h++)
        for (int64_t j = 0; j < L; j++) {
            const double *x = f->x + j * WIDE;
            double got = s[(h * L + L - 1) * L + j];

            case_is(got, x[h] + 10 * x[H] + 100 * x[H + 1 + h], 1e-12);
        }
}

/* The last queries alone have the bits that they have among all. */
TEST(chunks_have_the_bits_of_the_whole)
{
    OWNED(content_case) *whole = open_case(FOX, W);
    OWNED(content_case) *part = case_open(FOX, (int64_t[]){ H, H, 3, L, D, W });

    case_random(whole);
    memcpy(part->k, whole->k, H * L * D * sizeof(double));
    memcpy(part->v, whole->v, H * L * D * sizeof(double));
    memcpy(part->x, whole->x, L * W * sizeof(double));
    for (int k = 0; k < 2; k++)
        memcpy(part->param[k].data, whole->param[k].data,
               (size_t)case_count(&whole->param[k]) * sizeof(double));
    for (int h = 0; h < H; h++)
        memcpy(part->q + h * 3 * D, whole->q + (h * L + L - 3) * D,
               3 * D * sizeof(double));
    case_run(whole);
    case_run(part);
    for (int h = 0; h < H; h++)
        same(part->out + h * 3 * D, whole->out + (h * L + L - 3) * D, 3 * D, 0,
             "out");
}

/* Keys after the query may hold anything: their gains are not computed. */
TEST(masked_tokens_leave_no_trace)
{
    OWNED(content_case) *f =
        open_case("formula(gain=1+log1p(d)*c.k,bias=-c.k,c=scan(one))", 1);

    case_random(f);
    for (int64_t i = 0; i < H * D; i++)
        f->dout[i / D * L * D + (L - 1) * D + i % D] = 0;
    f->x[L - 1] = NAN; /* only the last query sees it */
    case_run(f);
    for (int64_t i = 0; i < H; i++)
        for (int64_t n = 0; n < (L - 1) * D; n++)
            CHECK(isfinite(f->out[i * L * D + n]));
}

/* ----------------------------------------------------------------- refusals */

TEST(x_must_have_the_numbers)
{
    OWNED(content_case) *f =
        open_case("formula(bias=a.k*b.k,a=token(heads),b=scan(one))", H);

    CHECK_REFUSED(
        locant_attention_reference(&f->tensor[4], &f->tensor[5], &f->a),
        LOCANT_ERR_SHAPE,
        "locant_attention_reference: x has width 2, expected at least 3: "
        "formula reads its numbers of tokens there");
    f->a.x = NULL;
    CHECK_REFUSED(
        locant_attention_reference(&f->tensor[4], &f->tensor[5], &f->a),
        LOCANT_ERR_NULL,
        "locant_attention_reference: formula reads the input of its layer, x "
        "is NULL");
}
