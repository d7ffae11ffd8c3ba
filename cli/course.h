/* course.h - the rows of the tutorials as an HTML page. */
#ifndef LOCANT_CLI_COURSE_H
#define LOCANT_CLI_COURSE_H

#include "../tutorials/run.h"
#include "cli.h"

/* A page that is being written; initialise with zeros. */
struct course {
    FILE *out;
    char *text;
    size_t size;
    const struct tutorial_row *first, *last; /* its rows, both included */
    int chinese; /* opens in Chinese; the reader can switch */
};

/* Write everything before the first row.  Returns an exit status. */
int course_begin(struct course *c);
/* Write a row that has run: t->json, what it printed in each language, and the
   SVG elements that it wrote into t->page. */
void course_row(struct course *c, const struct tutorial *t,
                char *const printed[LANGUAGES], const char *figures);
/* Write the homework of document 0 .. 4, and compute its answers.  Returns an
   exit status. */
int course_homework(struct course *c, int document);
/* Write what follows the rows, then the file; releases 'c'. */
int course_end(struct course *c, const char *path);
#endif /* LOCANT_CLI_COURSE_H */
