/* identify_solve.h - linear least squares by normal equations, in double */
#ifndef LCT_IDENTIFY_SOLVE_H
#define LCT_IDENTIFY_SOLVE_H
#include "../core/error.h"

struct lct_equations {
    int unknowns;
    int64_t n;      /* equations */
    double *matrix; /* [unknowns, unknowns], the lower half */
    double *right;  /* [unknowns] */
    double *x;      /* [unknowns], the solution */
    double *row;    /* [unknowns], for the caller */
    double squares; /* of the right sides */
    double left;    /* rms of what the solution leaves */
    double size;    /* rms of the right sides */
    double error;   /* rms standard error of the unknowns */
};

/* For at most so many unknowns. */
locant_status lct_equations_create(struct lct_equations *e, int most);
void lct_equations_free(struct lct_equations *e);
void lct_equations_clear(struct lct_equations *e, int unknowns);
void lct_equations_add(struct lct_equations *e, const double *row,
                       double right);
/* Cholesky; unknowns that the equations do not show become 0. */
void lct_equations_solve(struct lct_equations *e);
#endif
