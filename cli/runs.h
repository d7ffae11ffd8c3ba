/* runs.h - declarations for the files of 'locant runs' */
#ifndef LOCANT_CLI_RUNS_H
#define LOCANT_CLI_RUNS_H
#include "cli.h"

/* Continue run 'word' or, if it is NULL, all unfinished runs. */
int cli_runs_resume(const struct cli *cli, locant_store *store,
                    const char *word);

#endif
