#!/bin/bash
# Two ranks with one thread each against one process of two threads: seconds of
# the same training on two cores that nobody else uses.
#
# usage: bench/scale/two_ranks.sh LOCANT [ROUNDS [STEPS]]
#
# The model is size L of docs/SCALE.md (5M parameters, 32 x 256 tokens).  A round
# trains by two threads, then by two ranks, and each of them twice: once for
# STEPS steps and once for twice as many.  The difference is the time of STEPS
# steps, without what it takes to start MPI, to read the text and to write
# checkpoints.  Prints the medians over rounds and the median ratio of a round:
# two threads / two ranks, at least 0.95 by docs/SCALE.md.
set -eu
locant=${1:?usage: two_ranks.sh LOCANT [ROUNDS [STEPS]]}
rounds=${2:-5} steps=${3:-20}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
launch="mpirun -n 2"
if mpirun --version 2>&1 | grep -q HYDRA; then
    launch="$launch -bind-to core" # MPICH
else
    launch="$launch --bind-to core"
    [ "$(id -u)" != 0 ] || launch="$launch --allow-run-as-root"
fi

TIMEFORMAT=%R
wall() { # wall STEPS COMMAND..
    n=$1
    shift
    rm -rf "$work/store"
    { time "$@" --encoding rope --generated --layers 6 --width 256 --heads 8 \
        --ff 1024 --batch 32 --length 256 --checkpoint-every 100000 \
        --steps "$n" --dir "$work/store" > "$work/log" 2>&1 ||
        { cat "$work/log" >&2; exit 1; }; } 2> "$work/time" ||
        { cat "$work/time" >&2; exit 1; }
    cat "$work/time"
}

# The seconds of STEPS steps.
seconds() {
    short=$(wall "$steps" "$@")
    long=$(wall $((2 * steps)) "$@")
    awk -v a="$short" -v b="$long" 'BEGIN { printf "%.3f ", b - a }'
}

median() {
    sort -n | awk '{ v[NR] = $1 }
        END { printf "%.3f", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

for _ in $(seq "$rounds"); do
    seconds "$locant" train --leaves 16 --threads 2
    # shellcheck disable=SC2086 # several options
    seconds $launch "$locant" train --ranks mpi --threads 1
    echo
done > "$work/rounds"
for column in 1 2; do
    awk -v c=$column '{ print $c }' "$work/rounds" | median > "$work/$column"
done
echo "two threads $(cat "$work/1") s, two ranks $(cat "$work/2") s:" \
     "medians of $rounds rounds of $steps steps"
echo "two threads / two ranks" \
     "$(awk '{ print $1 / $2 }' "$work/rounds" | median)"
