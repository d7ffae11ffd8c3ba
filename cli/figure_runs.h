/* figure_runs.h - choose the runs of a store that a figure shows */
#ifndef LOCANT_CLI_FIGURE_RUNS_H
#define LOCANT_CLI_FIGURE_RUNS_H
#include "runs.h"

struct cli_figure_runs {
    int of_task;   /* runs on a task, not on text */
    int of_report; /* all runs that ended, since a report chooses among them */
    const char *task; /* task of the runs; NULL: the last one trained */
    struct runs_ids ids;
};

/*
 * Choose the runs whose numbers follow the figure on the command line.  Without
 * any, choose all finished runs that are like the last one of the figure's
 * kind.  Runs with a parent, and those that report --with surface or extension
 * trained, are chosen only if there are no others.
 */
int cli_figure_runs_choose(struct cli_figure_runs *out, const struct cli *cli,
                           locant_store *store);
#endif
