/* job.h - long jobs: the run to work on, signals, progress on stderr */
#ifndef LOCANT_CLI_JOB_H
#define LOCANT_CLI_JOB_H
#include "cli.h"

/* Parse the number of a run; an error message begins with 'command'. */
int cli_run_id(int64_t *id, const char *command, const char *word);
/* Parse the first word, the number of a run; open the store for writing. */
int cli_open_run(locant_store **store, int64_t *id, const struct cli *cli,
                 const char *dir);

/* From now on SIGINT, SIGTERM and SIGHUP make the job stop. */
void cli_catch_signals(void);
/* Whether one of them has come. */
int cli_stop_asked(void);
/* A locant_progress_fn: draws on stderr; nonzero after a signal. */
int cli_progress(const locant_progress *p, void *context);
/* Clear the line that progress redraws. */
void cli_progress_end(void);
/* The exit status of a job that a signal may have stopped. */
int cli_job_status(locant_status s);
#endif
