/* figure_runs.h - choose the runs of a store that a figure shows */
#ifndef LCT_FIGURE_RUNS_H
#define LCT_FIGURE_RUNS_H
#include "cli.h"

struct cli_figure_runs {
    int         of_task;   /* runs of a task, or of text */
    int         of_report; /* all that ended, those of reports among them */
    const char *task;      /* which; NULL: the last one trained */
    int64_t    *id;        /* to be freed, also after a failure */
    size_t      n;
};

/*
 * The runs named after the figure; else all finished runs like the last of its
 * kind.  Runs that continue another, or belong to a report's surface or
 * extension, count only if there are no others.
 */
int cli_figure_runs(struct cli_figure_runs *out, const struct cli *cli,
                    locant_store *store);

/* Is the word the number of a run? */
int cli_parse_run(int64_t *id, const char *word);
#endif
