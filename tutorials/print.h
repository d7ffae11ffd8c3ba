/*
 * print.h - what a row says, as text and as JSON at once.
 */
#ifndef LOCANT_TUTORIALS_PRINT_H
#define LOCANT_TUTORIALS_PRINT_H

#include "run.h"

/* Start part 'a', 'b', ..; "locant tutorial S0.10b" shows it alone. */
void part(char letter, const char *title);
/* Prose; lines are broken at column 80. */
void say(const char *format, ...) LOCANT_PRINTF(1, 2);

/* "name: value"; in JSON a member of "values". */
void show(const char *name, double x);
void show_count(const char *name, int64_t n);
void show_text(const char *name, const char *text);
void show_shape(const char *name, locant_tensor t);
/* n numbers in a line, each by 'format' ("%.4f"). */
void show_list(const char *name, const char *format, const double *x,
               int64_t n);
/* A small matrix, a row to a line. */
void show_matrix(const char *name, const char *format, const double *x,
                 int64_t rows, int64_t cols);

/*
 * A table.  Cells are separated by '|', so no cell has one:
 * table("times", "method|ms"), then table_row("%s|%.2f", name, ms) per line.
 * The next output ends it.  In JSON it is a list of lists, where cells that
 * read as numbers are numbers.
 */
void table(const char *name, const char *columns);
void table_row(const char *format, ...) LOCANT_PRINTF(1, 2);

/* A table of points and the rows that show them; checks that those exist. */
struct point {
    const char *what, *row;
};
void table_of_rows(const char *head, const struct point *points, int n);

/*
 * Where the tutorial is wrong: what it has, what is right, and why, in a
 * sentence.  'id' is the number of the mistake, "E-0.5".
 */
void mistake(const char *id, const char *what, double theirs, double right,
             const char *why);
void mistake_in_words(const char *id, const char *what, const char *theirs,
                      const char *right, const char *why);

/* A number; null if it is not finite. */
json_t *number_json(double x);
/* The lines before and after the row's own; 0: no memory for t->json. */
int  print_begin(struct tutorial *t);
void print_end(struct tutorial *t);
void wrote_figure(const char *path);

#endif /* LOCANT_TUTORIALS_PRINT_H */
