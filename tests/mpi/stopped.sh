# shellcheck shell=sh disable=SC2154 # the caller has set launcher
# stopped.sh - what a launcher makes of 75 after a rank was stopped.

# stopped GOT LOG: 75 if GOT stands for it, otherwise GOT.  MPICH's launcher ends
# the stopped rank by signal 9; whether it then exits with that or with the 75 of
# the rank that aborts is a race within it.  That of Open MPI 4.1 can crash when
# all ranks have ended.
stopped() {
    if [ "$1" = 9 ] && "$launcher" --version 2>&1 | grep -q HYDRA; then
        echo 75
    elif [ "$1" = 139 ] && grep -q PMIx_server_finalize "$2"; then
        echo 75
    else
        echo "$1"
    fi
}
