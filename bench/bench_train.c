/*
 * bench_train.c - steps of training, as 'locant train' takes them: forward,
 * backward and optimiser of the lab's default model.
 *
 * A run of a few steps on generated text in a store of its own; the time is
 * that which the store records for the steps, without opening files.
 */
#define _XOPEN_SOURCE 700
#include "bench.h"

#ifdef BENCH_LAB
#include "locant/lab.h"
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 40, QUICK_STEPS = 8, RUNS = 3 };

static int remove_one(const char *path, const struct stat *s, int kind,
                      struct FTW *walk)
{
    (void)s;
    (void)kind;
    (void)walk;
    return remove(path);
}

/* Nanoseconds of a step of one new run; 0: it failed. */
static double train(locant_store *store, const locant_corpus *corpus,
                    const struct bench_case *c, uint64_t seed, int64_t steps)
{
    locant_train_options o = LOCANT_TRAIN_INIT;
    locant_run_info info;
    int64_t run;

    o.encoding = c->spec;
    o.seed = seed;
    o.heads = c->heads;
    o.width = c->heads * c->dim;
    o.ff = 4 * o.width;
    o.length = c->tokens;
    o.steps = steps;
    if (locant_train(&run, store, corpus, &o) != LOCANT_OK ||
        locant_store_run(&info, store, run) != LOCANT_OK)
        return 0;
    return 1e9 * info.seconds / (double)steps;
}

static bool train_all(struct bench_result *r, const char *directory, bool quick)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;
    locant_corpus *corpus = NULL;
    locant_store *store = NULL;
    double ns[RUNS];
    bool good;

    o.kind = LOCANT_CORPUS_GENERATED;
    o.seed = 1;
    o.max_bytes = 1 << 20;
    good = locant_corpus_create(&corpus, &o) == LOCANT_OK &&
           locant_store_open(&store, directory) == LOCANT_OK;
    r->samples = quick ? 1 : RUNS;
    for (int i = 0; good && i < r->samples; i++) {
        ns[i] = train(store, corpus, r->c, (uint64_t)i + 1,
                      quick ? QUICK_STEPS : STEPS);
        good = ns[i] > 0;
    }
    if (good) {
        struct bench_summary s = bench_summarise(ns, r->samples);

        r->min_ns = s.min;
        r->median_ns = s.median;
        r->spread = s.spread;
    }
    locant_store_close(store);
    locant_corpus_free(corpus);
    return good;
}

static const char *measure(struct bench_result *r, bool quick)
{
    const locant_train_options defaults = LOCANT_TRAIN_INIT;
    char directory[] = P_tmpdir "/locant-bench-XXXXXX";

    if (mkdtemp(directory) == NULL) {
        r->cannot = true;
        snprintf(r->note, sizeof(r->note), "no folder could be made in %s",
                 P_tmpdir);
        return NULL;
    }
    if (train_all(r, directory, quick)) {
        r->speed = 1e9 * (double)(defaults.batch * r->c->tokens) /
                   r->median_ns;
    } else {
        r->cannot = true;
        snprintf(r->note, sizeof(r->note), "%s", locant_last_error());
    }
    nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return NULL;
}
#else
static const char *measure(struct bench_result *r, bool quick)
{
    (void)quick;
    r->cannot = true;
    snprintf(r->note, sizeof(r->note), "this build is without liblocant_lab");
    return NULL;
}
#endif

const struct bench_work work_train = {
    .unit = "tokens/s",
    .doors = LOCANT_DOOR_INPUT | LOCANT_DOOR_ROTATE | LOCANT_DOOR_SCORE |
             LOCANT_DOOR_CONTENT,
    .measure = measure,
};
