/* train.h - training a run, on text or on another source */
#ifndef LCT_TRAIN_H
#define LCT_TRAIN_H
#include "../store/run_sizes.h"

struct json_t;
struct lct_trainer;

/* Functions that training calls but must not depend on: probes and tasks. */
struct lct_train_hooks {
    /* Called before the first step and after each step. */
    locant_status (*look)(struct lct_trainer *t);
    /* Set the options for training on the task of that name. */
    locant_status (*task)(locant_train_options *o, const char *name);
};

/* locant_train(). If 'only' is not 0, the options must be those of that run. */
locant_status lct_train(int64_t *run, locant_store *store,
                        const locant_corpus *corpus,
                        const locant_train_options *options, int64_t only,
                        const struct lct_train_hooks *hooks);

/* locant_resume(). */
locant_status lct_resume(locant_store *store, int64_t run,
                         const locant_corpus *corpus,
                         locant_progress_fn progress, void *context,
                         const struct lct_train_hooks *hooks);

/*
 * All options that are needed to continue a run, as JSON, to be released.
 * 'encoding' is the resolved spec.
 */
locant_status lct_options_text(char **out, const locant_train_options *options,
                               const char *encoding);

/* Read them back; false if they are not what lct_options_text() writes. *o
   points into 'root'. */
bool lct_options_read(locant_train_options *o, const struct json_t *root,
                      const struct lct_train_hooks *hooks);

/* One row of a batch. */
struct lct_item {
    uint64_t seed, step, row;
    int64_t length;
};

/*
 * Something to train on instead of text: rows that depend only on (seed, step,
 * row, length) and 'context'.
 */
struct locant_source {
    const char *name; /* names everything the rows depend on; part of a run's
                         key, at most 200 bytes without ';' */
    int64_t vocab;    /* size of the vocabulary, at most LCT_VOCAB */
    int64_t shortest; /* shortest row it can make; 0: any */
    /* Fill tokens [length] with 0 .. vocab - 1, and targets [length] with the
       same or -1: not scored. */
    void (*fill)(int32_t *tokens, int32_t *targets, const struct lct_item *item,
                 const void *context);
    const void *context;
};

/* The model of a run with these options; 'encoding' may be NULL. */
struct lct_model_config lct_train_config(const locant_train_options *o,
                                         const locant_encoding *encoding);

/* Fail unless the encoding is defined at every position of 'length' tokens. */
locant_status lct_check_reach(const locant_encoding *e, int64_t length);

/* Did this run end because its loss was not finite? */
bool lct_run_failed(locant_store *store, int64_t id);
#endif
