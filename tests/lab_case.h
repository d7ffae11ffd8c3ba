/* lab_case.h - a generated corpus, and a store in a folder of a test's own */
#ifndef LAB_CASE_H
#define LAB_CASE_H
#include "scratch.h"
#include "lab/run.h"

static struct scratch dir;
static locant_corpus *corpus;
static locant_store *store;

static inline int make_lab(size_t bytes)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;

    o.kind = LOCANT_CORPUS_GENERATED;
    o.max_bytes = bytes;
    CHECK_OK(locant_corpus_create(&corpus, &o));
    dir = scratch_make();
    CHECK_OK(locant_store_open(&store, scratch_file(&dir, "store")));
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

/* Train a run; its number. */
static inline int64_t run_of(const locant_train_options *o)
{
    int64_t id;

    CHECK_OK(locant_train(&id, store, corpus, o));
    return id;
}
#endif
