/* homework.h - questions with a blank, and the answers, which are computed. */
#ifndef LOCANT_TUTORIALS_HOMEWORK_H
#define LOCANT_TUTORIALS_HOMEWORK_H

#include "run.h"

/* "____" in a question is where the answer belongs. */
#define HOMEWORK_BLANK "____"

struct homework {
    int document, number; /* 0 .. 4; from 1 in each document */
    const char *name;     /* "slope_of_8" */
    void (*run)(void);
    const char *row;    /* a row that shows it */
    const char *format; /* of printf, for the answer */
    const char *question, *question_zh, *hint, *hint_zh;
};

/* All questions, ordered by document; the last has the name NULL. */
extern const struct homework homework[];

/* Compute the answer.  Errors: those of the functions it calls; the message is
   locant_last_error(). */
locant_status homework_answer(double *out, const struct homework *q);

#endif /* LOCANT_TUTORIALS_HOMEWORK_H */
