/*
 * test_model.c - the gradient of the whole model, in double, against
 * differences, for every door an encoding can enter through.
 */
/* needs: model_f64 */
#include "test_nn_gradient.h"

#include "model/model.h"
#include <stdio.h>

enum { BATCH = 2, LENGTH = 9, VOCAB = 11 };

struct trial {
    locant_encoding *encoding;
    struct lct_model *model;
    int32_t tokens[BATCH * LENGTH], targets[BATCH * LENGTH];
};

static double mean_loss(void *data)
{
    struct trial *t = data;
    double mean;

    CHECK_OK(lct_model_forward(t->model, t->tokens, t->targets, BATCH, LENGTH,
                               NULL, &mean));
    return mean;
}

/*
 * Values for which everything matters: the initial weights, of 0.02, make each
 * layer nearly linear and its norms' gradients minute.
 */
static void spread_values(struct trial *t)
{
    const struct lct_model_tensor *list;
    real *p = lct_model_params(t->model);
    int n = lct_model_tensors(t->model, &list);

    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < list[i].size; k++) {
            real *x = &p[list[i].offset + k];

            if (list[i].encoding_param >= 0)
                *x += 0.1 * (1.0 + test_uniform());
            else if (list[i].rank == 1)
                *x += 0.3 * test_uniform();
            else
                *x += 0.6 * test_uniform();
        }
    lct_model_project(t->model);
}

static bool masked; /* every third target of a trial is not scored */

static void make(struct trial *t, const char *spec, int64_t kv_heads,
                 enum lct_norm norm)
{
    locant_encoding *given = test_create(spec);
    struct lct_model_config c = {
        .layers = 2,
        .width = 16,
        .heads = 4,
        .kv_heads = kv_heads,
        .ff = 24,
        .vocab = VOCAB,
        .norm = norm,
    };

    CHECK_OK(locant_encoding_resolve(&t->encoding, given, 16));
    locant_encoding_free(given);
    c.encoding = t->encoding;
    CHECK_OK(lct_model_create(&t->model, &c, BATCH, LENGTH, true));
    CHECK_OK(lct_model_init(t->model, test_seed()));
    spread_values(t);
    for (int i = 0; i < BATCH * LENGTH; i++) {
        t->tokens[i] = (int32_t)test_range(0, VOCAB - 1);
        t->targets[i] = (int32_t)test_range(0, VOCAB - 1);
        if (masked && i % 3 == 1)
            t->targets[i] = -1;
    }
    (void)mean_loss(t);
    CHECK_OK(lct_model_backward(t->model));
}

static void drop(struct trial *t)
{
    lct_model_free(t->model);
    locant_encoding_free(t->encoding);
}

static void check_model(const char *spec, int64_t kv_heads, enum lct_norm norm)
{
    const struct lct_model_tensor *list;
    FREED_BY(drop) struct trial t;
    int n;

    make(&t, spec, kv_heads, norm);
    n = lct_model_tensors(t.model, &list);
    for (int i = 0; i < n; i++) {
        char what[128];
        real *p = lct_model_params(t.model) + list[i].offset;
        real *g = lct_model_grads(t.model) + list[i].offset;
        double size = 0.0;

        snprintf(what, sizeof(what), "%s: %s", spec, list[i].name);
        for (size_t k = 0; k < list[i].size; k++)
            size += fabs(g[k]);
        if (size < 1e-4) /* a gradient of nothing proves nothing */
            FAIL("%s: gradient has size %g", what, size);
        check_gradient(what, mean_loss, &t, p, g, list[i].size);
    }
}

TEST(gradient_without_positions)
{
    check_model("none", 4, LCT_LAYER_NORM);
}

TEST(gradient_of_input_door)
{
    check_model("sinusoidal", 4, LCT_LAYER_NORM);
    check_model("learned(length=16)", 4, LCT_LAYER_NORM);
}

TEST(gradient_of_rotate_door)
{
    check_model("rope", 4, LCT_LAYER_NORM);
    check_model("rope(base=128,pairing=interleaved)", 4, LCT_LAYER_NORM);
}

