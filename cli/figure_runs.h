/* figure_runs.h - the runs of a store that a figure is of */
#ifndef LCT_FIGURE_RUNS_H
#define LCT_FIGURE_RUNS_H
#include "cli.h"

struct cli_figure_runs {
    int         of_task;   /* runs of a task, or of text */
    int         of_report; /* all that ended, of which a report's are some */
    const char *task;      /* which; NULL: the last one trained */
    int64_t    *id;        /* to be freed, also after a failure */
    size_t      n;
};

/*
 * The runs named after the figure; else all finished ones like the last of its
 * kind, runs that go on from another, or that a report's surface or extension
 * is of, only where there are no others.
 */
int cli_figure_runs(struct cli_figure_runs *out, const struct cli *cli,
                    locant_store *store);

/* Is the word the number of a run? */
int cli_parse_run(int64_t *id, const char *word);
#endif
