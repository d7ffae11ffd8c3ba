/*
 * test_model_each.c - the float model with every row of the registry: the same
 * bits for any number of threads, nothing allocated in a step, and positions
 * that are drawn again alike.
 */
/* needs: lab */
#include "testing.h"

#include "model/model.h"
#include "model_specs.h"
#include "nn/adamw.h"
#include <stdlib.h>

enum { BATCH = 3, LENGTH = MODEL_TOKENS, ROWS = BATCH * LENGTH, VOCAB = 11 };

struct run {
    const char *spec;
    locant_encoding *encoding;
    struct lct_model *model;
    float *m, *v;
    int32_t words[ROWS + 1];
};

static void start(struct run *r, const char *spec)
{
    struct lct_model_config c = {
        .layers = 2,
        .width = 16,
        .heads = 2,
        .kv_heads = 2,
        .ff = 16,
        .vocab = VOCAB,
    };
    locant_encoding *given;
    size_t n;

    r->spec = spec;
    given = test_create(spec);
    CHECK_OK(locant_encoding_resolve(&r->encoding, given, LENGTH));
    locant_encoding_free(given);
    c.encoding = r->encoding;
    CHECK_OK(lct_model_create(&r->model, &c, BATCH, LENGTH, true));
    CHECK_OK(lct_model_init(r->model, 5));
    n = lct_model_size(r->model);
    r->m = calloc(n, sizeof *r->m);
    r->v = calloc(n, sizeof *r->v);
    CHECK(r->m != NULL && r->v != NULL);
    for (int i = 0; i <= ROWS; i++)
        r->words[i] = (i * i % 7 + i % 5 * 2) % VOCAB;
}

static void finish(struct run *r)
{
    lct_model_free(r->model);
    locant_encoding_free(r->encoding);
    free(r->m);
    free(r->v);
}

static void step(struct run *r, int number)
{
    const struct lct_model_tensor *list;
    const int count = lct_model_tensors(r->model, &list);
    const size_t n = lct_model_size(r->model);
    float *p = lct_model_params(r->model), *g = lct_model_grads(r->model);

    lct_model_draw(r->model, (uint64_t)number);
    CHECK_OK(lct_model_forward(r->model, r->words, r->words + 1, BATCH, LENGTH,
                               NULL, NULL));
    memset(g, 0, n * sizeof *g);
    CHECK_OK(lct_model_backward(r->model));
    for (int i = 0; i < count; i++) {
        const struct lct_adamw o = {
            1e-2 * list[i].rate, .9, .95, 1e-8, .1, number
        };
        size_t at = list[i].offset;

        lct_adamw_step(p + at, r->m + at, r->v + at, g + at, list[i].size,
                       list[i].decay, &o);
    }
    lct_model_project(r->model);
}

static void steps(struct run *r, int from, int to)
{
    for (int k = from + 1; k <= to; k++)
        step(r, k);
}

TEST(same_bits_with_any_threads)
{
    const char *spec;

    for (size_t i = 0; (spec = model_spec(i)) != NULL; i++) {
        struct run one, more;
        size_t bytes;

        CHECK_OK(locant_set_threads(1));
        start(&one, spec);
        steps(&one, 0, 3);
        for (int threads = 2; threads <= 3; threads++) {
            CHECK_OK(locant_set_threads(threads));
            start(&more, spec);
            steps(&more, 0, 3);
            bytes = lct_model_size(one.model) * sizeof(float);
            if (memcmp(lct_model_params(one.model),
                       lct_model_params(more.model), bytes) != 0)
                FAIL("%s: other bits with %d threads", spec, threads);
            finish(&more);
        }
        finish(&one);
    }
    CHECK_OK(locant_set_threads(0));
}

/* Given data stay as they are; everything else moves. */
TEST(steps_move_what_is_learned)
{
    const char *spec;

    for (size_t i = 0; (spec = model_spec(i)) != NULL; i++) {
        const struct lct_model_tensor *list;
        struct run r, before;
        int n;

        start(&before, spec);
        start(&r, spec);
        steps(&r, 0, 2);
        n = lct_model_tensors(r.model, &list);
        for (int k = 0; k < n; k++) {
            bool moved = memcmp(lct_model_params(r.model) + list[k].offset,
                                lct_model_params(before.model) + list[k].offset,
                                list[k].size * sizeof(float)) != 0;

            /* a layer of layers(..) may not use it */
            if (moved && list[k].rate == 0)
                FAIL("%s: %s is data and moved", spec, list[k].name);
            if (!moved && list[k].rate > 0 && strncmp(spec, "layers", 6) != 0)
                FAIL("%s: %s never moved", spec, list[k].name);
        }
        finish(&before);
        finish(&r);
    }
}

/* ----------------------------------------------------------------- memory */

/* Where positions are drawn, how far apart they lie differs: more may be
   needed, but seldom. */
TEST(a_step_allocates_nothing)
{
    const char *spec;

    test_memory_fail(0);
    for (size_t i = 0; (spec = model_spec(i)) != NULL; i++) {
        FREED_BY(finish) struct run r;
        long before;

        start(&r, spec);
        steps(&r, 0, 1);
        before = test_memory_asked();
        steps(&r, 1, 4);
        if (test_memory_asked() > before &&
            !locant_encoding_chooses_positions(r.encoding))
            FAIL("%s: %ld allocations in three steps", spec,
                 test_memory_asked() - before);
    }
    test_memory_end();
}

/* -------------------------------------------------------------- positions */

static double loss_of(struct run *r, int draw)
{
    double mean;

    if (draw > 0)
        lct_model_draw(r->model, (uint64_t)draw);
    CHECK_OK(lct_model_forward(r->model, r->words, r->words + 1, BATCH, LENGTH,
                               NULL, &mean));
    return mean;
}

/* A seed draws once: the pass after it is one of evaluation. */
TEST(positions_follow_the_seed)
{
    static const char *const specs[] = {
        "randomized(length=64)+rope",
        "randomized(length=64)+sinusoidal",
        "pose(length=64,chunks=2)+kerple",
        "cape",
    };

    for (size_t i = 0; i < LEN(specs); i++) {
        struct run r, other;
        double drawn, evaluated;

        start(&r, specs[i]);
        start(&other, specs[i]);
        evaluated = loss_of(&r, 0);
        drawn = loss_of(&r, 7);
        CHECK(drawn != evaluated);
        CHECK(loss_of(&r, 8) != drawn);
        CHECK(loss_of(&r, 7) == drawn);
        CHECK(loss_of(&r, 0) == evaluated);
        CHECK(loss_of(&other, 7) == drawn);
        finish(&r);
        finish(&other);
    }
}
