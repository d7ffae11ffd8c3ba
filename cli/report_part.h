/* report_part.h - 'locant report --part' and '--make-plan' */
#ifndef LOCANT_CLI_REPORT_PART_H
#define LOCANT_CLI_REPORT_PART_H
#include "cli.h"

/* Check --part, which is 'part' or NULL, and the options that it, --plan and
   --make-plan go with. */
int cli_report_check_part(const struct cli *cli, const char *part);

/* Train part --part 'text' of a report; print what it has. */
int cli_report_part(const struct cli *cli, const locant_corpus *corpus,
                    const locant_report_options *options, const char *text);

/* Write the plan of a report to 'path'. */
int cli_report_make_plan(const struct cli *cli, const locant_corpus *corpus,
                         const locant_report_options *options,
                         const char *path);

#endif
