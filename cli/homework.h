/* homework.h - the homework of the tutorials, printed and answered. */
#ifndef LOCANT_CLI_HOMEWORK_H
#define LOCANT_CLI_HOMEWORK_H

#include "../tutorials/homework.h"
#include "cli.h"

/* Print the questions of a document, -1: of all.  'answers': with hints and
   answers.  Returns an exit status, as the others do. */
int homework_print(int document, int answers, int chinese);
/* The same as JSON, both languages. */
int homework_print_json(int document, int answers);
/* homework_answer() that reports its error. */
int homework_find_answer(double *out, const struct homework *q);

#endif /* LOCANT_CLI_HOMEWORK_H */
