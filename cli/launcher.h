/* launcher.h - which of several processes this is, as its launcher says */
#ifndef LOCANT_CLI_LAUNCHER_H
#define LOCANT_CLI_LAUNCHER_H
#include "cli.h"

/*
 * Refuse a command that a launcher has started several times, for instance
 * 'mpirun -n 4 locant train': they would all do the same.  'add' is the option
 * that is missing.
 */
int cli_check_single(const char *add);

/* The same of a command that runs in one process. */
int cli_check_alone(void);

/*
 * How many processes the launcher of this one has started, 1 if there is none,
 * and the variable that says it.  All but the first are hushed if there are
 * several, because all would say the same.
 */
int64_t cli_launched(const char **variable);

/* Parse --part: "2/4", or "auto" or "auto/4" as the launcher says. */
int cli_part(int *part, int *parts, const char *text);

#endif
