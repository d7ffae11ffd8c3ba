/* runs.h - what the parts of 'locant runs' share */
#ifndef LOCANT_CLI_RUNS_H
#define LOCANT_CLI_RUNS_H
#include "cli.h"

/* Continue run 'word', or all that are not finished if it is NULL. */
int cli_runs_resume(const struct cli *cli, locant_store *store,
                    const char *word);

#endif
