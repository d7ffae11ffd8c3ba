/*
 * mpi.h - a group of MPI processes: liblocant_mpi.
 *
 * The library is built once for each MPI, where CMake finds one (MPI-3.1 or
 * newer; tested with Open MPI and MPICH), and is the only one that links MPI.
 * What decides bits uses messages between two ranks alone (MPI_Isend,
 * MPI_Irecv, MPI_Testsome, MPI_Cancel), so results are the same under every
 * MPI.
 */
#ifndef LOCANT_MPI_H
#define LOCANT_MPI_H

#include "group.h"

LOCANT_BEGIN_DECLS

/*
 * Make a group of the processes of a communicator.  Every process of it calls
 * this.
 *
 * out       written; free it with locant_mpi_free(); NULL after an error
 * comm      MPI_Comm *: it is duplicated; NULL: MPI_COMM_WORLD, and if nobody
 *           has initialised MPI, this function does, and locant_mpi_free()
 *           finalises it
 * patience  seconds, above 0: when no message has come or gone for so long, an
 *           exchange fails with IO and names a rank that has not answered
 *
 * The group may be used by one thread, the one that initialised MPI (level
 * MPI_THREAD_FUNNELED).  While it waits it asks the poll of locant_set_poll().
 * Pieces beyond 1 GiB travel in parts of 1 GiB.
 * Errors: NULL, PARAM (patience; MPI is finalised), UNSUPPORTED (MPI was
 * initialised without threads), NOMEM, IO (MPI failed).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_mpi_group(locant_group **out, void *comm, double patience);

/* NULL is fine.  Every process calls this, except after a failed exchange: then
   MPI is not finalised, because that would wait for the lost rank. */
LOCANT_API void locant_mpi_free(locant_group *group);

/*
 * MPI_Abort(): end every process of the group, also this one, with an exit
 * status.  For programs whose exchange has failed; no library calls it.
 */
LOCANT_API void locant_mpi_abort(const locant_group *group, int exit_status);

/*
 * MPI_Allreduce(): data [n] becomes the sum of those of all processes, which
 * call this with the same n.  For benches: its bits depend on the MPI and on
 * the number of processes, and no library calls it.
 * Errors: NULL, PARAM (n is beyond the counts of MPI-3), IO.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_mpi_allreduce(const locant_group *group, float *data, size_t n);

/* "Open MPI v4.1.4", "MPICH Version: 4.0.2", or what else the MPI of this
   process calls itself; valid for ever, never NULL.  Calls no MPI function that
   needs MPI_Init(). */
LOCANT_API const char *locant_mpi_version(void);

LOCANT_END_DECLS
#endif /* LOCANT_MPI_H */
