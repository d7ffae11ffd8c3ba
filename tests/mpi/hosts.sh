#!/bin/sh
# 'locant train --ranks mpi' and 'locant report --part' on several hosts, with
# and without a folder that they share: the bits of one process, and links that
# fail.
# usage: hosts.sh MPIEXEC LOCANT
launcher=${1:?usage: hosts.sh MPIEXEC LOCANT}
. "$(dirname "$0")/cluster.sh"
in_namespaces "$0" "$@"
. "$(dirname "$0")/ranks.sh"
case $("$launcher" --version 2>&1) in
    *HYDRA*)
        echo 'ok   left out: hosts, which are tried with Open MPI; MPICH before' \
            '4.2 may wait for ever in MPI_Finalize (docs/guide/cluster.md)'
        exit 0 ;;
esac
make_hosts 4
# A launcher waits for a lost host as long as TCP: here 3 s instead of 15 min.
for i in 1 2 3 4; do
    host $i sh -c 'echo 3 > /proc/sys/net/ipv4/tcp_retries2'
done

model='--layers 2 --width 32 --ff 64 --length 64'
short="train --encoding t5 $model --steps 12"
long="train --encoding rope $model --steps 150 --checkpoint-every 5"

# across HOSTS ARG..: one rank for each host, started on node1
across() {
    list=$1
    shift
    host 1 "$here/launch.sh" "$launcher" "$(echo "$list" | tr , '\n' | wc -l)" \
        --mca plm_rsh_agent "$work/agent" --host "$list" "$locant" "$@"
}

# ------------------------------------------------------------------- bits

seq 1 30000 > text
for i in 1 2 3 4; do
    cp text disk-$i/
done
mkdir shared
cp text shared/
$locant $short --text text --leaves 16 --dir one > log 2>&1
for list in node1,node2 node1,node2,node3,node4; do
    for folder in shared disk; do
        cd "$work/$folder" || exit 1
        across $list $short --text text --ranks mpi --dir $list > "$work/log" 2>&1
        got=$?
        cd "$work" || exit 1
        exits 0 $got "$list, folder $folder"
    done
    same 'with a shared folder, the bits of one process' one shared/$list
    same 'without, too' one disk-1/$list
    verdict 'only the host of rank 0 has a store' "$(ls disk-2 | grep -v text)"
done

cd "$work/disk" || exit 1
host 1 "$locant" eval 1 --json --blocks 5 --text text --dir node1,node2 |
    grep -v tokens_per_second > "$work/want"
rm -r "$work/disk-1/node1,node2"
cp -r "$work/shared/node1,node2" "$work/disk-1"
across node1,node2 eval 1 --json --blocks 5 --text text --ranks mpi \
    --dir node1,node2 2> "$work/log" | grep -v tokens_per_second > "$work/got"
verdict 'an evaluation has the losses of one process' \
    "$(grep -q same_targets "$work/want" && cmp "$work/want" "$work/got" 2>&1)"

seq 2 30001 > "$work/disk-2/text"
across node1,node2 $short --text text --ranks mpi --dir other > "$work/log" 2>&1
got=$?
cd "$work" || exit 1
exits 2 $got 'another text on a host'
says "rank 1 has .* where rank 0 has "
cp text disk-2/

# ------------------------------------------------------------------ links

# link I STATE
link() {
    host "$1" ip link set eth0 "$2"
}

# begin DIR PATIENCE: the long run on two hosts in the background, with a
# checkpoint
begin() {
    rm -rf "disk-1/$1"
    (cd disk && across node1,node2 $long --text text --ranks mpi \
        --patience "$2" --dir "$1") > log 2>&1 &
    job=$!
    until [ -e "disk-1/$1/checkpoints/run-1.safetensors" ] ||
        ! kill -0 $job 2> /dev/null; do
        sleep 0.05
    done
}

# go_on DIR: the same command once more
go_on() {
    (cd disk && across node1,node2 $long --text text --ranks mpi --dir "$1") \
        > log 2>&1
    exits 0 $? 'the same command'
    same 'goes on to the bits of a run that never stopped' long "disk-1/$1"
}

$locant $long --text text --leaves 16 --dir long > log 2>&1
begin pause 30
link 2 down
sleep 1
link 2 up
wait $job
exits 0 $? 'a link that is down for a second'
same 'changes no bit' long disk-1/pause

begin lost 2
link 2 down
until grep -q 'has not answered' log || ! kill -0 $job 2> /dev/null; do
    sleep 0.1
done
wait $job
got=$?
exits 75 $got 'a host that is lost'
says 'rank 1 of 2 \(host node2\) has not answered for 2 s in step [0-9]+; the run continues from step [0-9]+: the same command'
link 2 up
go_on lost

begin dead 30
net=$(readlink "/proc/$(cat node2)/ns/net")
for p in /proc/[0-9]*; do
    [ "$(readlink "$p/ns/net")" = "$net" ] &&
        [ "${p#/proc/}" != "$(cat node2)" ] && kill -KILL "${p#/proc/}"
done
wait $job
got=$?
verdict "a host whose processes die ends all ($got)" \
    "$([ $got -gt 2 ] || cat log)"
go_on dead

if host 2 tc qdisc add dev eth0 root netem delay 5ms 2> /dev/null; then
    (cd disk && across node1,node2 $short --text text --ranks mpi --dir slow) \
        > log 2>&1
    same 'a slow link changes no bit' one disk-1/slow
else
    echo 'ok   left out: a slow link; this kernel has no netem'
fi

# ------------------------------------------------------------------ parts

# losses DIR: of all runs of a report
losses() {
    $locant runs sql 'SELECT r.encoding, seed, m.step, loss, valid FROM runs r
        JOIN metrics m ON m.run = r.id JOIN evaluations e ON e.run = r.id
        ORDER BY r.encoding, seed, m.step' --dir "$1"
}

report='report --preset smoke --text text --encodings none;alibi'
cd disk || exit 1
for i in 1 2; do
    host $i "$locant" $report --part $i/2 --dir lab > "$work/log" 2>&1
    got=$?
    (cd "$work" && exits 0 $got "part $i on node$i")
done
cd "$work" || exit 1
cp -r disk-2/lab/part-2-of-2 disk-1/lab/
$locant runs merge disk-1/lab disk-1/lab/part-* > log 2>&1
exits 0 $? 'merging them'
$locant $report --dir whole > log 2>&1
losses whole > want
losses disk-1/lab > got
verdict 'gives the losses of one machine' \
    "$([ "$(wc -l < want)" -gt 9 ] && cmp want got 2>&1)"
exit $failed
