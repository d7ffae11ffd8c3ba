/* test_biases.c - several encodings of the score door in one sum */
#include "oracle/mixed.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEARNED                                                                \
    "formula(bias=-m*log1p(a*n),m=param(heads),a=param(heads,init=0.5))"

/* Parts with the score door, of a sum of these and perhaps others. */
static const struct {
    const char *sum, *part[3];
} sums[] = {
    { "t5+" LEARNED, { "t5", LEARNED } },
    { "alibi+kerple", { "alibi", "kerple" } },
    { "kerple+rope+alibi", { "kerple", "alibi" } },
    { "fire(hidden=4)+t5", { "fire(hidden=4)", "t5" } },
    { "sandwich(dim=8)+dpb(hidden=4)+rope",
      { "sandwich(dim=8)", "dpb(hidden=4)" } },
    { "formula(bias=-n/16,gain=1+n/99)+t5+alibi",
      { "formula(bias=-n/16,gain=1+n/99)", "t5", "alibi" } },
    { "t5+formula(bias=-m*n/(1+i*0.125),m=param(heads))",
      { "t5", "formula(bias=-m*n/(1+i*0.125),m=param(heads))" } },
};

enum { HEADS = 3, T = 4, S = 9, SIZE = HEADS * T * S, PARAMS = 8 };

/* Biases of an encoding, and gradients of its parameters. */
struct biases {
    locant_encoding *e;
    locant_tensor param[PARAMS], dparam[PARAMS];
    int params;
    double out[SIZE];
};

static int64_t q_pos[T] = { 3, 8, 4, 40 };
static int64_t k_pos[S] = { 0, 1, 3, 2, 8, 9, 17, 4, 40 };

static size_t bytes_of(const locant_tensor *t)
{
    size_t n = t->dtype == LOCANT_F64 ? sizeof(double) : sizeof(float);

    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    return n;
}

static void open_biases(struct biases *b, const char *spec)
{
    const locant_sizes sizes = { .heads = HEADS, .kv_heads = HEADS };
    locant_param_info info;

    *b = (struct biases){ .e = test_create(spec) };
    for (; locant_encoding_param(&info, b->e, b->params, &sizes); b->params++) {
        CHECK(b->params < PARAMS);
        b->param[b->params] = test_tensor(LOCANT_F64, info.rank, info.shape);
        b->dparam[b->params] = test_tensor(LOCANT_F64, info.rank, info.shape);
    }
}

static void close_biases(struct biases *b)
{
    for (int i = 0; i < b->params; i++) {
        test_tensor_free(&b->param[i]);
        test_tensor_free(&b->dparam[i]);
    }
    locant_encoding_free(b->e);
}

/* The index in a sum of the first parameter of a part, whose names are
 * "part.name" there. */
static int first_of(const struct biases *sum, const struct biases *part)
{
    const char *name = locant_encoding_info_of(part->e)->name;
    locant_param_info info;

    for (int i = 0; i < sum->params; i++) {
        CHECK(locant_encoding_param(&info, sum->e, i, NULL));
        if (strncmp(info.name, name, strlen(name)) == 0 &&
            info.name[strlen(name)] == '.')
            return i;
    }
    return 0;
}

static void compute(struct biases *b, const double *dout)
{
    locant_tensor d = DENSE(F64, (double *)dout, HEADS, T, S);

    for (int i = 0; i < b->params; i++)
        memset(b->dparam[i].data, 0, bytes_of(&b->dparam[i]));
    CHECK_OK(locant_encoding_bias(VIEW(F64, b->out, HEADS, T, S), b->e,
                                  VIEW(I64, q_pos, T), VIEW(I64, k_pos, S),
                                  b->param));
    CHECK_OK(locant_encoding_bias_backward(b->dparam, &d, b->e,
                                           VIEW(I64, q_pos, T),
                                           VIEW(I64, k_pos, S), b->param));
}

/* One sum: its bias is the sum of those of its parts in double, in their order;
 * each part has the gradients that it has alone. */
static void adds(const char *spec, const char *const part[3])
{
    double dout[SIZE], want[SIZE] = { 0 };
    struct biases sum;

    open_biases(&sum, spec);
    for (int i = 0; i < sum.params; i++)
        CHECK_OK(locant_encoding_param_init(&sum.param[i], sum.e, i, 7));
    for (int i = 0; i < SIZE; i++)
        dout[i] = test_uniform();
    compute(&sum, dout);
    for (int n = 0; n < 3 && part[n] != NULL; n++) {
        struct biases one;
        int first;

        open_biases(&one, part[n]);
        first = first_of(&sum, &one);
        for (int k = 0; k < one.params; k++)
            memcpy(one.param[k].data, sum.param[first + k].data,
                   bytes_of(&one.param[k]));
        compute(&one, dout);
        for (int i = 0; i < SIZE; i++)
            want[i] = n == 0 ? one.out[i] : want[i] + one.out[i];
        for (int k = 0; k < one.params; k++)
            if (memcmp(one.dparam[k].data, sum.dparam[first + k].data,
                       bytes_of(&one.dparam[k])) != 0)
                FAIL("%s: parameter %d of %s has another gradient", spec, k,
                     part[n]);
        close_biases(&one);
    }
    for (int i = 0; i < SIZE; i++)
        if (sum.out[i] != want[i])
            FAIL("%s: bias %d is %.17g, expected %.17g", spec, i, sum.out[i],
                 want[i]);
    close_biases(&sum);
}

