/*
 * print.h - prints the results of a row as text and as JSON.
 *
 * A row speaks English; these functions also print the Chinese that
 * chinese*.def have for its texts.  JSON is in English.
 */
#ifndef LOCANT_TUTORIALS_PRINT_H
#define LOCANT_TUTORIALS_PRINT_H

#include "chinese.h"
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
/* Print numbers in a line, each by 'format' ("%.4f"). */
void show_list(const char *name, const char *format, locant_tensor x);
/* The first n numbers of each row of x, as a list called names[row]. */
void show_lists(const char *const *names, const char *format, locant_tensor x,
                int64_t n);
/* Print a small matrix, one row per line. */
void show_matrix(const char *name, const char *format, locant_tensor x);

/* A JSON number; null if x is not finite. */
json_t *number_json(double x);
/* A member of the JSON of the part, created with 'make' if it is missing. */
json_t *member(const char *name, json_t *(*make)(void));
/* The text in a language of the output; Chinese is written into 'room'. */
const char *text_in(enum language l, char room[LONGEST], const char *text);
/* Print the lines before and after the row's own.  Returns 0 if there is no
   memory for t->json. */
int print_begin(struct tutorial *t);
void print_end(const struct tutorial *t);

#endif /* LOCANT_TUTORIALS_PRINT_H */
