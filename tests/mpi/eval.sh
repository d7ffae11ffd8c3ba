#!/bin/sh
# 'locant eval --ranks mpi': the bits of one process, and what stops it.
# usage: eval.sh MPIEXEC LOCANT
launcher=${1:?usage: eval.sh MPIEXEC LOCANT}
. "$(dirname "$0")/ranks.sh"

# losses FILE: the result without the time
losses() {
    grep -q same_targets "$1" || echo "$1 has no losses"
    grep -v tokens_per_second "$1"
}

evaluate="eval 1 --json --blocks 5 --generated"
for encoding in rope t5; do
    $locant train --encoding $encoding --generated --layers 2 --width 32 \
        --ff 64 --length 64 --steps 12 --dir new > log 2>&1
    cp -r new one
    $locant $evaluate --dir one > want 2> log
    for n in 1 2 3 4; do
        cp -r new store
        ranks $n $evaluate --ranks mpi --dir store > got 2> log
        exits 0 $? "$encoding on $n ranks"
        verdict 'with the bits of one process' \
            "$([ "$(losses got)" = "$(losses want)" ] || cat got)"
        $locant $evaluate --dir store > again 2> log
        verdict 'which the store has' "$(cmp got again 2>&1)"
        rm -r store
    done
    [ $encoding = t5 ] || rm -r new one
done

# recorded: how many results the store has
recorded() {
    $locant runs sql 'SELECT count(*) FROM evaluations' --dir new | tail -n 1
}

ranks 1 $evaluate --ranks mpi --isa base --dir new : -n 1 \
    "$locant" $evaluate --ranks mpi --dir new > log 2>&1
exits 2 $? 'another instruction set'
says "rank 1 has '[a-z0-9]+' where rank 0 has 'base'"
ranks 1 $evaluate --ranks mpi --dir new : -n 1 \
    "$locant" $evaluate --ranks mpi --blocks 6 --dir new > log 2>&1
exits 2 $? 'another option'
says "rank 1 has 'blocks=6' where rank 0 has 'blocks=5'"
ranks 2 $evaluate --ranks mpi --dir none > log 2>&1
exits 3 $? 'no store'
verdict 'said once' "$([ "$(grep -c 'locant: ' log)" = 1 ] || cat log)"

# begin RANKS [ARG..]: an evaluation in the background of half a minute, of a
# model that is large for that
rm -r new
$locant train --encoding t5 --generated --layers 6 --width 64 --ff 256 \
    --length 64 --steps 1 --dir new > log 2>&1
begin() {
    n=$1
    shift
    "$here/launch.sh" "$launcher" "$n" "$locant" eval 1 --generated --blocks 4000 \
        --ranks mpi --dir new "$@" > log 2>&1 &
    job=$!
    sleep 3
}

begin 3
kill -INT $(started | shuf -n 1)
wait $job
exits 75 $? 'SIGINT to one rank'
says 'stopped; nothing was recorded'
verdict 'once' "$([ "$(grep -c 'stopped; nothing' log)" = 1 ] || cat log)"

begin 3 --patience 2
kill -STOP $(started | sort -n | sed -n 2p)
wait $job
exits 75 "$(stopped $? log)" 'a rank that is stopped'
says 'rank [0-2] of 3 \(host [^ ]+\) has not answered for 2 s in the evaluation of run 1'
kill -KILL $(started) 2> /dev/null

begin 2 --patience 1
kill -STOP $(started | sort -n | sed -n 2p)
wait $job
exits 75 "$(stopped $? log)" 'one of two that is stopped'
kill -KILL $(started) 2> /dev/null

begin 3
kill -KILL $(started | shuf -n 1)
wait $job
got=$?
verdict "a rank that is killed ends all ($got)" \
    "$([ $got != 0 ] || echo none; started)"
verdict 'nothing is recorded' "$([ "$(recorded)" = 0 ] || recorded)"
exit $failed
