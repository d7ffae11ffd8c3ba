#!/bin/sh
# Run tests/cli/*.sh, each in an empty folder of its own.
#
# usage: tests/run_cli.sh LOCANT [NAME...]
#
# name.sh runs under 'sh -u' with LOCANT, the command, and MAKE, which writes
# arrays (tests/cli/make.py).  Its output is compared with name.stdout and
# name.stderr, its exit status with name.exit; a missing file means empty, or 0.
# Prints one line per failing test and "N passed, N failed".
# LOCANT_ACCEPT=1 writes the output into those files instead.
# JOBS cases run at a time (default: the number of CPUs), without those that
# LEFT_OUT names.
here=$(cd "$(dirname "$0")" && pwd)
LOCANT=$(cd "$(dirname "${1:?usage: run_cli.sh LOCANT [NAME...]}")" && pwd)
LOCANT=$LOCANT/$(basename "$1")
MAKE="python3 $here/cli/make.py"
# Help and texts follow the locale; expected output is in English.
LC_ALL=C.UTF-8
export LOCANT MAKE LC_ALL
shift
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

# expected FILE DEFAULT: the contents of the file; the default if it is missing
expected() {
    if [ -e "$1" ]; then cat "$1"; else printf '%s' "$2"; fi
}

accept() {
    for stream in stdout stderr; do
        rm -f "$here/cli/$1.$stream"
        if [ -s "$scratch/$stream" ]; then
            cp "$scratch/$stream" "$here/cli/$1.$stream"
        fi
    done
    rm -f "$here/cli/$1.exit"
    [ "$2" = 0 ] || echo "$2" > "$here/cli/$1.exit"
}

compare() {
    expected "$here/cli/$1.stdout" > "$scratch/want_stdout"
    expected "$here/cli/$1.stderr" > "$scratch/want_stderr"
    want=$(expected "$here/cli/$1.exit" 0)
    for stream in stdout stderr; do
        diff -u "$scratch/want_$stream" "$scratch/$stream" \
            > "$scratch/diff" && continue
        echo "FAIL cli/$1: $stream differs"
        sed 1,2d "$scratch/diff" | head -n 20
        return 1
    done
    [ "$2" = "$want" ] && return 0
    echo "FAIL cli/$1: exit status $2, expected $want"
    return 1
}

run() {
    mkdir "$scratch/empty"
    (cd "$scratch/empty" && timeout 120 sh -u "$here/cli/$1.sh") \
        > "$scratch/stdout" 2> "$scratch/stderr" < /dev/null
    status=$?
    # chmod: a test may have made a folder that cannot be written
    chmod -R u+w "$scratch/empty"
    rm -rf "$scratch/empty"
    if [ "${LOCANT_ACCEPT:-}" = 1 ]; then
        accept "$1" "$status"
    elif compare "$1" "$status"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
}

# Run JOBS copies of this script, each with a part of the cases; add up counts.
share() {
    jobs=${JOBS:-$(nproc)}
    for job in $(seq "$jobs"); do
        names=$(for file in "$here"/cli/*.sh; do basename "$file" .sh; done |
            grep -vxF "$(echo ${LEFT_OUT:-none} | tr ' ' '\n')" |
            awk "NR % $jobs == $job % $jobs")
        "$here/run_cli.sh" "$LOCANT" $names > "$scratch/job$job" 2>&1 &
    done
    wait
    grep -hv ' passed, ' "$scratch"/job*
    cat "$scratch"/job* | awk '
        / passed, [0-9]+ failed$/ { passed += $1; failed += $3; jobs++ }
        END { if (jobs != '"$jobs"') failed++
              print passed + 0 " passed, " failed + 0 " failed"
              exit failed > 0 }'
}

if [ $# -eq 0 ]; then
    share
    exit
fi
for name in "$@"; do
    run "$name"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