TEST(gradient_of_score_door)
{
    check_model("alibi", 4, LCT_LAYER_NORM);
    check_model("t5", 4, LCT_LAYER_NORM);
    check_model("t5(buckets=4,distance=6)", 4, LCT_LAYER_NORM);
    check_model("kerple(kind=log)", 4, LCT_LAYER_NORM);
    check_model("kerple(kind=power)", 4, LCT_LAYER_NORM);
}

TEST(gradient_with_grouped_heads)
{
    check_model("rope", 2, LCT_LAYER_NORM);
    check_model("kerple", 1, LCT_LAYER_NORM);
}

TEST(gradient_with_rms_norm)
{
    check_model("none", 4, LCT_RMS_NORM);
    check_model("t5", 2, LCT_RMS_NORM);
}

TEST(gradient_where_some_are_not_scored)
{
    masked = true;
    check_model("t5", 1, LCT_RMS_NORM);
    masked = false;
}

/* Summed over the places of a word it is the gradient of its embedding. */
TEST(gradient_of_the_input)
{
    real got[BATCH * LENGTH * 16], *table;
    FREED_BY(drop) struct trial t;

    make(&t, "sinusoidal", 4, LCT_LAYER_NORM);
    CHECK_OK(lct_model_input_gradient(t.model, got));
    table = lct_model_grads(t.model); /* the embedding comes first */
    for (int v = 0; v < VOCAB; v++)
        for (int c = 0; c < 16; c++) {
            double sum = 0.0;

            for (int i = 0; i < BATCH * LENGTH; i++)
                if (t.tokens[i] == v)
                    sum += got[i * 16 + c];
            /* the same at most 18 terms, each below 1 */
            CHECK(fabs(sum - table[v * 16 + c]) <= 18 * 0x1p-52);
        }
    (void)mean_loss(&t);
    REFUSES(PARAM, lct_model_input_gradient(t.model, got),
            "the last pass was no backward");
}

/* Every tensor's check fails when its gradient is off by one in a million. */
TEST(check_notices_a_millionth)
{
    const struct lct_model_tensor *list;
    FREED_BY(drop) struct trial t;
    int n;

    make(&t, "t5", 2, LCT_LAYER_NORM);
    n = lct_model_tensors(t.model, &list);
    for (int i = 0; i < n; i++) {
        real *p = lct_model_params(t.model) + list[i].offset;
        real *g = lct_model_grads(t.model) + list[i].offset;
        double *v = calloc(list[i].size, sizeof(*v)), size = 0.0, numeric;

        CHECK(v != NULL);
        for (size_t k = 0; k < list[i].size; k++) {
            v[k] = g[k] < 0 ? -1.0 : 1.0; /* no term cancels another */
            size += fabs(g[k]);
        }
        numeric = slope_of(mean_loss, &t, p, v, list[i].size);
        if (!gradient_agrees(size, numeric, size))
            FAIL("%s: gradient %.12g, differences %.12g", list[i].name, size,
                 numeric);
        if (gradient_agrees(size * (1.0 + 1e-6), numeric, size))
            FAIL("%s: a gradient off by 1e-6 of %g passed", list[i].name, size);
        free(v);
    }
}

/* Backward adds: twice the same pass is twice the gradient. */
TEST(gradients_add_up)
{
    FREED_BY(drop) struct trial t;
    size_t n;
    real *once;

    make(&t, "t5", 4, LCT_LAYER_NORM);
    n = lct_model_size(t.model);
    once = malloc(n * sizeof(*once));
    CHECK(once != NULL);
    memcpy(once, lct_model_grads(t.model), n * sizeof(*once));
    (void)mean_loss(&t);
    CHECK_OK(lct_model_backward(t.model));
    for (size_t i = 0; i < n; i++) {
        double got = lct_model_grads(t.model)[i];

        /* sums onto a nonzero start round otherwise: 18 rows, 2 layers */
        CHECK(fabs(got - 2.0 * once[i]) <= 64 * 0x1p-53);
    }
    free(once);
}
