#!/bin/sh
# Run a program under the launcher of an MPI, mpirun of Open MPI or of MPICH.
# usage: launch.sh MPIEXEC RANKS PROGRAM [ARG..]
launcher=${1:?usage: launch.sh MPIEXEC RANKS PROGRAM [ARG..]} ranks=$2
shift 2
# Of Open MPI: more ranks than cores, and root, as in a container.
export OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
exec "$launcher" -n "$ranks" "$@"
