/* print.h - prints the results of a row as text and as JSON. */
#ifndef LOCANT_TUTORIALS_PRINT_H
#define LOCANT_TUTORIALS_PRINT_H

#include "run.h"

/* Start part 'a', 'b', ..; "locant tutorial S0.10b" shows only part b. */
void part(char letter, const char *title);
/* Print a paragraph; lines are broken before column 80. */
void say(const char *format, ...) LOCANT_PRINTF(1, 2);

/* Print "name: value"; in JSON a member of "values". */
void show(const char *name, double x);
void show_count(const char *name, int64_t n);
void show_text(const char *name, const char *text);
void show_shape(const char *name, locant_tensor t);
/* Print n numbers in a line, each by 'format' ("%.4f"). */
void show_list(const char *name, const char *format, const double *x,
               int64_t n);
/* Print a small matrix, one row per line. */
void show_matrix(const char *name, const char *format, const double *x,
                 int64_t rows, int64_t cols);

/*
 * A table.  Cells are separated by '|', so a cell cannot contain it:
 * table("times", "method|ms"), then table_row("%s|%.2f", name, ms) per line.
 * The next output ends the table.  In JSON it is a list of lists, and cells
 * that look like numbers are numbers.
 */
void table(const char *name, const char *columns);
void table_row(const char *format, ...) LOCANT_PRINTF(1, 2);

/* A table of the tutorial's points and the rows that show each.  Checks that
   the rows exist. */
struct point {
    const char *what, *row;
};
void table_of_rows(const char *head, const struct point *points, int n);

/*
 * Report an error of the tutorial: its value, the right one, and a sentence
 * that says why.  'id' is the number of the error, "E-0.5".
 */
void mistake(const char *id, const char *what, double theirs, double right,
             const char *why);
void mistake_in_words(const char *id, const char *what, const char *theirs,
                      const char *right, const char *why);

/* A JSON number; null if x is not finite. */
json_t *number_json(double x);
/* Print the lines before and after the row's own.  Returns 0 if there is no
   memory for t->json. */
int print_begin(struct tutorial *t);
void print_end(struct tutorial *t);
void wrote_figure(const char *path);

#endif /* LOCANT_TUTORIALS_PRINT_H */
