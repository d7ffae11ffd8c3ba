/*
 * test_probe_partial.c - losses with some pairs turning, against other
 * encodings that turn as much.
 *
 * Tolerance 1e-5: as in test_evaluate.c; bases of its own have frequencies that
 * are off by 2^-52.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "lab_case.h"
#include "measure/plan.h"
#include "measure/probe.h"
#include "train/load_trained.h"
#include <math.h>

enum { LENGTH = 32, DIM = 16, PAIRS = DIM / 2, WINDOWS = 16 };

static int64_t train(const char *encoding)
{
    const locant_train_options o = small(encoding, 2, 30);

    return run_of(&o);
}

/* The part, of a run that is done. */
static json_t *sweep_of(int64_t run)
{
    struct lct_probe p = { .store = store,
                           .length = LENGTH,
                           .longest = LCT_PROBE_LONG };
    json_t *out = json_object();

    CHECK_OK(locant_store_run(&p.run, store, run));
    CHECK_OK(lct_load_trained(&p.model, &p.encoding, store, &p.run, 1));
    CHECK_OK(lct_probe_create_text(&p.corpus));
    p.text = lct_corpus_split(p.corpus, LCT_TRAIN);
    CHECK_OK(lct_probe_partial(out, &p));
    lct_model_free(p.model);
    locant_encoding_free(p.encoding);
    locant_corpus_free(p.corpus);
    return out;
}

static double at(const json_t *from, const char *list, size_t i)
{
    const json_t *value = json_array_get(json_object_get(from, list), i);

    CHECK(json_is_number(value));
    return json_number_value(value);
}

/* Mean loss of the last 32 of 4 x 32 bytes of 16 windows, each after the bytes
   of the last C: a window a pass. */
static double loss_under(const char *spec, int64_t id, int64_t C)
{
    const int64_t all = 4 * LENGTH;
    const struct lct_split *s;
    struct lct_model *model;
    locant_corpus *text;
    locant_encoding *e;
    locant_run_info run;
    double sum = 0;

    CHECK_OK(lct_probe_create_text(&text));
    s = lct_corpus_split(text, LCT_TRAIN);
    CHECK_OK(locant_store_run(&run, store, id));
    e = test_create(spec);
    CHECK_OK(lct_load_trained_as(&model, e, store, &run, C));
    for (int w = 0; w < WINDOWS; w++) {
        const uint8_t *end = s->bytes + 1021 * w + all;
        int32_t tokens[4 * LENGTH], targets[4 * LENGTH];
        real loss[4 * LENGTH];

        for (int64_t i = 0; i < C; i++) {
            tokens[i] = end[i - C];
            targets[i] = end[i - C + 1];
        }
        CHECK_OK(lct_model_forward(model, tokens, targets, 1, C, loss, NULL));
        for (int64_t i = C - LENGTH; i < C; i++)
            sum += (double)loss[i];
    }
    lct_model_free(model);
    locant_encoding_free(e);
    locant_corpus_free(text);
    return sum / (WINDOWS * LENGTH);
}

/*
 * Of d channels with base b, pair c turns by b^(-2c/d).  The first n pairs of
 * neighbours are all that a rope of 2 n channels turns, and by as much where
 * its base is b^(2n/d); where none does it is no encoding at all.
 */
TEST(pairs_stop_one_by_one)
{
    const int64_t run = train("rope(pairing=interleaved)");
    json_t *found = sweep_of(run);
    const size_t step = TEST_SANITIZED ? 4 : 1;

    CHECK(json_array_size(json_object_get(found, "loss")) == PAIRS + 1);
    CHECK(json_integer_value(json_object_get(found, "targets")) == 512);
    CHECK(json_integer_value(json_object_get(found, "far")) == 4 * LENGTH);
    for (size_t n = 0; n <= PAIRS; n += step) {
        char spec[128] = "none";

        if (n > 0)
            snprintf(spec, sizeof spec,
                     "rope(base=%.17g,pairing=interleaved,dim=%zu)",
                     pow(10000, (double)n / PAIRS), 2 * n);
        CHECK(at(found, "last", n) == (double)n - 1);
        CHECK(fabs(at(found, "loss", n) - loss_under(spec, run, LENGTH)) <
              1e-5);
        CHECK(fabs(at(found, "loss_far", n) -
                   loss_under(spec, run, 4 * LENGTH)) < 1e-5);
    }
    CHECK(fabs(at(found, "loss", 0) - at(found, "loss", PAIRS)) > 1e-3);
    json_decref(found);
}

/* A base and a width of its own stay; halves are paired as well. */
TEST(what_the_encoding_says_stays)
{
    const char *spec = "rope(base=500,dim=8)";
    const int64_t run = train(spec);
    json_t *found = sweep_of(run);

    CHECK(json_array_size(json_object_get(found, "loss")) == 5);
    CHECK(fabs(at(found, "loss", 0) - loss_under("none", run, LENGTH)) < 1e-5);
    CHECK(fabs(at(found, "loss", 4) - loss_under(spec, run, LENGTH)) < 1e-5);
    json_decref(found);
}

TEST(others_have_no_such_sweep)
{
    static const char *const specs[] = { "none", "alibi", "xpos",
                                         "rope(scaling=linear(factor=2))" };

    for (size_t i = 0; i < (TEST_SANITIZED ? 1 : LEN(specs)); i++) {
        json_t *found = sweep_of(train(specs[i]));

        CHECK(json_object_size(found) == 0);
        json_decref(found);
    }
}

TEST_WITH_LAB(128 << 10)
