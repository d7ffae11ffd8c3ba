/* lapack.h - LAPACK of OpenBLAS, loaded when the first graph needs it */
#ifndef LCT_LAPACK_H
#define LCT_LAPACK_H
#include "../core/error.h"

struct lct_lapack {
    /* Fortran's interface; the last two arguments are string lengths */
    void (*dsyevd)(const char *jobz, const char *uplo, const int *n, double *a,
                   const int *lda, double *w, double *work, const int *lwork,
                   int *iwork, const int *liwork, int *info, size_t, size_t);
    void (*set_threads)(int n);
};

/*
 * Load OpenBLAS and check that there is address space for its scratch; call it
 * before each use.  'fn' begins the message.
 * Errors: IO (OpenBLAS is not installed), NOMEM.
 */
locant_status lct_lapack_load(const struct lct_lapack **out, const char *fn);
#endif
