/* study_compare.h - 'locant study compare' */
#ifndef LOCANT_CLI_STUDY_COMPARE_H
#define LOCANT_CLI_STUDY_COMPARE_H
#include "cli.h"

/* Compare the studies of the second and third word, files or numbers of the
   store 'dir', and write the page. */
int cli_study_compare(const struct cli *cli, const char *dir, const char *page);

#endif
