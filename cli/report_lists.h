/* report_lists.h - lists in the options of 'locant report' */
#ifndef LOCANT_CLI_REPORT_LISTS_H
#define LOCANT_CLI_REPORT_LISTS_H
#include "corpus.h"
#include "runs.h"

enum { CLI_REPORT_SPECS = 64 };

struct cli_report_specs {
    const char *items[CLI_REPORT_SPECS];
    size_t n;
};

/* Split 'list' at ';' and check every spec. */
int cli_report_specs(struct cli_report_specs *out, const char *list);
/* LOCANT_WITH_.. of names separated by commas; NULL: none. */
int cli_report_jobs(unsigned *out, const char *list);
/* Check that the tasks exist, before a corpus is read. */
int cli_report_tasks(const char *list, unsigned with);

/* Parse ids such as "3,5,7-20"; blanks may separate them, too.  The caller
   frees out->at, also after a failure. */
int cli_report_runs(struct runs_ids *out, const char *list);
/* Open the text that the options choose or, without them, the text of a run;
   the command owns it. */
int cli_report_runs_text(locant_corpus **out, const struct cli_corpus *options,
                         const char *dir, int64_t run);

#endif
