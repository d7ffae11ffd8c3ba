/* statement.h - how to repeat a report, as plain text */
#ifndef LCT_STATEMENT_H
#define LCT_STATEMENT_H
#include "../files/html.h"
#include "../measure/results.h"
#include "messages.h"

/* Appends the command that repeats the page, as far as the results know it. */
void lct_statement_command(struct lct_html *to, const struct lct_results *r);

/* Appends what a paper would say of how the results were made: version, text,
   seeds, training, machine, command.  One paragraph, without a line end. */
void lct_statement(struct lct_html *to, const struct lct_results *r,
                   enum lct_language language);
#endif
