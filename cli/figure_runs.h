/* figure_runs.h - choose the runs of a store that a figure shows */
#ifndef LCT_FIGURE_RUNS_H
#define LCT_FIGURE_RUNS_H
#include "runs.h"

struct cli_figure_runs {
    int of_task;      /* runs on a task, not on text */
    int of_report;    /* all ended runs, also those of reports */
    const char *task; /* task of the runs; NULL: the last one trained */
    struct runs_ids ids;
};

/*
 * The runs named after the figure.  If none is named: all finished runs like
 * the last one of its kind.  Runs that continue another, or belong to a
 * report's surface or extension, count only if there are no others.
 */
int cli_figure_runs(struct cli_figure_runs *out, const struct cli *cli,
                    locant_store *store);
#endif
