/*
 * mpi.c - see mpi.h
 *
 * The library is loaded because MPI belongs to one machine: a command that is
 * linked to it would not start where that MPI is missing.
 */
#define _GNU_SOURCE
#include "mpi.h"
#include <dlfcn.h>
#include <string.h>

#ifdef LOCANT_MPI_FILE

/* Open MPI loads parts of itself, which look for its functions among those of
   all libraries. */
static void *open_library(const char **why)
{
    void *library = dlopen(LOCANT_MPI_FILE, RTLD_NOW | RTLD_GLOBAL);

    if (library == NULL)
        *why = cli_text("%s", cli_safe(dlerror()));
    return library;
}

static bool find(void *to, void *library, const char *name, const char **why)
{
    void *found = dlsym(library, name);

    if (found == NULL)
        *why = cli_text("%s: has no %s", LOCANT_MPI_FILE, name);
    memcpy(to, &found, sizeof found);
    return found != NULL;
}

void cli_mpi_load(const struct cli_mpi **out, const char **why)
{
    static struct cli_mpi mpi;
    static bool loaded;
    void *library = loaded ? NULL : open_library(why);

    if (library != NULL)
        loaded = find(&mpi.group, library, "locant_mpi_group", why) &&
                 find(&mpi.free, library, "locant_mpi_free", why) &&
                 find(&mpi.abort, library, "locant_mpi_abort", why) &&
                 find(&mpi.allreduce, library, "locant_mpi_allreduce", why) &&
                 find(&mpi.version, library, "locant_mpi_version", why);
    *out = loaded ? &mpi : NULL;
}

#else

void cli_mpi_load(const struct cli_mpi **out, const char **why)
{
    *out = NULL;
    *why = "not in this build (libopenmpi-dev or libmpich-dev)";
}

#endif

const char *cli_mpi_name(const char **why)
{
    const struct cli_mpi *mpi;

    cli_mpi_load(&mpi, why);
    if (mpi == NULL)
        return NULL;
    return mpi->version();
}
