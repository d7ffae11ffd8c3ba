/* train.h - train a run on text or on rows that a function makes */
#ifndef LCT_TRAIN_H
#define LCT_TRAIN_H
#include "../store/run_sizes.h"

struct json_t;
struct lct_trainer;

/* Functions that training calls but must not depend on: probes and tasks. */
struct lct_train_hooks {
    /* Probe the model if a probe is due; called before the first step and after
       each step. */
    locant_status (*probe)(struct lct_trainer *t);
    /* Set the options for training on the task of that name. */
    locant_status (*set_task)(locant_train_options *o, const char *name);
};

/* locant_train(). 'only' is 0, or the run to resume: FORMAT unless the options
   are those of this run. */
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
 * All options that are needed to continue a run, as JSON; release *out with
 * locant_release(). 'encoding' is the resolved spec. The merges of 'vocabulary'
 * (NULL: none) are among them.
 */
locant_status lct_options_to_json(char **out,
                                  const locant_train_options *options,
                                  const char *encoding,
                                  const struct lct_vocabulary *vocabulary);

/* Read the options from the JSON in 'root', which must outlive *o; false if
   lct_options_to_json() would not write it. */
bool lct_options_from_json(locant_train_options *o, const struct json_t *root,
                           const struct lct_train_hooks *hooks);

/* Which row of which batch a source makes: row 'row' of step 'step'. */
struct lct_batch_row {
    uint64_t seed, step, row;
    int64_t length;
};

/*
 * Makes rows to train on instead of text. A row depends only on (seed, step,
 * row, length) and 'context'.
 */
struct locant_source {
    const char *name; /* part of a run's key: names 'fill' and everything that
                         the rows depend on; at most 200 bytes without ';' */
    int64_t vocab;    /* size of the vocabulary, at most LCT_VOCAB */
    int64_t shortest; /* least length of a row; 0: any */
    /* Fill tokens [length] with ids 0 .. vocab - 1; targets [length] too, or
       with -1 where the target is not scored. */
    void (*fill)(int32_t *tokens, int32_t *targets,
                 const struct lct_batch_row *row, const void *context);
    const void *context;
};

/* Time a step of training with these options, on this thread and without a
   store: the median of three. */
locant_status lct_train_time(double *seconds, const locant_corpus *corpus,
                             const locant_train_options *options);

/* The model of a run with these options; 'encoding' may be NULL. */
struct lct_model_config lct_train_config(const locant_train_options *o,
                                         const locant_encoding *encoding);

/* Fail unless the encoding is defined at every position of 'length' tokens. */
locant_status lct_check_length_limit(const locant_encoding *e, int64_t length);

/* Did this run end because its loss was not finite? */
bool lct_run_failed(locant_store *store, int64_t id);
#endif
