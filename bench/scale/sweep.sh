#!/bin/bash
# What sharing a sweep out costs: processor seconds of a part beyond its runs.
#
# usage: bench/scale/sweep.sh LOCANT [PRESET [ROUNDS]]
#
# Trains a part of one run, the smallest that there is, of a preset ('hour').
# The same command once more finds the run done: that is what a part does besides
# (it starts, reads the text, learns the vocabulary, opens its store), and so is
# its merge.  Prints the medians of both over rounds, and their sum as a part of
# what the run takes: at most 0.02 by docs/SCALE.md.  One thread.
set -eu
locant=${1:?usage: sweep.sh LOCANT [PRESET [ROUNDS]]}
preset=${2:-hour} rounds=${3:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

TIMEFORMAT='%U %S'
seconds() {
    { time "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }; } \
        2> "$work/time" || { cat "$work/time" >&2; exit 1; }
    awk '{ printf "%.3f\n", $1 + $2 }' "$work/time"
}

median() {
    sort -n | awk '{ v[NR] = $1 }
        END { printf "%.3f", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

part() {
    seconds "$locant" report --preset "$preset" --generated --encodings rope \
        --seeds 1 --threads 1 --part 1/1 --dir "$work/lab"
}

first=$(part)
for _ in $(seq "$rounds"); do
    part >> "$work/again"
    rm -f "$work"/lab/runs.db*
    seconds "$locant" runs merge "$work/lab" "$work/lab/part-1-of-1" \
        >> "$work/merge"
done
again=$(median < "$work/again") merge=$(median < "$work/merge")
awk -v f="$first" -v a="$again" -v m="$merge" 'BEGIN {
    printf "the run %.1f s, a part besides %.2f s, its merge %.2f s: %.4f\n",
        f - a, a, m, (a + m) / (f - a) }'
