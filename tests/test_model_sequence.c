/*
 * test_model_sequence.c - rows in several leaves against whole rows, in double:
 * loss and gradient, for every row of the registry.
 */
/* needs: lab model_f64 */
#include "testing.h"

#include "model/model.h"
#include "model_specs.h"
#include <math.h>
#include <stdlib.h>

enum { MOST = 512, VOCAB = 7, DRAW = 99 };

struct sizes {
    int64_t batch, leaves, length;
};

static struct lct_model *make(const locant_encoding *e, const struct sizes *s,
                              const struct lct_leaves *leaves)
{
    const struct lct_model_config c = {
        .layers = 2,
        .width = 16,
        .heads = 2,
        .kv_heads = 2,
        .ff = 8,
        .vocab = VOCAB,
        .norm = LCT_RMS_NORM,
        .leaves = *leaves,
        .encoding = e,
    };
    const int64_t rows = leaves->of_row > 1 ? leaves->all : s->batch;
    struct lct_model *m;

    CHECK_OK(lct_model_create(&m, &c, rows, s->length, true));
    return m;
}

/* Values for which everything matters, and no two are alike. */
static void spread(struct lct_model *m)
{
    const struct lct_model_tensor *list;
    const int n = lct_model_tensors(m, &list);
    real *p = lct_model_params(m);

    CHECK_OK(lct_model_init(m, test_seed()));
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < list[i].size && list[i].rate > 0; k++)
            p[list[i].offset + k] +=
                (list[i].encoding_param >= 0 ? 0.2 : 0.4) * test_uniform();
    lct_model_project(m);
}

/* ids in order of leaves */
static void order(int32_t *out, const int32_t *ids, const struct sizes *s)
{
    const int64_t n = s->leaves / s->batch, chunk = s->length / n;

    for (int64_t b = 0; b < s->batch; b++)
        for (int64_t j = 0; j < n; j++)
            memcpy(out + b * s->length + j * chunk,
                   ids + b * s->length +
                       (j % 2 ? n - 1 - j / 2 : j / 2) * chunk,
                   (size_t)chunk * sizeof *ids);
}

static double pass(struct lct_model *m, const int32_t *tokens,
                   const int32_t *targets, int64_t B, int64_t T)
{
    double mean;

    lct_model_draw(m, DRAW);
    CHECK_OK(lct_model_forward(m, tokens, targets, B, T, NULL, &mean));
    CHECK_OK(lct_model_backward(m));
    return mean;
}

/*
 * The same numbers in another order.  Each gradient is a sum over at most n =
 * 2^16 pairs of tokens; two sums of n terms differ by at most 2 n 2^-53 times
 * the sum of the sizes of their terms, which is taken to be at most 1000 times
 * the largest gradient of the tensor: 1.5e-8 of it.  Where terms cancel, as of
 * a constant that is added to all scores, they are at most as large as the
 * largest gradient of the model: 2 n 2^-53 = 1.5e-11 of that.
 */
static void compare(const char *spec, struct lct_model *got,
                    struct lct_model *want)
{
    const struct lct_model_tensor *x;
    double largest = 0;

    for (size_t i = 0; i < lct_model_size(want); i++)
        largest = fmax(largest, fabs(lct_model_grads(want)[i]));
    for (int k = lct_model_tensors(got, &x) - 1; k >= 0; k--) {
        const real *a = lct_model_grads(got) + x[k].offset;
        const real *b = lct_model_grads(want) + x[k].offset;
        double most = 0, off = 0;

        for (size_t i = 0; i < x[k].size; i++) {
            most = fmax(most, fabs(b[i]));
            off = fmax(off, fabs(a[i] - b[i]));
        }
        if (!(off <= 1.5e-8 * most + 1.5e-11 * largest))
            FAIL("%s: %s is off by %g of %g", spec, x[k].name, off, most);
    }
}

static void check(const char *spec, const locant_encoding *e,
                  const struct sizes *s)
{
    const int64_t n = s->leaves / s->batch;
    const struct lct_leaves none = { .all = 0 }, leaves = { .all = s->leaves,
                                                            .last = s->leaves,
                                                            .of_row = n };
    struct lct_model *whole = make(e, s, &none), *m = make(e, s, &leaves);
    int32_t ids[4][MOST];
    double want, loss;

    spread(whole);
    memcpy(lct_model_params(m), lct_model_params(whole),
           lct_model_size(m) * sizeof(real));
    for (int64_t i = 0; i < s->batch * s->length; i++) {
        ids[0][i] = (int32_t)test_range(0, VOCAB - 1);
        ids[1][i] = i % 5 == 3 ? -1 : (int32_t)test_range(0, VOCAB - 1);
    }
    order(ids[2], ids[0], s);
    order(ids[3], ids[1], s);
    want = pass(whole, ids[0], ids[1], s->batch, s->length);
    loss = pass(m, ids[2], ids[3], s->leaves, s->length / n);
    CHECK(fabs(loss - want) < 1e-12 * want);
    compare(spec, m, whole);
    lct_model_free(whole);
    lct_model_free(m);
}

/* Whether the encoding goes so far. */
static bool check_spec(const char *spec, const struct sizes *s)
{
    OWNED(locant_encoding) *given = test_create(spec);
    locant_encoding *e;
    bool far;

    CHECK_OK(locant_encoding_resolve(&e, given, s->length));
    far = locant_encoding_length_limit(e) >= s->length;
    if (far)
        check(spec, e, s);
    locant_encoding_free(e);
    return far;
}

/* Rows of the registry for pictures of 12 tokens end there.  Positions that are
   drawn from 64 have a test of their own. */
TEST(agrees_with_whole_rows)
{
    static const struct sizes few = { 1, 2, 128 }, more = { 1, 4, 256 };
    const char *spec;
    int checked = 0;

    for (size_t i = 0; (spec = model_spec(i)) != NULL; i++)
        if (strstr(spec, "(length=64)+") == NULL &&
            strstr(spec, "(length=64,chunks") == NULL)
            checked += check_spec(spec, i % 8 == 0 ? &more : &few);
    CHECK(checked > 80);
}

/* Whole numbers and real ones, for the input, the rotation and the score. */
TEST(rows_of_a_batch_draw_positions_together)
{
    static const struct sizes sizes = { 4, 8, 128 };
    static const char *const specs[] = {
        "randomized(length=512)+rope",
        "randomized(length=512)+sinusoidal",
        "randomized(length=512)+t5",
        "pose(length=512,chunks=2)+rope",
        "cape",
        "cape+rope",
    };

    for (size_t i = 0; i < LEN(specs); i++)
        CHECK(check_spec(specs[i], &sizes));
}
