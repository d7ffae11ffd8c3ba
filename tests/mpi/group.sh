#!/bin/sh
# A group of MPI: what its ranks do, and what happens when one is stopped.
# usage: group.sh MPIEXEC PROGRAM [big]    big: with a piece beyond 2^31 bytes
here=$(cd "$(dirname "$0")" && pwd)
launcher=${1:?usage: group.sh MPIEXEC PROGRAM [big]} program=$2
. "$here/../verdict.sh"
. "$here/stopped.sh"

ranks() {
    "$here/launch.sh" "$launcher" "$@" 2>&1
}

if [ "${3:-}" = big ]; then
    free=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
    if [ "${free:-0}" -lt 8 ]; then
        echo "ok   left out: $free GiB are free, a piece of 2 GiB needs 8"
        exit 0
    fi
    succeeds 'a piece of 2^31 + 5 bytes arrives' ranks 2 "$program" big
    exit $failed
fi
for n in 1 2 3 4; do
    succeeds "$n ranks exchange what they mean to" ranks $n "$program" work
done
succeeds 'MPI and communicator of the program are used' ranks 4 "$program" guest
succeeds 'a poll ends the wait' ranks 2 "$program" polled
succeeds 'a piece of another size is refused' ranks 2 "$program" sizes

log=$(mktemp)
trap 'rm -f "$log"' EXIT
ranks 3 "$program" silent > "$log"
got=$(stopped $? "$log")
verdict 'a rank that is stopped ends all with 75' \
    "$([ "$got" = 75 ] || echo "$got: $(cat "$log")")"
verdict 'and is named, in time' \
    "$(grep -Eq '^after [2-4] s: rank 1 of 3 \(host [^ ]+\) has not answered for 2 s$' "$log" ||
       cat "$log")"
exit $failed
