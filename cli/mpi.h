/* mpi.h - liblocant_mpi, loaded when a command asks for it */
#ifndef LOCANT_CLI_MPI_H
#define LOCANT_CLI_MPI_H
#include "cli.h"
#include "locant/mpi.h"

/* The functions of locant/mpi.h. */
struct cli_mpi {
    locant_status (*group)(locant_group **out, void *comm, double patience);
    void (*free)(locant_group *group);
    void (*abort)(const locant_group *group, int exit_status);
    locant_status (*allreduce)(const locant_group *group, float *data,
                               size_t n);
    const char *(*version)(void);
};

/* Load the library. On failure *out is NULL and *why says why, as
   cli_text(). */
void cli_mpi_load(const struct cli_mpi **out, const char **why);

/* The name and version of MPI, "Open MPI v4.1.4", or NULL and why there is
   none. */
const char *cli_mpi_name(const char **why);

#endif
