/*
 * test_content_rotations.c - rotations by the layer's input: only the order of
 * tokens matters, chunks and documents are calls of their own, refusals.
 */
#include "content_case.h"

enum { L = 5, H = 2, D = 4 };

static const double exact = 1e-13;

static const char *const moved[] = { "repo(base=100,hidden=2)", "carope",
                                     "selective-rope(bias=yes,gate=head)" };

static struct content_case *random_case(const char *spec)
{
    struct content_case *c =
        case_open(spec, (const int64_t[6]){ H, H, L, L, D, H * D });

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

/* out and dx of the last T queries of a text in float32, in one call. */
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

/* Sums and convolutions start anew: two documents are two calls. */
TEST(documents_are_calls_of_their_own)
{
    for (size_t n = 0; n < LEN(moved); n++) {
        struct content_case *c = random_case(moved[n]);
        int64_t docs[L] = { 0, 0, 1, 1, 1 };
        locant_tensor documents = DENSE(I64, docs, L);
        double with[H * L * D];

        c->a.q_docs = c->a.k_docs = &documents;
        case_run(c);
        memcpy(with, c->out, sizeof(with));
        c->a.q_docs = c->a.k_docs = NULL;
        memset(c->x, 0, (size_t)(2 * c->W) * sizeof(double));
        for (int64_t j = 0; j < 2; j++) /* the others do not see these keys */
            c->k_pos[j] = c->q_pos[j] = -100 + j;
        c->a.window = 50;
        if (strstr(moved[n], "selective") == NULL) { /* it reads x before */
            case_run(c);
            for (int64_t h = 0; h < H; h++)
                case_near(c->out + (h * L + 2) * D, with + (h * L + 2) * D,
                          3 * D, exact, moved[n]);
        }
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
