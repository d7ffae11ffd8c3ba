#!/bin/sh
# 'locant train --ranks mpi': the bits of one process, and every fault of
# docs/guide/cluster.md that can be made on one machine.
# usage: train.sh MPIEXEC LOCANT    LOCANT_KILLS: how often a rank is killed
launcher=${1:?usage: train.sh MPIEXEC LOCANT}
kills=${LOCANT_KILLS:-3}
. "$(dirname "$0")/ranks.sh"

model='--generated --layers 2 --width 32 --ff 64 --length 64'
short="train --encoding rope $model --steps 30"
long="train --encoding t5 $model --steps 400 --checkpoint-every 5"

# begin DIR [ARG..]: a long run of three ranks in the background, with a
# checkpoint
begin() {
    dir=$1
    shift
    # not by the function: $! is then the launcher
    "$here/launch.sh" "$launcher" 3 "$locant" $long --ranks mpi --dir "$dir" \
        "$@" > log 2>&1 &
    job=$!
    until [ -e "$dir/checkpoints/run-1.safetensors" ] ||
        ! kill -0 $job 2> /dev/null; do
        sleep 0.05
    done
}

# goes_on RANKS DIR: the long run once more, which begins within 5 s
goes_on() {
    now=$(date +%s%N)
    "$here/launch.sh" "$launcher" "$1" "$locant" $long --ranks mpi --dir "$2" \
        > log 2>&1 &
    job=$!
    until grep -q 'step' log || ! kill -0 $job 2> /dev/null; do
        sleep 0.02
    done
    took=$((($(date +%s%N) - now) / 1000000))
    wait $job
    exits 0 $? "the same command on $1 ranks"
    verdict "begins after $took ms" "$([ $took -le 5000 ] || cat log)"
    same 'with the bits of a run that never stopped' long "$2"
}

# ------------------------------------------------------------------- bits

for encoding in rope t5 fire; do
    run="train --encoding $encoding $model --steps 12"
    $locant $run --leaves 16 --dir one-$encoding > log 2>&1
    for n in 1 2 3 4; do
        ranks $n $run --ranks mpi --dir $encoding-$n > log 2>&1
        exits 0 $? "$encoding on $n ranks"
        same 'with the bits of one process' one-$encoding $encoding-$n
        verdict 'and one result' \
            "$([ "$(grep -c '^run 1: done' log)" = 1 ] || cat log)"
    done
done
$locant train --encoding rope $model --steps 12 --leaves 4 \
    --optimizer muon --dir muon > log 2>&1
ranks 3 train --encoding rope $model --steps 12 --leaves 4 \
    --optimizer muon --ranks mpi --dir muon-3 > log 2>&1
same '4 leaves and Muon on 3 ranks have the bits of one process' muon muon-3

$locant train --encoding transformer-xl $model --steps 12 --leaves 16 \
    --memory 32 --dir memory > log 2>&1
ranks 3 train --encoding transformer-xl $model --steps 12 \
    --memory 32 --ranks mpi --dir memory-3 > log 2>&1
same 'and so has memory' memory memory-3

# The parent is in the store of rank 0 alone.
child="train --encoding rope(scaling=linear(factor=2)) --generated --steps 6"
for n in one 3; do
    $locant train --encoding rope $model --vocabulary 300 --steps 4 \
        --dir child-$n > log 2>&1
done
$locant $child --leaves 16 --parent 1 --dir child-one > log 2>&1
ranks 3 $child --ranks mpi --parent 1 --dir child-3 > log 2>&1
exits 0 $? 'a run with a parent'
same 'has the bits of one process' child-one child-3 2

# a row of 256 tokens in four leaves, which two or three ranks share unevenly
row="train --encoding rope+t5 $model --steps 6 --batch 1 --length 256 --leaves 4"
$locant $row --dir row > log 2>&1
for n in 2 3 4; do
    ranks $n $row --ranks mpi --dir row-$n > log 2>&1
    exits 0 $? "$n ranks share a row"
    same 'with the bits of one process' row row-$n
