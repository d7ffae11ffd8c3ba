/*
 * tasks.h - sixteen tasks that separate positional encodings better than the
 * loss on text does.
 *
 * A task is a distribution of rows: tokens, and for some of them the word that
 * has to follow.  Rows of training are drawn anew at every step; test sets are
 * fixed by a test seed, the same for every encoding and on every machine.  One
 * forward scores a row: greedy decoding gives the right answer exactly when,
 * after the right words so far, the largest logit is the right one's each time.
 *
 * Sources are named with each task.
 */
#ifndef LOCANT_TASKS_H
#define LOCANT_TASKS_H

#include "lab.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One test set of a task. */
typedef struct locant_task_test {
    int64_t     length;  /* in the task's unit */
    const char *setting; /* what differs from training besides length, or "" */
    int64_t     value;   /* the number in 'setting', or the task's usual one */
} locant_task_test;

typedef struct locant_task_info {
    const char *id;         /* "T1"; a variant of it is "T7.count" */
    const char *title;      /* "delay-k" */
    const char *definition;
    const char *metric;     /* what is compared: "exact match", .. */
    const char *unit;       /* what lengths count: "tokens", "symbols", .. */
    const char *place;      /* what splits the scores: "k", "answer": how far
                               into it, by octaves; ..; or NULL */
    double  chance;         /* accuracy of guessing; NAN: no such thing */
    int64_t vocab;
    int64_t length;         /* trained: always, or with 'upto' 1 .. length */
    int     upto;
    int     control;        /* 1: expected to fail with every encoding */
    int     fine_tune;      /* 1: begins with the parameters of a run on text */
    int64_t layers, width, heads, batch, steps; /* recommended; ff 4 width */
    double  learning_rate;
    int64_t items;          /* of a test set: 1000, or 1 where all are alike */
    const locant_task_test *tests; /* ends with length 0 */
} locant_task_info;

/* Task i, in order; NULL for i past the end. */
LOCANT_API const locant_task_info *locant_task_at(int i);

/* The task of that id, any case; NULL if there is none. */
LOCANT_API const locant_task_info *locant_task_find(const char *id);

/*
 * Options that train on the task with the recommended model and budget, to be
 * changed as wished and given to locant_train() without a corpus.  'length' is
 * that of a row, in tokens: what the task's length and the words around it
 * need.  With a shorter or longer row the range of lengths follows.
 * Errors: NULL, PARAM (no such task).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_task_options(locant_train_options *out, const char *id);

/* The task a run was trained on; NULL: text. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_task_of(const locant_task_info **out, locant_store *store, int64_t run);

/* How a run did on one test set, or on the part of it at one place. */
typedef struct locant_task_score {
    const char *task, *setting;
    int64_t length;
    int64_t place;        /* -1: all of it; else a k, a distance, a depth, .. */
    int64_t items, exact; /* items, and those without an error; 0 items: the
                             encoding is not defined at that length */
    int64_t tokens, hits; /* answers, and those that are right */
    double  loss;         /* nats per answer */
    double  floor;        /* nats per answer of one who knows the source: 0
                             where answers are certain */
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
 * the store, and visit the scores.  What the store has is read, not computed.
 * Errors: NULL, PARAM (no run of a task, or not done; a length the task has not
 * got), IO, FORMAT, NOMEM, INTERRUPTED.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_task_evaluate(locant_store *store, int64_t run,
                     const locant_task_eval_options *options,
                     locant_task_visitor visit, void *context);

/*
 * The scores that the store holds of test seed 1, run after run.  'setup' is
 * what the run was made with but its seed: runs of one setup are the seeds of
 * one experiment.  Nonzero stops.
 * Errors: NULL, IO, FORMAT, NOMEM.
 */
typedef int (*locant_task_record_visitor)(const locant_run_info *run,
                                          const char *setup,
                                          const locant_task_score *score,
                                          void *context);
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_task_recorded(locant_store *store, locant_task_record_visitor visit,
                     void *context);

#ifdef __cplusplus
}
#endif
#endif /* LOCANT_TASKS_H */
