#!/bin/sh
# 'locant model logits|score --ranks mpi': the bits of one process, and what
# stops it.
# usage: logits.sh MPIEXEC LOCANT
launcher=${1:?usage: logits.sh MPIEXEC LOCANT}
. "$(dirname "$0")/ranks.sh"
fixtures=$here/../models/fixtures

# ids B T FILE: int64 [B, T], 3 .. 11
ids() {
    python3 - "$@" << 'END'
import random, struct, sys
rows, tokens = int(sys.argv[1]), int(sys.argv[2])
random.seed(rows * tokens)
values = [random.randrange(3, 12) for _ in range(rows * tokens)]
head = "{'descr': '<i8', 'fortran_order': False, 'shape': (%d, %d)}" % (
    rows, tokens)
head = head.encode() + b" " * (-(len(head) + 11) % 64) + b"\n"
with open(sys.argv[3], "wb") as f:
    f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head)
    f.write(struct.pack("<%dq" % len(values), *values))
END
}

ids 1 300 one.npy
ids 3 60 rows.npy
for case in gemma3/f32 deepseek_v3/bf16; do
    model=${case%/*} dtype=${case#*/}
    for input in one rows; do
        run="model logits $fixtures/$model -i $input.npy --dtype $dtype"
        $locant $run -o want.npy > log 2>&1
        for n in 2 3; do
            rm -f got.npy
            ranks $n $run --ranks mpi -o got.npy > log 2>&1
            exits 0 $? "$model $input $dtype on $n ranks"
            verdict 'with the bits of one process' "$(cmp got.npy want.npy 2>&1)"
            verdict 'said once' "$([ "$(grep -c wrote log)" = 1 ] || cat log)"
        done
    done
done

for case in one/position/2 rows/position/3 one/length/3 rows/length/2; do
    input=${case%%/*} n=${case##*/} by=${case#*/}
    score="model score $fixtures/llama -i $input.npy --by ${by%/*} --json"
    $locant $score > want
    ranks "$n" $score --ranks mpi > got 2> log
    exits 0 $? "losses of $case ranks"
    verdict 'with the bits of one process' "$(cmp got want 2>&1)"
done

rm -f got.npy
logits="model logits $fixtures/llama --ranks mpi -o got.npy"
ranks 1 $logits -i one.npy : -n 1 "$locant" $logits -i rows.npy > log 2>&1
exits 2 $? 'other ids'
says "rank 1 has 'ids=[0-9a-f]+' where rank 0 has 'ids=[0-9a-f]+'"
ranks 1 $logits -i one.npy : -n 1 "$locant" $logits -i one.npy --isa base \
    > log 2>&1
exits 2 $? 'another instruction set'
says "rank 1 has 'base' where rank 0 has '[a-z0-9]+'"
ranks 2 model logits "$fixtures/vit" --pixels "$fixtures/vit/pixels.npy" \
    --ranks mpi -o got.npy > log 2>&1
exits 2 $? 'fewer images than ranks'
says 'vit reads whole images, and there are 1 for 2 ranks'
{ head -c -8 rows.npy; printf '\377\377\0\0\0\0\0\0'; } > far.npy
ranks 2 model score "$fixtures/llama" -i far.npy --ranks mpi > log 2>&1
exits 3 $? 'an id beyond the vocabulary'
says 'ids\[2, 59\] is 65535, the vocabulary has 12 tokens'
ranks 2 $logits -i none.npy > log 2>&1
exits 3 $? 'no ids'
verdict 'said once' "$([ "$(grep -c 'locant: ' log)" = 1 ] || cat log)"
ranks 2 model logits "$fixtures/llama" -i one.npy -o got.npy > log 2>&1
exits 2 $? 'without --ranks'
says 'add --ranks mpi'
ranks 2 model generate "$fixtures/llama" -i one.npy --tokens 2 -o got.npy \
    > log 2>&1
exits 2 $? 'a continuation'
says 'started this command 2 times, and it runs in one process'

# A rank that is stopped in the middle of a long text.
ids 1 200000 long.npy
"$here/launch.sh" "$launcher" 2 "$locant" $logits -i long.npy \
    --threads 1 --patience 2 > log 2>&1 &
job=$!
sleep 3
kill -STOP $(started | sort -n | sed -n 2p)
wait $job
exits 75 "$(stopped $? log)" 'a rank that is stopped'
says 'rank [01] of 2 \(host [^ ]+\) has not answered for 2 s'
kill -KILL $(started) 2> /dev/null
verdict 'nothing is written' "$([ ! -e got.npy ] || ls)"
exit $failed
