/* shared.h - load shared libraries when something needs them */
#ifndef LCT_SHARED_H
#define LCT_SHARED_H
#include "../core/error.h"

/* A function, and the offset of its pointer in the library's table. */
struct lct_symbol {
    const char *name;
    size_t at;
};

struct lct_shared {
    const char *need;     /* for messages: "eigenvectors need OpenBLAS" */
    const char *files[3]; /* names to try, up to NULL */
    const struct lct_symbol *symbols;
    size_t n_symbols;
    void *table; /* of pointers to functions */
    int loaded;
};

/*
 * Fill the table once; the library stays loaded.  After a failure the next call
 * tries again.
 * Errors: IO (no such library, or it lacks a function), NOMEM.
 */
locant_status lct_shared_load(struct lct_shared *library, const char *fn);
#endif