done

# ----------------------------------------------------------------- faults

$locant $long --leaves 16 --dir long > log 2>&1
i=0
while [ $i -lt "$kills" ]; do
    begin killed-$i
    sleep 0.$(shuf -i 0-9 -n 1)
    signal=$([ $((i % 3)) = 2 ] && echo SEGV || echo KILL)
    kill -$signal $(started | shuf -n 1)
    wait $job
    got=$?
    verdict "SIG$signal of a rank, a crash, ends all ($got)" \
        "$([ $got != 0 ] || echo none; started)"
    verdict 'the store has the run, which nobody trains' \
        "$($locant runs list --dir killed-$i | grep -Eq '^ +1 +running ' ||
        $locant runs list --dir killed-$i)"
    goes_on $((1 + i % 4)) killed-$i
    i=$((i + 1))
done

begin stopped --patience 2
now=$(date +%s)
kill -STOP $(started | sort -n | sed -n 2p)
wait $job
exits 75 "$(stopped $? log)" 'a rank that is stopped'
verdict 'within some seconds' \
    "$([ $(($(date +%s) - now)) -le 6 ] || echo $(($(date +%s) - now)) s)"
says 'rank [0-2] of 3 \(host [^ ]+\) has not answered for 2 s in step [0-9]+; the run continues from step [0-9]+: the same command'
kill -KILL $(started) 2> /dev/null
goes_on 2 stopped

begin signalled
kill -INT $(started | shuf -n 1)
wait $job
got=$?
exits 75 $got 'SIGINT to one rank'
says 'stopped and saved'
verdict 'of one rank' "$([ "$(grep -c 'stopped and saved' log)" = 1 ] || cat log)"
$locant $long --leaves 16 --dir signalled > log 2>&1
same 'and one process goes on to the same bits' long signalled

# 'make test' leaves these out.
if [ "$kills" -ge 10 ]; then
    begin all
    kill -TERM $(started)
    wait $job
    exits 75 $? 'SIGTERM to all ranks'
    verdict 'said once' \
        "$([ "$(grep -c 'stopped and saved' log)" = 1 ] || cat log)"
    goes_on 1 all

    # The first one may have been obeyed before the second one comes.
    begin twice
    rank=$(started | shuf -n 1)
    kill -INT $rank
    kill -INT $rank 2> /dev/null
    wait $job
    got=$?
    verdict "a second SIGINT ends all ($got)" \
        "$([ $got != 0 ] || cat log; started)"
    goes_on 3 twice
fi

# The launcher of Open MPI then makes an exit status of its own.
begin interrupted
kill -TERM $job
wait $job
verdict 'SIGTERM to the launcher stops and saves' \
    "$(grep -q 'stopped and saved' log || cat log)"
goes_on 4 interrupted

# complaints LOG: all but that ranks do not pay for so small a model
complaints() {
    grep 'locant: ' "$1" | grep -v 'of a step on messages and waiting'
}

begin gone
mv gone lost
wait $job
exits 3 $? 'a store that is lost'
verdict 'said once' "$([ "$(complaints log | wc -l)" = 1 ] || cat log)"
says 'gone/checkpoints/run-1.safetensors: cannot be created'

ranks 2 $short --ranks mpi --lr 1000 --dir far > log 2>&1
exits 2 $? 'a loss that is not finite'
verdict 'said once' "$([ "$(complaints log | wc -l)" = 1 ] || cat log)"
says 'the loss became .*; a lower learning_rate than 1000 may help'

