/* lapack.c - LAPACK of OpenBLAS, loaded when the first graph needs it */
#define _GNU_SOURCE
#include "lapack.h"
#include "../files/shared.h"
#include <stdbool.h>
#include <sys/mman.h>

/*
 * SCRATCH: OpenBLAS's scratch for one thread, 128 MB with DYNAMIC_ARCH and less
 * without.  LIBRARY: OpenBLAS and Fortran's library, 40 MB in Debian 12.
 */
enum { SCRATCH = 1 << 27, LIBRARY = 1 << 26 };

static struct lct_lapack lapack;

static const struct lct_symbol symbols[] = {
    { "dsyevd_", offsetof(struct lct_lapack, dsyevd) },
    { "openblas_set_num_threads", offsetof(struct lct_lapack, set_threads) },
};

/*
 * The build without threads, if CMake found it, is tried first: the threads of
 * libopenblas.so.0 hang a process at exit if 'ulimit -v' leaves no address
 * space for their scratch.
 */
static struct lct_shared library = { "eigenvectors need OpenBLAS",
                                     {
#ifdef LOCANT_OPENBLAS
                                         LOCANT_OPENBLAS,
#endif
                                         "libopenblas.so.0" },
                                     symbols,
                                     sizeof symbols / sizeof symbols[0],
                                     &lapack,
                                     0 };

/*
 * Is there address space for OpenBLAS's scratch?  Without it, under 'ulimit
 * -v', OpenBLAS retries for ever.
 */
static bool has_room(size_t size)
{
    void *room = mmap(NULL, size, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return room != MAP_FAILED && munmap(room, size) == 0;
}

locant_status lct_lapack_load(const struct lct_lapack **out, const char *fn)
{
    if (!has_room((size_t)SCRATCH + (size_t)LIBRARY))
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: OpenBLAS needs %d MB of address space", fn,
                           (SCRATCH + LIBRARY) >> 20);
    LCT_TRY(lct_shared_load(&library, fn));
    *out = &lapack;
    return LOCANT_OK;
}
