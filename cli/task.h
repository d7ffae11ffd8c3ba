/* task.h - functions about tasks that several commands share */
#ifndef LOCANT_CLI_TASK_H
#define LOCANT_CLI_TASK_H
#include "cli.h"
#include "locant/tasks.h"

/* Find the task 'id', which was given to 'option'. */
int cli_task_find(const locant_task_info **out, const char *option,
                  const char *id);

/* Options of 'eval' for a run on a task. */
struct cli_task_eval {
    int64_t items, test_seed;
    struct cli_list lengths;
};

/* Compute the scores of a run and print them. */
int cli_eval_task(const struct cli *cli, locant_store *store, int64_t run,
                  const struct cli_task_eval *how);
/* Print the scores of the runs in a store, with a column for each seed; if
   'places', also scores by place. */
int cli_task_scores(const struct cli *cli, const char *dir, int places);
#endif