# A disk of its own, if this process may have one, too small for a checkpoint.
mkdir full
cat > full.sh <<END
mount -t tmpfs -o size=400k none full || exit
"$here/launch.sh" "$launcher" 3 "$locant" $long --ranks mpi --dir full > log 2>&1
echo \$? > full-status
mount -o remount,size=64m full
"$here/launch.sh" "$launcher" 2 "$locant" $long --ranks mpi --dir full > log-2 2>&1
cp -r full full-copy
END
unshare -m sh full.sh 2> /dev/null
if [ -e full-status ]; then
    exits 3 "$(cat full-status)" 'a full disk of rank 0'
    verdict 'said once' "$([ "$(complaints log | wc -l)" = 1 ] || cat log)"
    verdict 'and the run goes on' "$(complaints log-2)"
    same 'to the same bits' long full-copy
else
    echo 'ok   left out: this process may not mount a small disk'
fi

# --------------------------------------------------------------- refusals

ranks 1 $short --ranks mpi --isa base --dir unlike : -n 1 \
    "$locant" $short --ranks mpi --dir unlike > log 2>&1
exits 2 $? 'another instruction set'
says "rank 1 has '[a-z0-9]+' where rank 0 has 'base'"
ranks 1 $short --ranks mpi --dir unlike : -n 1 \
    "$locant" $short --ranks mpi --seed 2 --dir unlike > log 2>&1
exits 2 $? 'another option'
says "rank 1 has 'seed=2' where rank 0 has 'seed=1'"
seq 1 30000 > text
seq 2 30001 > other-text
unlike="train --encoding rope --layers 2 --width 32 --ff 64 --length 64"
ranks 1 $unlike --text text --ranks mpi --dir unlike : -n 1 \
    "$locant" $unlike --text other-text --ranks mpi --dir unlike > log 2>&1
exits 2 $? 'another text'
says "rank 1 has 'corpus=[0-9a-f]+.*' where rank 0 has 'corpus=[0-9a-f]+"
verdict 'no run was begun' "$($locant runs sql 'SELECT id FROM runs' --dir unlike |
    sed 1d)"
ranks 3 $short --ranks mpi --leaves 2 --dir other > log 2>&1
exits 2 $? 'more ranks than leaves'
says '3 ranks share a batch of 16 rows in 2 leaves, expected at most 2 ranks'
verdict 'said once' "$([ "$(grep -c 'locant: ' log)" = 1 ] || cat log)"
ranks 3 $short --ranks mpi --leaves 24 --dir other > log 2>&1
exits 2 $? 'leaves that are no power of two'
says 'leaves is 24, expected 0 or a power of two up to 256'
ranks 3 $short --ranks mpi --batch 12 --leaves 8 --dir other > log 2>&1
exits 2 $? 'leaves that do not divide the batch'
says 'leaves is 8, expected a divisor or a multiple of the batch, 12'
verdict 'said once' "$([ "$(grep -c 'locant: ' log)" = 1 ] || cat log)"
ranks 2 $short --dir other > log 2>&1
exits 2 $? 'a launcher without --ranks'
says ' is 2: a launcher has started this command 2 times.*add --ranks mpi'
verdict 'said once' "$([ "$(grep -c 'locant: ' log)" = 1 ] || cat log)"
ranks 2 $short --ranks mpi --encoding rop --dir other > log 2>&1
exits 2 $? 'a wrong option'
verdict 'said once' "$([ "$(grep -c 'locant: ' log)" = 1 ] || cat log)"
# the launcher of another MPI leaves every process alone
model=$here/../models/fixtures/llama
for command in "$short --dir other" 'eval 1 --dir long' 'bench --quick' \
    "model logits $model -i $model/ids.npy -o other" \
    "model score $model -i $model/ids.npy"; do
    OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0 PMI_SIZE=4 \
        $locant $command --ranks mpi > log 2>&1
    exits 2 $? "another launcher of $(echo $command | cut -d ' ' -f 1,2)"
    says 'COMM_WORLD_SIZE is 4, but .*MPI.* sees one process'
done
verdict 'nothing is written' "$(ls other 2> /dev/null)"
exit $failed
