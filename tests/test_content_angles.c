/*
 * test_content_angles.c - rotations by angles made of the layer's input, and
 * PaTH, against numbers computed from their formulas, and what follows from
 * these: shifts, chunks, documents.
 */
#include "content_numbers.h"

/* ------------------------------------------------------------- token angles */

static struct content_case *repo_case(void)
{
    struct content_case *c = numbers_case("repo(base=100,hidden=2)", D);

    for (int a = 0; a < 2; a++)
        for (int w = 0; w < D; w++) {
            case_param(c, "gate")[a * D + w] = 0.5 * cos(a + 0.3 * w);
            case_param(c, "content")[a * D + w] =
                0.5 * sin(0.4 * a - 0.2 * w + 0.1);
        }
    for (int h = 0; h < H; h++)
        for (int a = 0; a < 2; a++)
            case_param(c, "position")[h * 2 + a] = cos(h + a);
    return c;
}

TEST(repo_has_the_numbers_of_its_formula)
{
    static const double out[] = { 0.6948241273, 0.7605420477, 0.4685651593,
                                  -0.0437852450 };
    static const double dw[] = { -0.0175565593, -0.0057597459, 0.0002366520,
                                 0.0006437593 };
    struct content_case *c = repo_case();

    check_out(c, 1, 4, out);
    case_backward(c);
    case_near(c->dparam[2].data, dw, 4, printed, "dw");
    case_close(c);
}

/* Where r does not depend on the input, all positions of a head are equal: the
 * rotations cancel. */
TEST(equal_positions_are_no_encoding)
{
    struct content_case *c = repo_case(), *plain = numbers_case("none", D);

    for (int64_t i = 0; i < c->S * c->W; i++)
        c->x[i] = 1;
    case_run(plain);
    case_run(c);
    case_near(c->out, plain->out, H * L * D, exact, "out");
    case_close(plain);
    case_close(c);
}

TEST(carope_has_the_numbers_of_its_formula)
{
    static const double out[] = { 0.8706998683, 0.6269928014, 0.0884012230,
                                  -0.4917668319 };
    struct content_case *c = numbers_case("carope", D);

    for (int h = 0; h < H; h++)
        for (int w = 0; w < D; w++)
            case_param(c, "weight")[h * D + w] = 0.3 * cos(w + h);
    check_out(c, 1, 4, out);
    case_backward(c);
    case_is(((double *)c->dparam[0].data)[D], 0.1298920077, printed);
    case_close(c);
}

/*
 * Steps w[h,t,c] = 0.2 + 0.1 sin(t + c + h): slices 1e4 (sin t, cos t, 0, 0)
 * and (1e4, 0, 0, 0) of x are normalised, the second layer has the addition
 * theorem, and the bias is ln 0.2.  So the gradient of up[h,c] is the sum of
 * dw[h,t,c] times the first slice, that of the bias the sum of 0.2 dw[h,t,c].
 */
TEST(selective_rope_has_the_numbers_of_its_formula)
{
    static const double out[] = { 0.7209955161, 0.7565637621, 0.4363082490,
                                  -0.0891498510 };
    static const double dw[L] = { 0, 0.0273134348, -0.0459274349, -0.0556235924,
                                  -0.0440319761 };
    struct content_case *c =
        numbers_case("selective-rope(bias=yes,base=100,rank=2)", H * D);
    double up[2] = { 0, 0 }, bias = 0;

    memset(c->x, 0, (size_t)(L * H * D) * sizeof(double));
    for (int t = 0; t < L; t++) {
        double *x = c->x + t * H * D;

        x[0] = 1e4 * sin(t);
        x[1] = 1e4 * cos(t);
        x[D] = 1e4;
        up[0] += dw[t] * sin(t);
        up[1] += dw[t] * cos(t);
        bias += 0.2 * dw[t];
    }
    case_param(c, "down")[0] = case_param(c, "down")[H * D + 1] = 1;
    for (int i = 0; i < 4; i++) { /* head i / 2, pair i % 2 */
        case_param(c, "up")[2 * i] = 0.1 * cos(i / 2 + i % 2);
        case_param(c, "up")[2 * i + 1] = 0.1 * sin(i / 2 + i % 2);
        case_param(c, "conv")[4 * i + 3] = 1; /* the token itself */
        case_param(c, "bias")[i] = log(0.2);
    }
    check_out(c, 1, 4, out);
    case_backward(c);
    /* sums of five printed numbers */
    case_near((double *)c->dparam[1].data + 4, up, 2, 5 * printed, "dup");
    case_is(((double *)c->dparam[3].data)[2], bias, 5 * printed);
    case_close(c);
}