TEST(biases_add)
{
    for (size_t i = 0; i < LEN(sums); i++)
        adds(sums[i].sum, sums[i].part);
}

/* ---------------------------------------------------------------- attention */

/* Prefill and decode, in tiles and by rows. */
TEST(attention_adds_them_too)
{
    static const int64_t queries[] = { TEST_SANITIZED ? 20 : 70, 3, 1 };

    for (size_t i = 0; i < LEN(sums); i++)
        for (size_t n = 0; n < LEN(queries); n++) {
            struct mixed m = { .spec = sums[i].sum,
                               .dtype = LOCANT_F32,
                               .mask = (locant_mask)(n % 2),
                               .T = queries[n],
                               .S = TEST_SANITIZED ? 70 : 131,
                               .D = 12 };

            mixed_make(&m);
            mixed_judge_fast(&m);
            mixed_free(&m);
        }
}

TEST(attention_has_their_gradients)
{
    for (size_t i = 0; i < LEN(sums); i++) {
        struct mixed m = { .spec = sums[i].sum,
                           .dtype = LOCANT_F64,
                           .mask = (locant_mask)(i % 2) };

        mixed_make(&m);
        mixed_judge_differences(&m);
        mixed_free(&m);
    }
}

/* The reference itself: a sum has the bits of its biases as a dense one, but
 * for the order of two additions. */
TEST(the_reference_adds_the_biases)
{
    static const char spec[] = "alibi+sandwich(dim=8)";
    struct mixed m = { .spec = spec,
                       .dtype = LOCANT_F64,
                       .mask = LOCANT_MASK_CAUSAL,
                       .B = 1,
                       .H = HEADS,
                       .G = HEADS,
                       .T = S,
                       .S = S,
                       .D = 4 };
    double bias[HEADS * S * S], *sum;
    int64_t pos[S];
    locant_tensor dense = DENSE(F64, bias, 1, HEADS, S, S);

    mixed_make(&m);
    for (int64_t i = 0; i < S; i++)
        pos[i] = i;
    CHECK_OK(locant_encoding_bias(VIEW(F64, bias, HEADS, S, S), m.a.encoding,
                                  VIEW(I64, pos, S), VIEW(I64, pos, S), NULL));
    CHECK_OK(locant_attention_reference(&m.out, &m.lse, &m.a));
    sum = malloc(bytes_of(&m.out));
    memcpy(sum, m.out.data, bytes_of(&m.out));
    m.a.encoding = NULL;
    m.a.params = NULL;
    m.a.bias = &dense;
    CHECK_OK(locant_attention_reference(&m.out, &m.lse, &m.a));
    for (int i = 0; i < HEADS * S * 4; i++)
        if (!(fabs(sum[i] - ((double *)m.out.data)[i]) <= 1e-14))
            FAIL("out %d is %.17g, expected %.17g", i, sum[i],
                 ((double *)m.out.data)[i]);
    free(sum);
    mixed_free(&m);
}

/* ----------------------------------------------------------------- refusals */

static void refused(const char *spec, const char *message)
{
    char whole[200];
    locant_encoding *e = NULL;

    snprintf(whole, sizeof(whole), "locant_encoding_create: %s", message);
    CHECK(locant_encoding_create(&e, spec) == LOCANT_ERR_PARAM && e == NULL);
    CHECK(!test_differs(locant_last_error(), whole));
}

TEST(what_does_not_add_is_refused)
{
    refused("alibi+alibi",
            "alibi and alibi both add to scores, expected one of them");
    refused("t5+formula(bias=-n)+formula(bias=-n*n)",
            "formula and formula both add to scores, expected one of them");
    refused("scale-invariant+formula(gain=1+n)",
            "scale-invariant and formula both multiply scores, expected one of "
            "them");
    refused("urpe+formula(bias=-n,after=1+n)",
            "urpe and formula both multiply weights by distance, expected one "
            "of them");
    refused("scale-invariant+formula(gain=1+s)",
            "scale-invariant and formula both multiply scores, expected one of "
            "them");
}

/* Whichever allocation fails, there is no encoding and nothing leaks. */
TEST(runs_out_of_memory_cleanly)
{
    locant_status status = LOCANT_ERR_NOMEM;

    for (long k = 1; status != LOCANT_OK; k++) {
        locant_encoding *e = NULL;

        test_memory_fail(k);
        status = locant_encoding_create(&e, sums[0].sum);
        CHECK(status == LOCANT_OK || (status == LOCANT_ERR_NOMEM && e == NULL));
        locant_encoding_free(e);
        CHECK(test_memory_held() == 0);
    }
    CHECK(test_memory_asked() > 5);
    test_memory_end();
}
