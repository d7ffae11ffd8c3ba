/* corpora.h - corpora and stores of a test */
#ifndef CORPORA_H
#define CORPORA_H
#include "locant/lab.h"
#include "testing.h"

OWNS(locant_corpus, locant_corpus_free)
OWNS(locant_store, locant_store_close)

static inline locant_corpus *corpus_of(const locant_corpus_options *o)
{
    locant_corpus *c;

    CHECK_OK(locant_corpus_create(&c, o));
    return c;
}

/* Generated text of at most max_bytes bytes; 0: 4 MiB. */
static inline locant_corpus *generated(size_t max_bytes, uint64_t seed)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;

    o.kind = LOCANT_CORPUS_GENERATED;
    o.max_bytes = max_bytes;
    o.seed = seed;
    return corpus_of(&o);
}

/* The text of files, and of the files in folders. */
static inline locant_corpus *corpus_of_files(const char *const *paths, size_t n,
                                             uint64_t seed, locant_keep keep)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;

    o.kind = LOCANT_CORPUS_FILES;
    o.paths = paths;
    o.n_paths = n;
    o.seed = seed;
    o.keep = keep;
    return corpus_of(&o);
}

/* A model of 16 channels and two heads, four rows of text a step. */
static inline locant_train_options narrow(const char *encoding, int64_t layers,
                                          int64_t length, int64_t steps)
{
    locant_train_options o = LOCANT_TRAIN_INIT;

    o.encoding = encoding;
    o.layers = layers;
    o.width = 16;
    o.heads = 2;
    o.ff = 32;
    o.batch = 4;
    o.length = length;
    o.steps = steps;
    return o;
}

/* Adds 1 to an int for each run. */
static inline int count_run(const locant_run_info *run, void *context)
{
    (void)run;
    ++*(int *)context;
    return 0;
}

static inline locant_store *store_at(const char *path)
{
    locant_store *s;

    CHECK_OK(locant_store_open(&s, path));
    return s;
}
#endif
