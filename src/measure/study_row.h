/* study_row.h - the losses of one encoding in two studies, and their tests */
#ifndef LCT_STUDY_ROW_H
#define LCT_STUDY_ROW_H
#include "claims.h"
#include <jansson.h>

/* The runs in one study. */
struct lct_study_runs {
    size_t n;
    json_int_t *seed; /* [n] */
    double *loss;     /* [LOCANT_EVAL_LENGTHS, most]; NAN: not known */
};

struct lct_study_row {
    struct lct_study_runs runs[2];
    size_t most; /* most runs of an encoding in a study */
    bool paired;
    size_t common;   /* seeds in both */
    double *scratch; /* room for all pairs: seeds of a study may repeat */
    struct lct_test test[LOCANT_EVAL_LENGTHS]; /* 'corrected' is NAN */
};

/* Allocate a row for any encoding of two studies; close it also on failure. */
locant_status lct_study_row_open(struct lct_study_row *row,
                                 const json_t *const study[2]);
void lct_study_row_close(struct lct_study_row *row);

/* Read the runs of an encoding. */
void lct_study_row_read(struct lct_study_row *row, const json_t *const study[2],
                        const char *encoding);

/* Decide how the row is tested, and test it at each length. */
locant_status lct_study_row_test(struct lct_study_row *row, bool same_tokens);

/* Fill 'd' with the differences at length index k of the seeds that both have,
   and return how many there are. */
size_t lct_study_row_subtract(double *d, const struct lct_study_row *row,
                              size_t k);
#endif
