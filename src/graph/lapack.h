/* lapack.h - LAPACK of OpenBLAS, loaded when the first graph needs it */
#ifndef LCT_LAPACK_H
#define LCT_LAPACK_H
#include "../core/error.h"

struct lct_lapack {
    /* Fortran's interface; the last two are the lengths of strings */
    void (*dsyevd)(const char *jobz, const char *uplo, const int *n, double *a,
                   const int *lda, double *w, double *work, const int *lwork,
                   int *iwork, const int *liwork, int *info, size_t, size_t);
    void (*set_threads)(int n);
};

/*
 * Call it before each use: it checks the address space for OpenBLAS's scratch.
 * Errors: IO (OpenBLAS is not installed), NOMEM.
 */
locant_status lct_lapack_load(const struct lct_lapack **out, const char *fn);
#endif
