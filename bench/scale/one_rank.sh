#!/bin/bash
# What leaves and one rank of MPI cost: processor seconds of the same training.
#
# usage: bench/scale/one_rank.sh LOCANT [ROUNDS [STEPS]]
#
# Each round trains with one chain of sums, with 16 leaves, and with 16 leaves
# under 'mpirun -n 1' (whose own time counts), one after another, with one
# thread.  Prints medians over rounds, and of the ratios of each round.  STEPS
# should be hundreds: starting MPI takes a tenth of a second.
set -eu
locant=${1:?usage: one_rank.sh LOCANT [ROUNDS [STEPS]]}
rounds=${2:-5} steps=${3:-300}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
as_root=
[ "$(id -u)" != 0 ] || as_root=--allow-run-as-root # of Open MPI
# MPICH's launcher does not know it.
! mpirun --version 2>&1 | grep -q HYDRA || as_root=

TIMEFORMAT='%U %S'
seconds() {
    rm -rf "$work/store"
    { time "$@" --encoding rope --generated --threads 1 --steps "$steps" \
        --dir "$work/store" > "$work/log" 2>&1 || { cat "$work/log" >&2
        exit 1; }; } 2> "$work/time" || { cat "$work/time" >&2; exit 1; }
    awk '{ printf "%.2f ", $1 + $2 }' "$work/time"
}

median() {
    sort -n | awk '{ v[NR] = $1 }
        END { printf "%.3f", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

for _ in $(seq "$rounds"); do
    seconds "$locant" train
    seconds "$locant" train --leaves 16
    # shellcheck disable=SC2086 # none or one option
    seconds mpirun $as_root -n 1 "$locant" train --ranks mpi
    echo
done > "$work/rounds"
for column in 1 2 3; do
    awk -v c=$column '{ print $c }' "$work/rounds" | median > "$work/$column"
done
echo "chain $(cat "$work/1") s, leaves $(cat "$work/2") s," \
     "one rank of MPI $(cat "$work/3") s: medians of $rounds, $steps steps"
echo "leaves / chain $(awk '{ print $2 / $1 }' "$work/rounds" | median)," \
     "one rank of MPI / leaves $(awk '{ print $3 / $2 }' "$work/rounds" | median)"
