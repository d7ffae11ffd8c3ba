/* test_train_norms.c - the norms of the gradient that training keeps */
/* needs: lab */
#define _GNU_SOURCE
#include "train_case.h"
#include <math.h>

/*
 * Of the first step: the model, its batch and the squares put together here.
 * Tolerance: float gradients by the same passes, whose sums in another order
 * are off by less than n 2^-24 of themselves, n < 10^4.
 */
static void check_first_step(const char *spec, bool has)
{
    OWNED(locant_store) *s = open_store("store");
    locant_train_options o = tiny(spec);
    struct lct_model_config c = { .layers = o.layers,
                                  .width = o.width,
                                  .heads = o.heads,
                                  .kv_heads = o.heads,
                                  .ff = o.ff,
                                  .vocab = LCT_VOCAB };
    const struct lct_model_tensor *t;
    const uint8_t *text = lct_corpus_split(corpus, LCT_TRAIN)->bytes;
    int32_t tokens[4 * 32], targets[4 * 32];
    double all = 0, own = 0;
    struct lct_metric *m;
    struct lct_model *model;
    locant_encoding *e;
    size_t starts[4], n;

    o.steps = 1;
    CHECK_OK(lct_store_read_metrics(&m, &n, s, train(s, &o)));
    e = test_create(spec);
    c.encoding = e;
    CHECK_OK(lct_model_create(&model, &c, 4, 32, true));
    CHECK_OK(lct_model_init(model, o.seed));
    lct_batch_starts(starts, 4, 32, lct_corpus_split(corpus, LCT_TRAIN), o.seed,
                     0);
    for (int i = 0; i < 4 * 32; i++) {
        tokens[i] = text[starts[i / 32] + (size_t)(i % 32)];
        targets[i] = text[starts[i / 32] + (size_t)(i % 32) + 1];
    }
    memset(lct_model_grads(model), 0, lct_model_size(model) * sizeof(real));
    CHECK_OK(lct_model_forward(model, tokens, targets, 4, 32, NULL, NULL));
    CHECK_OK(lct_model_backward(model));
    for (int k = lct_model_tensors(model, &t) - 1; k >= 0; k--)
        for (size_t i = 0; i < t[k].size; i++) {
            const double g = (double)lct_model_grads(model)[t[k].offset + i];

            all += g * g;
            own += strstr(t[k].name, "encoding.") ? g * g : 0;
        }
    CHECK(n == 1 && fabs(m[0].grad_norm / sqrt(all) - 1) < 1e-3);
    CHECK(has ? fabs(m[0].encoding_norm / sqrt(own) - 1) < 1e-3
              : own == 0 && isnan(m[0].encoding_norm));
    lct_model_free(model);
    locant_encoding_free(e);
    locant_release(m);
}

IN_SCRATCH(norms_are_of_all_and_of_the_encoding)
{
    check_first_step("t5", true);
    check_first_step("kerple+learned(length=32)", true);
    check_first_step("alibi", false);
}

/* A run says those of its last step, and the table has one row a step. */
IN_SCRATCH(a_run_knows_its_last_norms)
{
    OWNED(locant_store) *s = open_store("store");
    const locant_train_options o = tiny("t5");
    const int64_t id = train(s, &o);
    locant_run_info run;
    struct lct_metric *m;
    size_t n;

    CHECK_OK(locant_store_run(&run, s, id));
    CHECK_OK(lct_store_read_metrics(&m, &n, s, id));
    CHECK(n == (size_t)o.steps);
    CHECK(run.gradient_norm == m[n - 1].grad_norm);
    CHECK(run.encoding_gradient_norm == m[n - 1].encoding_norm);
    CHECK(m[n - 1].encoding_norm != m[0].encoding_norm);
    locant_release(m);
}

TEST_GROUP(make_corpus, free_corpus)
