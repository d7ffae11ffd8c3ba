/* test_model_run.h - trains a small float model, for the tests of models */
#ifndef TEST_MODEL_RUN_H
#define TEST_MODEL_RUN_H
#include "testing.h"

#include "model/model.h"
#include "nn/adamw.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 4, LENGTH = 24, ROWS = BATCH * LENGTH, VOCAB = 16 };

struct run {
    locant_encoding *encoding;
    struct lct_model *model;
    float *m, *v; /* moments of AdamW */
    int32_t words[ROWS + 1];
};

static inline struct lct_model_config small(const locant_encoding *e)
{
    return (struct lct_model_config){
        .layers = 2,
        .width = 32,
        .heads = 4,
        .kv_heads = 2,
        .ff = 48,
        .vocab = VOCAB,
        .norm = LCT_LAYER_NORM,
        .encoding = e,
    };
}

static inline locant_encoding *resolved(const char *spec, int64_t length)
{
    locant_encoding *given, *e;

    CHECK_OK(locant_encoding_create(&given, spec));
    CHECK_OK(locant_encoding_resolve(&e, given, length));
    locant_encoding_free(given);
    return e;
}

static inline void start(struct run *r, const char *spec)
{
    struct lct_model_config c;
    size_t n;

    r->encoding = resolved(spec, LENGTH);
    c = small(r->encoding);
    CHECK_OK(lct_model_create(&r->model, &c, BATCH, LENGTH, true));
    CHECK_OK(lct_model_init(r->model, 11));
    n = lct_model_size(r->model);
    r->m = calloc(n, sizeof(float));
    r->v = calloc(n, sizeof(float));
    CHECK(r->m != NULL && r->v != NULL);
    for (int i = 0; i <= ROWS; i++) /* period 7: the next word is certain */
        r->words[i] = (i * i % 7 + i % 7 * 2) % VOCAB;
}

static inline void finish(struct run *r)
{
    lct_model_free(r->model);
    locant_encoding_free(r->encoding);
    free(r->m);
    free(r->v);
}

/* Train steps from + 1 .. to; returns the loss before the last step. */
static inline double train(struct run *r, int from, int to)
{
    const struct lct_model_tensor *list;
    const int count = lct_model_tensors(r->model, &list);
    const size_t n = lct_model_size(r->model);
    float *p = lct_model_params(r->model), *g = lct_model_grads(r->model);
    double mean = 0.0;

    for (int step = from + 1; step <= to; step++) {
        const struct lct_adamw o = {
            lct_learning_rate(step, 200, 10, 1e-2, 0.1),
            0.9,
            0.95,
            1e-8,
            0.1,
            step,
        };

        CHECK_OK(lct_model_forward(r->model, r->words, r->words + 1, BATCH,
                                   LENGTH, NULL, &mean));
        memset(g, 0, n * sizeof(*g));
        CHECK_OK(lct_model_backward(r->model));
        lct_clip_norm(g, n, 1.0);
        for (int i = 0; i < count; i++) {
            size_t at = list[i].offset;

            lct_adamw_step(p + at, r->m + at, r->v + at, g + at, list[i].size,
                           list[i].decay, &o);
        }
        lct_model_project(r->model);
    }
    return mean;
}

static const char *const specs[] = {
    "none",  "learned", "sinusoidal", "rope",
    "alibi", "t5",      "kerple",     "kerple(kind=power)",
};
#endif
