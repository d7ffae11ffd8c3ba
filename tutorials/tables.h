/* tables.h - prints tables of a row as text and as JSON. */
#ifndef LOCANT_TUTORIALS_TABLES_H
#define LOCANT_TUTORIALS_TABLES_H

#include "run.h"

/*
 * A table: table("times", "method|ms"), then table_row("%s|%.2f", name, ms) for
 * each line.  '|' separates cells, so no cell can contain it.  The next output
 * ends the table.  In JSON a table is a list of lists, and a cell that looks
 * like a number is a number.
 */
void table(const char *name, const char *columns);
void table_row(const char *format, ...) LOCANT_PRINTF(1, 2);
/* A table of fixed text, one line per row: "model|encoding\nT5|t5\n". */
void table_of_text(const char *name, const char *lines);
/* A table of the tutorial's points and the rows that show them, "goal|row\n"
   "learned positions|S2.7\n".  Checks that the rows exist. */
void table_of_rows(const char *lines);

/* End the table that is being filled, if any. */
void end_table(void);

#endif /* LOCANT_TUTORIALS_TABLES_H */
