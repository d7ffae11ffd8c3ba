/*
 * test_model_encodings.c - the gradient of the whole model, in double, against
 * differences, for every row of the registry and sums of several.
 */
/* needs: lab model_f64 */
#include "test_nn_gradient.h"

#include "model_specs.h"
#include "model/model.h"
#include <stdio.h>

enum { BATCH = 2, LENGTH = MODEL_TOKENS, VOCAB = 7, DRAW = 99 };

struct trial {
    const char *spec;
    locant_encoding *encoding;
    struct lct_model *model;
    int32_t tokens[BATCH * LENGTH], targets[BATCH * LENGTH];
};

/* Positions that are drawn are the same in every pass. */
static double mean_loss(void *data)
{
    struct trial *t = data;
    double mean;

    lct_model_draw(t->model, DRAW);
    CHECK_OK(lct_model_forward(t->model, t->tokens, t->targets, BATCH, LENGTH,
                               NULL, &mean));
    return mean;
}

/* Is tensor i learned?  Data of the task are not. */
static bool learns(const struct lct_model_tensor *t)
{
    return t->rate > 0;
}

/* Values for which everything matters, and no two are alike. */
static void spread_values(struct trial *t)
{
    const struct lct_model_tensor *list;
    real *p = lct_model_params(t->model);
    int n = lct_model_tensors(t->model, &list);

    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < list[i].size && learns(&list[i]); k++)
            p[list[i].offset + k] +=
                (list[i].encoding_param >= 0 ? 0.2 : 0.4) * test_uniform();
    lct_model_project(t->model);
}

static void make(struct trial *t, const char *spec)
{
    locant_encoding *given;
    struct lct_model_config c = {
        .layers = 2,
        .width = 16,
        .heads = 2,
        .kv_heads = 2,
        .ff = 8,
        .vocab = VOCAB,
        .norm = LCT_RMS_NORM,
    };

    t->spec = spec;
    given = test_create(spec);
    CHECK_OK(locant_encoding_resolve(&t->encoding, given, LENGTH));
    locant_encoding_free(given);
    c.encoding = t->encoding;
    CHECK_OK(lct_model_create(&t->model, &c, BATCH, LENGTH, true));
    CHECK_OK(lct_model_init(t->model, test_seed()));
    spread_values(t);
    for (int i = 0; i < BATCH * LENGTH; i++) {
        t->tokens[i] = (int32_t)test_range(0, VOCAB - 1);
        t->targets[i] = (int32_t)test_range(0, VOCAB - 1);
    }
    (void)mean_loss(t);
    CHECK_OK(lct_model_backward(t->model));
}

static void drop(struct trial *t)
{
    lct_model_free(t->model);
    locant_encoding_free(t->encoding);
}

/*
 * Of thousands of rectified units one may turn within the steps of 1e-5 that
 * slope_of() takes, and differences mean two slopes: try so close that it does
 * not, where rounding is 2^-52 |f| k / 2e-8, 2e-8 k: 1e-6 allows for k = 50.
 */
static bool agrees_closer(struct trial *t, const struct lct_model_tensor *x,
                          const double *v, double slope)
{
    const double h = 1e-8;
    real *p = lct_model_params(t->model) + x->offset;
    double numeric = (value_at(mean_loss, t, p, v, x->size, h) -
                      value_at(mean_loss, t, p, v, x->size, -h)) /
                     (2 * h);

    return fabs(slope - numeric) <= 1e-6;
}

/* One random direction of tensor i. */
static void check_direction(struct trial *t, const struct lct_model_tensor *x)
{
    real *p = lct_model_params(t->model) + x->offset;
    real *g = lct_model_grads(t->model) + x->offset;
    double *v = malloc(x->size * sizeof(*v)), slope = 0, size = 0, numeric;

    CHECK(v != NULL);
    for (size_t k = 0; k < x->size; k++) {
        v[k] = test_uniform();
        slope += g[k] * v[k];
        size += fabs(g[k] * v[k]);
    }
    numeric = slope_of(mean_loss, t, p, v, x->size);
    if (!gradient_agrees(slope, numeric, size) &&
        !agrees_closer(t, x, v, slope))
        FAIL("%s: %s: gradient says %.12g, differences say %.12g", t->spec,
             x->name, slope, numeric);
    free(v);
}

