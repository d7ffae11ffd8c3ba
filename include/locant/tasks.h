/*
 * tasks.h - sixteen synthetic tasks, which separate positional encodings better
 * than the loss on text does.
 *
 * A task is a distribution of rows of tokens, some of which are answers to be
 * predicted.  Training rows are drawn anew at every step; test sets are fixed
 * by a test seed and are the same for every encoding and machine.  One forward
 * pass scores a row: greedy decoding gives the right answer exactly if, given
 * the right tokens before it, each answer token has the largest logit.
 *
 * Each task names its source.
 */
#ifndef LOCANT_TASKS_H
#define LOCANT_TASKS_H

#include "lab.h"

LOCANT_BEGIN_DECLS

/* One test set of a task. */
typedef struct locant_task_test {
    int64_t     length;  /* in the task's unit */
    const char *setting; /* what differs from training, other than length; or
                            "" */
    int64_t     value;   /* the number in 'setting', or the task's default */
} locant_task_test;

typedef struct locant_task_info {
    const char *id;         /* "T1"; a variant of it is "T7.count" */
    const char *title;      /* "delay-k" */
    const char *definition;
    const char *metric;     /* the score: "exact match", .. */
    const char *unit;       /* unit of lengths: "tokens", "symbols", .. */
    const char *place;      /* what scores are grouped by: "k"; "answer" (the
                               position in it, by octaves); ..; or NULL */
    double  chance;         /* accuracy of guessing; NAN: not defined */
    int64_t vocab;
    int64_t length;         /* of training rows */
    int     upto;           /* 1: training rows have 1 .. length instead */
    int     control;        /* 1: expected to fail with every encoding */
    int     fine_tune;      /* 1: begins with the parameters of a run on text */
    int64_t layers, width, heads, batch, steps; /* recommended; ff 4 width */
    double  learning_rate;
    int64_t items;          /* of a test set: 1000, or 1 if all are equal */
    const locant_task_test *tests; /* ends with length 0 */
} locant_task_info;

/* Task i, in order; NULL for i past the end. */
LOCANT_API const locant_task_info *locant_task_at(int i);

/* The task 'id', in upper or lower case; NULL if there is none. */
LOCANT_API const locant_task_info *locant_task_find(const char *id);

/*
 * Options that train on the task with the recommended model and budget, for
 * locant_train() without a corpus; change them as you like.  'length' is that
 * of a row in tokens: the task's length plus the tokens around it.  If you
 * change it, the task's lengths change with it.
 * Errors: NULL, PARAM (no such task).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_task_options(locant_train_options *out, const char *id);

/* *out = the task that a run was trained on; NULL: text. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_task_of(const locant_task_info **out, locant_store *store, int64_t run);

/* How a run did on one test set, or on the part of it at one place. */
typedef struct locant_task_score {
    const char *task, *setting;
    int64_t length;
    int64_t place;        /* -1: all of it; else a k, a distance, a depth, .. */
    int64_t items, exact; /* items, and those without an error; 0 items: the
                             encoding is not defined at that length */
    int64_t tokens, hits; /* answer tokens, and those that are right */
    double  loss;         /* nats per answer token */
    double  floor;        /* the loss of a perfect predictor: 0 if answers are
                             determined */
} locant_task_score;

/* Called per score, by test, then by place; nonzero stops. */
typedef int (*locant_task_visitor)(const locant_task_score *score,
                                   void *context);

typedef struct locant_task_eval_options {
    size_t         struct_size;
    int64_t        items;     /* of a test set, at most 2^20; 0: the task's */
    uint64_t       test_seed; /* of the test sets */
    const int64_t *lengths;   /* instead of the task's tests; NULL: those */
    size_t         n_lengths;
    locant_progress_fn progress; /* nonzero: INTERRUPTED between batches */
    void          *context;
} locant_task_eval_options;

#define LOCANT_TASK_EVAL_INIT                                               \
    { .struct_size = sizeof(locant_task_eval_options), .test_seed = 1 }

/*
 * Score a run on the test sets of its task, record every finished test set in
 * the store, and visit the scores.  Recorded scores are read, not computed.
 * Errors: NULL, PARAM (not a run of a task, or not done; a length that the task
 * does not have), IO, FORMAT, NOMEM, INTERRUPTED.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_task_evaluate(locant_store *store, int64_t run,
                     const locant_task_eval_options *options,
                     locant_task_visitor visit, void *context);

/*
 * Visit the recorded scores of test seed 1, run after run.  'setup' is the
 * configuration of the run without its seed: runs with the same setup are the
 * seeds of one experiment.  Nonzero stops.
 * Errors: NULL, IO, FORMAT, NOMEM.
 */
typedef int (*locant_task_record_visitor)(const locant_run_info *run,
                                          const char *setup,
                                          const locant_task_score *score,
                                          void *context);
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_task_recorded(locant_store *store, locant_task_record_visitor visit,
                     void *context);

LOCANT_END_DECLS
#endif /* LOCANT_TASKS_H */
