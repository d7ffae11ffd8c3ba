/* export.h - what a paper would quote of a report: tables as LaTeX and CSV,
   cited works as BibTeX, the statement of reproducibility */
#ifndef LCT_EXPORT_H
#define LCT_EXPORT_H
#include "../files/html.h"
#include "../measure/results.h"

/* Create the folder if it does not exist.  IO unless the files can be written
   there, and replace none that has another origin. */
locant_status lct_export_check(const char *folder);

/* Write the files into a folder that was checked; r->numbers must be set. */
locant_status lct_export_write(const char *folder, const struct lct_results *r);

/* The contents of the files, after their first lines. */
locant_status lct_export_table(struct lct_html *to,
                               const struct lct_results *r);
locant_status lct_export_pairs(struct lct_html *to,
                               const struct lct_results *r);
locant_status lct_export_results_csv(struct lct_html *to,
                                     const struct lct_results *r);
locant_status lct_export_pairs_csv(struct lct_html *to,
                                   const struct lct_results *r);
locant_status lct_export_references(struct lct_html *to,
                                    const struct lct_results *r);

/* Text with the special characters of LaTeX escaped. */
void lct_export_tex(struct lct_html *to, const char *text);
#endif