/* With steps of 1 the angles are those of rope. */
TEST(selective_rope_with_steps_of_1_is_rope)
{
    struct content_case *c =
        numbers_case("selective-rope(bias=yes,base=100)", H * D);
    struct content_case *rope = numbers_case("rope(base=100)", D);

    case_run(rope);
    case_run(c); /* parameters are 0: e^0 = 1 */
    case_near(c->out, rope->out, H * L * D, exact, "out");
    case_close(rope);
    case_close(c);
}

/* --------------------------------------------------------------------- PaTH */

/* The a of at least -1 with silu(a) = v. */
static double inverse_silu(double v)
{
    double low = -1, high = 10;

    for (int n = 0; n < 80; n++) {
        double a = (low + high) / 2;

        *(a / (1 + exp(-a)) < v ? &low : &high) = a;
    }
    return low;
}

/*
 * x picks a column of the second layer for each token, so that w and b are any
 * numbers: w = v / sqrt(v.v + 1e-6) has v of length 1/4, which SiLU reaches,
 * and b makes up for the 1e-6.
 */
static struct content_case *path_case(void)
{
    struct content_case *c = numbers_case("path(rank=5,kernel=1)", H * D);

    memset(c->x, 0, (size_t)(L * H * D) * sizeof(double));
    for (int t = 0; t < L; t++)
        c->x[t * H * D + t] = case_param(c, "down")[t * H * D + t] = 1;
    for (int h = 0; h < H; h++)
        for (int t = 0; t < L; t++) {
            double b = (1 + 0.5 * sin(t + h)) * (1 + 16e-6), w[D], sum = 0;

            case_param(c, "beta")[h * H * D + t] = log(b / (2 - b));
            for (int d = 0; d < D; d++) {
                w[d] = sin(0.7 * t + 0.9 * d + 0.2 + h);
                sum += w[d] * w[d];
            }
            for (int d = 0; d < D; d++) {
                case_param(c, "up")[(h * D + d) * L + t] =
                    inverse_silu(w[d] / sqrt(sum) / 4);
                case_param(c, "conv")[h * D + d] = 1;
            }
        }
    return c;
}

TEST(path_has_the_numbers_of_its_formula)
{
    static const double S[] = { 0.7632703344, 0.7454203150, 1.4523708245,
                                2.4751598055, 2.6259847723 };
    static const double out[] = { 0.7883398338, 0.6381174004, 0.1877783827,
                                  -0.3508757425 };
    struct content_case *c = path_case();
    double s[H * L * L];

    check_out(c, 1, 4, out);
    case_scores(s, c);
    for (int j = 0; j < L; j++)
        case_is(s[(L + 4) * L + j], S[j] / 2, printed);
    case_close(c);
}

/* ----------------------------------------------------- what follows for all */

static const char *const moved[] = { "repo(base=100,hidden=2)", "carope",
                                     "selective-rope(bias=yes,gate=head)" };

static struct content_case *random_case(const char *spec)
{
    struct content_case *c = numbers_case(spec, H * D);

    case_random(c);
    return c;
}

/* Positions shifted by 1000, and keys in another order of memory. */
TEST(only_the_order_of_tokens_matters)
{
    for (size_t n = 0; n < LEN(moved); n++) {
        struct content_case *c = random_case(moved[n]);
        double before[H * L * D];

        case_run(c);
        memcpy(before, c->out, sizeof(before));
        for (int i = 0; i < L; i++) {
            c->q_pos[i] = 1000 + 7 * i;
            c->k_pos[i] = 1000 + 7 * i;
        }
        case_run(c);
        case_near(c->out, before, H * L * D, exact, moved[n]);
        case_close(c);
    }
}

/* out of the last T queries of a text in float32, in one call. */
static void run_last(float *out, const struct content_case *c, int64_t T)
{
    const int64_t q[4] = { 1, H, T, D }, k[4] = { 1, H, L, D };
    const int64_t x[3] = { 1, L, c->W }, lse[3] = { 1, H, T };
    enum { MOST = H * L * D };
    float Q[MOST], K[MOST], V[MOST], X[L * H * D], sums[H * L];
    locant_tensor tq = locant_dense(Q, LOCANT_F32, 4, q);
    locant_tensor tk = locant_dense(K, LOCANT_F32, 4, k);
    locant_tensor tv = locant_dense(V, LOCANT_F32, 4, k);
    locant_tensor tx = locant_dense(X, LOCANT_F32, 3, x);
    locant_tensor to = locant_dense(out, LOCANT_F32, 4, q);
    locant_tensor tl = locant_dense(sums, LOCANT_F32, 3, lse);
    locant_attention a = LOCANT_ATTENTION_INIT;
    size_t bytes;
    void *workspace;

    for (int64_t i = 0; i < H * T * D; i++)
        Q[i] = (float)c->q[(i / (T * D) * L + L - T) * D + i % (T * D)];
    for (int i = 0; i < MOST; i++) {
        K[i] = (float)c->k[i];
        V[i] = (float)c->v[i];
    }
    for (int64_t i = 0; i < L * c->W; i++)
        X[i] = (float)c->x[i];
    a.q = &tq;
    a.k = &tk;
    a.v = &tv;
    a.x = &tx;
    a.encoding = c->e;
    a.params = c->params > 0 ? c->param : NULL;
    a.mask = LOCANT_MASK_CAUSAL;
    CHECK_OK(locant_attention_workspace(&bytes, &a));
    workspace = malloc(bytes + 1);
    assert_non_null(workspace);
    CHECK_OK(locant_attention_forward(&to, &tl, &a, workspace, bytes));
    free(workspace);
}

