/* lab_case.h - a generated corpus, and a store in a folder of a test's own */
#ifndef LAB_CASE_H
#define LAB_CASE_H
#include "corpora.h"
#include "scratch_case.h"
#include "measure/evaluate.h"
#include "measure/numbers.h"
#include "store/checkpoint.h"
#include "train/load_trained.h"
#include <jansson.h>
#include <math.h>

static locant_corpus *corpus;
static locant_store *store;

static inline locant_store *open_store(const char *name)
{
    return store_at(scratch_file(&dir, name));
}

/* Without a store, for tests that open their own. */
static inline int make_text(size_t bytes)
{
    corpus = generated(bytes, 0);
    dir = scratch_make();
    return 0;
}

static inline int make_lab(size_t bytes)
{
    make_text(bytes);
    store = open_store("store");
    return 0;
}

static inline int free_lab(void **state)
{
    (void)state;
    locant_store_close(store);
    locant_corpus_free(corpus);
    scratch_remove(&dir);
    return 0;
}

/* The tests of a program share a text of this size, and with a lab a store. */
#define TEST_WITH_TEXT(bytes) TEST_SHARE(make_text(bytes))
#define TEST_WITH_LAB(bytes)  TEST_SHARE(make_lab(bytes))
/* clang-format off */
#define TEST_SHARE(made) \
    static int share(void **state) { (void)state; return made; } \
    TEST_GROUP(share, free_lab)
/* clang-format on */

/* A model of two heads and rows of 32 bytes. */
static inline locant_train_options small(const char *encoding, int64_t layers,
                                         int64_t steps)
{
    locant_train_options o = LOCANT_TRAIN_INIT;

    o.encoding = encoding;
    o.layers = layers;
    o.width = o.ff = 32;
    o.heads = 2;
    o.batch = 4;
    o.length = 32;
    o.steps = steps;
    return o;
}

/* Train a run; returns its number. */
static inline int64_t run_of(const locant_train_options *o)
{
    int64_t id;

    CHECK_OK(locant_train(&id, store, corpus, o));
    return id;
}

/* Progress that counts notices of runs without a finite loss. */
static inline int count_notices(const locant_progress *p, void *context)
{
    CHECK(p->done <= p->total);
    if (p->notice && strstr(p->notice, "other runs continue"))
        ++*(int *)context;
    return 0;
}

static inline double mean_of(const double *loss, int blocks)
{
    double sum = 0;

    for (int b = 0; b < blocks; b++)
        sum += loss[b] / blocks;
    return sum;
}

/* The number at the path; NAN for null. */
static inline double number_at(const struct lct_results *r, const char *path)
{
    const json_t *at = lct_numbers_at(r->numbers, path);

    CHECK(at != NULL);
    return json_is_null(at) ? NAN : json_number_value(at);
}
#endif
