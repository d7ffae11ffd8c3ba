/* results_tasks.h - scores of tasks, with the results of a page */
#ifndef LCT_RESULTS_TASKS_H
#define LCT_RESULTS_TASKS_H
#include "results.h"
#include "locant/tasks.h"

/*
 * One score of one run: on a whole test set (place -1), or on its answers at
 * one place. Runs of one setup and group are seeds of one experiment.
 */
struct lct_task_point {
    const locant_task_info *task;
    uint64_t setup; /* hash of the run's options without encoding, seed and
                       parent */
    char model[128];
    int64_t steps, batch;
    int64_t parameters; /* of the model without its encoding */
    size_t group;       /* index of the group in the results */
    uint64_t seed;
    int64_t run;
    char setting[LCT_TASK_SETTING]; /* of the test */
    int64_t length, place;
    int64_t items, exact, tokens, hits; /* items 0: the encoding is undefined at
                                           this length */
    double loss, floor;
};

/*
 * Read all scores that the store has of encodings of r into r->tasks, sorted by
 * task, setup, test, place, group and seed. A length that a spec omits is the
 * trained one, of the task or of the page; specs that then agree are the same
 * encoding.
 */
locant_status lct_results_read_tasks(struct lct_results *r,
                                     locant_store *store);

/* The same for these runs alone. */
locant_status lct_results_read_tasks_of(struct lct_results *r,
                                        locant_store *store,
                                        const int64_t *runs, size_t n);

/* Do two points belong to the same experiment? */
bool lct_same_task(const struct lct_task_point *a,
                   const struct lct_task_point *b);
/* Do they also belong to the same test? */
bool lct_same_test(const struct lct_task_point *a,
                   const struct lct_task_point *b);

/* Are the task's scores by place drawn as a map? */
bool lct_task_is_mapped(const locant_task_info *task);

/* Copy the spec without its parameter "length" if that is 'length'. */
void lct_without_length(char out[256], const char *spec, int64_t length);

/* What is expected of an encoding on a task, before it is measured. */
struct lct_hypothesis {
    const char *spec; /* as lct_without_length() writes it */
    const char *task; /* "T13" is also its variants */
    const char *expected, *reason;
};

/* The hypothesis about a task and such a spec; or NULL. */
const struct lct_hypothesis *lct_hypothesis_of(const char *task,
                                               const char *spec);
#endif