TEST(a_chunk_has_the_bits_of_the_whole)
{
    for (size_t n = 0; n < LEN(moved); n++) {
        struct content_case *c = random_case(moved[n]);
        float whole[H * L * D], part[H * L * D];

        run_last(whole, c, L);
        for (int64_t T = 1; T < L; T++) {
            run_last(part, c, T);
            for (int64_t h = 0; h < H; h++)
                assert_memory_equal(part + h * T * D,
                                    whole + ((h + 1) * L - T) * D,
                                    (size_t)(T * D) * sizeof(float));
        }
        case_close(c);
    }
}

/* Tokens first .. end - 1 of the problem, in a call of their own. */
static void run_alone(struct content_case *c, const char *spec, int64_t first,
                      int64_t end)
{
    const int64_t n = end - first;
    struct content_case *own =
        case_open(spec, (const int64_t[6]){ H, H, n, n, D, c->W });
    double *const to[] = { own->q, own->k, own->v };
    const double *const from[] = { c->q, c->k, c->v };

    for (int i = 0; i < 3; i++)
        for (int64_t h = 0; h < H; h++)
            memcpy(to[i] + h * n * D, from[i] + (h * L + first) * D,
                   (size_t)(n * D) * sizeof(double));
    memcpy(own->x, c->x + first * c->W, (size_t)(n * c->W) * sizeof(double));
    for (int i = 0; i < c->params; i++)
        memcpy(own->param[i].data, c->param[i].data,
               (size_t)case_count(&c->param[i]) * sizeof(double));
    case_run(own);
    for (int64_t h = 0; h < H; h++)
        case_near(c->out + (h * L + first) * D, own->out + h * n * D, n * D,
                  exact, spec);
    case_close(own);
}

/* Sums and convolutions start anew: two documents are two calls. */
TEST(documents_are_calls_of_their_own)
{
    for (size_t n = 0; n < LEN(moved); n++) {
        struct content_case *c = random_case(moved[n]);
        int64_t docs[L] = { 0, 0, 1, 1, 1 };
        locant_tensor documents = DENSE(I64, docs, L);

        c->a.q_docs = c->a.k_docs = &documents;
        case_run(c);
        run_alone(c, moved[n], 0, 2);
        run_alone(c, moved[n], 2, L);
        case_close(c);
    }
}

TEST(rotations_by_inputs_refuse_what_they_cannot_do)
{
    OWNED(content_case) *c =
        case_open("carope", (const int64_t[6]){ 2, 1, 1, 1, 4, 8 });
    OWNED(content_case) *odd =
        case_open("carope", (const int64_t[6]){ 1, 1, 1, 1, 3, 3 });
    locant_encoding *e;

    CHECK_REFUSED(
        locant_attention_reference(&c->tensor[4], &c->tensor[5], &c->a),
        LOCANT_ERR_SHAPE,
        "locant_attention_reference: q has 2 heads, k has 1, expected "
        "as many: 'weight' of carope has a row for each");
    CHECK_REFUSED(
        locant_attention_reference(&odd->tensor[4], &odd->tensor[5], &odd->a),
        LOCANT_ERR_SHAPE,
        "locant_attention_reference: heads have 3 channels, expected an even "
        "number to rotate in pairs");
    c->a.flags = LOCANT_ATTENTION_KEYS_ROTATED;
    CHECK_REFUSED(
        locant_attention_reference(&c->tensor[4], &c->tensor[5], &c->a),
        LOCANT_ERR_UNSUPPORTED,
        "locant_attention_reference: carope rotates each key by its "
        "input, expected keys not rotated yet");
    CHECK_REFUSED(
        locant_encoding_create(&e, "repo+rope"), LOCANT_ERR_PARAM,
        "locant_encoding_create: repo and rope both rotate queries and "
        "keys, expected one of them");
}
