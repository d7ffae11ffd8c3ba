/* task.h - functions about tasks for 'train', 'eval' and 'tasks' */
#ifndef LOCANT_CLI_TASK_H
#define LOCANT_CLI_TASK_H
#include "cli.h"
#include "locant/tasks.h"

/* Find the task that was given to 'option'. */
int cli_task(const locant_task_info **out, const char *option, const char *id);

/* Options of 'eval' that are for a run on a task. */
struct cli_task_eval {
    int64_t items, test_seed;
    struct cli_list lengths;
};

/* Compute the scores of a run and print them. */
int cli_eval_task(const struct cli *cli, locant_store *store, int64_t run,
                  const struct cli_task_eval *how);
/* Print the scores of a store's runs; seeds are columns side by side. */
int cli_task_scores(const struct cli *cli, const char *dir, int places);
#endif
