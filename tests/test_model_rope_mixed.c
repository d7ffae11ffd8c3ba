/* needs: lab */
/*
 * test_model_rope_mixed.c - rope-mixed as rope-vit starts it, in a model: x and
 * y of one head are cosine and sine of one angle.
 */
#include "test_model_run.h"

/* The parameter 'encoding_param' of layer 0. */
static const float *find(const struct lct_model *m, float *params, int which,
                         size_t *size)
{
    const struct lct_model_tensor *t;
    int n = lct_model_tensors(m, &t);

    for (int i = 0; i < n; i++)
        if (t[i].encoding_param == which && t[i].layer <= 0) {
            *size = t[i].size;
            return params + t[i].offset;
        }
    FAIL("no parameter %d\n", which);
    return NULL;
}

TEST(mixed_frequencies_have_their_length)
{
    OWNED(locant_encoding) *e = resolved("rope-mixed", LENGTH);
    struct lct_model_config c = small(e);
    struct lct_model *m;
    const float *x, *y;
    size_t n = 0, pairs;

    c.kv_heads = c.heads;
    CHECK_OK(lct_model_create(&m, &c, BATCH, LENGTH, true));
    CHECK_OK(lct_model_init(m, 11));
    x = find(m, lct_model_params(m), 0, &n);
    y = find(m, lct_model_params(m), 1, &n);
    pairs = n / (size_t)c.heads;
    /* Pair 0 of each head has length base^0; floats are off by 2^-23. */
    for (int64_t h = 0; h < c.heads; h++)
        CHECK(fabs(hypot(x[(size_t)h * pairs], y[(size_t)h * pairs]) - 1) <
              1e-6);
    lct_model_free(m);
}
