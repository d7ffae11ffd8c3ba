#!/bin/sh
# The command runs out of memory: exit status 3, and one message that says so.
# usage: tests/test_no_memory.sh BUILD    one line per check; exit 1 if one fails
build=$(cd "${1:?usage: test_no_memory.sh BUILD}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
cc -O1 -shared -fPIC -o fail.so "$here/fail_malloc.c" -ldl || exit 1
failed=0

# The failure of an allocation that is not needed, as of a buffer, may have no
# effect.
good() {
    [ "$1" = 0 ] && cmp -s want out && return 0
    [ "$1" = 3 ] && grep -q '^locant: .*memory' err &&
        [ "$(grep -c '^locant: ' err)" = 1 ] && ! grep -q UTF-8 err
}

# check 'K...' ARGUMENTS: the K-th allocation fails, each in a run of its own
check() {
    counts=$1
    shift
    rm -rf lab && cp -r kept lab
    "$build/locant" "$@" > want 2> /dev/null
    for k in $counts; do
        rm -rf lab && cp -r kept lab
        FAIL_AT=$k LD_PRELOAD=./fail.so "$build/locant" "$@" > out 2> err
        status=$?
        good "$status" && continue
        echo "FAIL $*, allocation $k: exit status $status: $(head -c 200 err)"
        failed=1
        return
    done
    echo "ok   $*"
}

run='--generated --dir lab --steps 2 --layers 1 --width 16 --heads 2 --ff 16
     --batch 2 --length 32'
mkdir kept
"$build/locant" train --encoding alibi $run > /dev/null 2>&1 && mv lab/* kept
check '2 14 66 173 196 1041 6543' list --json
check '2 5 22 23' show rope
check '4 13' show alibi --markdown
check '37 45 53' tutorial S1.1 --json
check '31 300' doctor
check '800 1132 1145' runs sql 'select * from runs' --dir lab --json
check '400 850 940' runs list --json --dir lab
check '500 2000' selftest --only alibi --cases 1
check '31 211 2500 6500' \
    train --encoding none $run
exit "$failed"