/*
 * May the gradient be nothing?  Where the last bias of a network adds the same
 * to all scores of a query, and in layers that use another encoding.
 */
static bool may_vanish(const char *spec, const char *tensor)
{
    static const struct {
        const char *spec, *tensor;
    } list[] = {
        { "crossformer", ".b3" },   { "dpb", ".b3" },
        { "fire", ".b2" },          { "dape", ".b2" },
        { "deberta", ".key_bias" }, { "layers", ".encoding." },
    };

    for (size_t i = 0; i < LEN(list); i++)
        if (strncmp(spec, list[i].spec, strlen(list[i].spec)) == 0 &&
            strstr(tensor, list[i].tensor) != NULL)
            return true;
    return false;
}

/* A gradient of nothing proves nothing. */
TEST(gradient_of_every_encoding)
{
    const char *spec;

    for (size_t i = 0; (spec = model_spec(i)) != NULL; i++) {
        const struct lct_model_tensor *list;
        FREED_BY(drop) struct trial t;
        int n;

        make(&t, spec);
        n = lct_model_tensors(t.model, &list);
        for (int k = 0; k < n; k++) {
            const real *g = lct_model_grads(t.model) + list[k].offset;
            double size = 0;

            if (!learns(&list[k]))
                continue;
            for (size_t j = 0; j < list[k].size; j++)
                size += fabs(g[j]);
            if (!(size > 1e-6) && !may_vanish(spec, list[k].name))
                FAIL("%s: %s: gradient of size %g", spec, list[k].name, size);
            check_direction(&t, &list[k]);
            if (list[k].encoding_param >= 0 && !TEST_SANITIZED)
                check_direction(&t, &list[k]);
        }
    }
}

/* Tensors of a spec by its parameters' names and layers. */
static int count(const struct trial *t, const char *name)
{
    const struct lct_model_tensor *list;
    int n = lct_model_tensors(t->model, &list), found = 0;

    for (int i = 0; i < n; i++)
        found += strcmp(list[i].name, name) == 0;
    return found;
}

TEST(layers_have_their_own_where_they_should)
{
    struct trial t;

    make(&t, "t5(buckets=8)");
    CHECK(count(&t, "encoding.table") == 1);
    drop(&t);
    make(&t, "t5(buckets=8,share=no)");
    CHECK(count(&t, "layer0.encoding.table") == 1);
    CHECK(count(&t, "layer1.encoding.table") == 1);
    CHECK(count(&t, "encoding.table") == 0);
    drop(&t);
    make(&t, "deberta(span=4)");
    CHECK(count(&t, "encoding.table") == 1);
    CHECK(count(&t, "layer0.encoding.key") == 1);
    CHECK(count(&t, "layer1.encoding.key") == 1);
    drop(&t);
}

/* Move every value of a tensor; how much does the loss change? */
static double effect(struct trial *t, int encoding_param, int layer)
{
    const struct lct_model_tensor *list;
    int n = lct_model_tensors(t->model, &list);
    double before = mean_loss(t), after;

    for (int i = 0; i < n; i++)
        if (list[i].encoding_param == encoding_param && list[i].layer == layer)
            for (size_t k = 0; k < list[i].size; k++)
                lct_model_params(t->model)[list[i].offset + k] +=
                    0.1 * (double)(k % 3);
    after = mean_loss(t);
    return fabs(after - before);
}

/* Of parameters that a layer does not use, the loss knows nothing. */
TEST(each_layer_uses_its_encoding)
{
    /* layer 0 is local, layer 1 global */
    static const char spec[] =
        "layers(local=kerple(share=no),global=fox,period=2)";
    enum { KERPLE_P, KERPLE_A, FOX_WEIGHT, FOX_BIAS };
    FREED_BY(drop) struct trial t;

    make(&t, spec);
    CHECK(effect(&t, KERPLE_A, 0) > 1e-9);
    CHECK(effect(&t, KERPLE_A, 1) == 0);
    CHECK(effect(&t, FOX_WEIGHT, 0) == 0);
    CHECK(effect(&t, FOX_WEIGHT, 1) > 1e-9);
    CHECK(effect(&t, FOX_BIAS, 0) == 0);
    CHECK(effect(&t, KERPLE_P, 1) == 0);
}
