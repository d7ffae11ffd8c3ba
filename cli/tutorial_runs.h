/* tutorial_runs.h - run rows of the tutorials; returns are exit statuses. */
#ifndef LOCANT_CLI_TUTORIAL_RUNS_H
#define LOCANT_CLI_TUTORIAL_RUNS_H

#include "../tutorials/run.h"
#include "cli.h"

/* Run the row. */
int tutorial_runs_row(struct tutorial *t);
/* The same with its output in text[l], which the caller frees, for each
   language l from 'first' to 'last'; the others are NULL. */
int tutorial_runs_text(struct tutorial *t, char *text[LANGUAGES],
                       enum language first, enum language last);

/* Is this the name of a page?  It ends in .html. */
int tutorial_runs_is_page(const char *path);
/* Run rows into the page 'path' and, unless 'folder' is NULL, into files. */
int tutorial_runs_page(const struct cli *cli, const struct tutorial_row *first,
                       const struct tutorial_row *last, const char *path,
                       const char *folder);
/* Run all rows; 'out' is a page, a folder, or NULL: write nothing. */
int tutorial_runs_all(const struct cli *cli, const char *out);

#endif /* LOCANT_CLI_TUTORIAL_RUNS_H */
