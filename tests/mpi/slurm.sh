#!/bin/sh
# The files of docs/guide/cluster for Slurm, on a Slurm of two nodes that are
# namespaces of this machine.
# usage: slurm.sh LOCANT    with the MPI that Slurm's PMIx knows, Open MPI
launcher= locant=${1:?usage: slurm.sh LOCANT}
. "$(dirname "$0")/cluster.sh"
if ! "$locant" doctor | grep -q 'Open MPI'; then
    echo 'ok   left out: Slurm, which starts ranks of Open MPI'
    exit 0
fi
for command in slurmctld slurmd srun munged; do
    if ! command -v $command > /dev/null; then
        echo "ok   left out: Slurm; there is no $command"
        exit 0
    fi
done
in_namespaces "$0" "$@"
set -- "$launcher" "$locant"
. "$(dirname "$0")/ranks.sh"
guide=$here/../../docs/guide/cluster
PATH=$(dirname "$locant"):$PATH
mount -t tmpfs none /run || exit 1
mkdir -p /run/munge state
make_hosts 2
chmod 755 "$work"
cat > slurm.conf <<END
ClusterName=test
SlurmctldHost=node1
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
TmpFS=$work/tmp-%n
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
SlurmdTimeout=10
KillWait=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MinJobAge=600
NodeName=node[1-2] CPUs=4
PartitionName=all Nodes=ALL Default=YES
END
echo 'CgroupPlugin=cgroup/v1' > cgroup.conf
export SLURM_CONF="$work/slurm.conf"
head -c 64 /dev/urandom > munge.key
chmod 400 munge.key
munged --force --key-file "$work/munge.key" --num-threads 2 > munge.log 2>&1
host 1 slurmctld > log 2>&1
for i in 1 2; do
    mkdir spool-node$i tmp-node$i
    host $i slurmd >> log 2>&1
done
ready() {
    [ "$(host 1 sinfo -h -t idle -o %D 2>> log)" = 2 ]
}
for _ in $(seq 100); do
    ready && break
    sleep 0.2
done
if ! ready; then
    verdict 'two nodes are ready' "$(cat log slurm*.log munge.log | tail -n 30)"
    exit 1
fi

# submit ARG..: sbatch on node1; sets job
submit() {
    job=$(host 1 sbatch --parsable "$@" 2> log)
    verdict 'the job is accepted' "$([ -n "$job" ] || cat log)"
}

# ends: wait for the job, for a minute.  Slurm starts one that is in the queue
# again after two.
ends() {
    for _ in $(seq 300); do
        case $(host 1 squeue -h -j "$job" -o %r 2> /dev/null) in
            '') return 0 ;;
            BeginTime)
                sleep 3 # it may still be ending
                host 1 scontrol update JobId="$job" StartTime=now ;;
        esac
        sleep 0.2
    done
    host 1 scontrol show job "$job"
    host 1 scancel "$job"
}

state() {
    host 1 scontrol show job "$job" | grep -o 'JobState=[A-Z_]*' | sort -u
}

# ------------------------------------------------------------- one run

model='--generated --layers 2 --width 32 --ff 64 --length 64 --steps 150'
model="$model --checkpoint-every 5"
$locant train --encoding rope --batch 64 $model --leaves 16 --dir one > log 2>&1
submit --ntasks=4 --nodes=2 "$guide/train.sbatch" $model
ends
verdict 'train.sbatch ends' "$([ "$(state)" = JobState=COMPLETED ] ||
    { host 1 scontrol show job "$job"; tail -n 20 slurm-"$job".out; })"
same 'with the bits of one process' one lab

rm -rf lab
submit --ntasks=4 --nodes=2 "$guide/train.sbatch" $model --patience 3
until [ -e lab/checkpoints/run-1.safetensors ] ||
    [ -z "$(host 1 squeue -h -j "$job")" ]; do
    sleep 0.1
done
pkill -KILL -n -x locant
ends
verdict 'after a rank is killed it is put into the queue again, and ends' \
    "$([ "$(state)" = JobState=COMPLETED ] && host 1 scontrol show job "$job" |
       grep -q Restarts=1 || { host 1 scontrol show job "$job"; tail -n 20 slurm-"$job".out; })"
same 'with the bits of one process' one lab

# --------------------------------------------------------------- parts

seq 1 30000 > text
$locant report --preset smoke --text text --encodings alibi --dir first \
    > log 2>&1
$locant study export --with-text --dir first -o text.json > log 2>&1
plan='report --preset smoke --study text.json'
$locant $plan --encodings 'none; alibi' --seeds 2 --make-plan plan.json > log 2>&1
exits 0 $? 'a plan'
rm -rf lab
submit --array=1-3 --cpus-per-task=1 "$guide/parts.sbatch"
ends
verdict 'parts.sbatch ends' "$([ "$(state)" = JobState=COMPLETED ] ||
    { state; cat slurm-"$job"_*.out; })"
$locant runs merge lab lab/part-* > log 2>&1
exits 0 $? 'merging 3 parts'
verdict 'gives all runs' "$([ "$($locant runs sql \
    "SELECT count(*) FROM runs WHERE status = 'done'" --dir lab |
    tail -n 1)" = 4 ] || $locant runs --dir lab)"
rm -rf lab
for rates in 1 2; do
    host 1 srun --ntasks=2 --nodes=2 "$locant" report --plan plan.json \
        --study text.json --part auto --dir lab > log 2>&1
    exits 0 $? "srun with --part auto, time $rates"
done
verdict 'makes 2 parts' "$([ -d lab/part-1-of-2 ] && [ -d lab/part-2-of-2 ] ||
    ls lab)"
exit $failed
