#!/bin/sh
# The commands of docs/guide/cluster.md, with small models and short sweeps, on
# two hosts that are namespaces of this machine; what Slurm would start, mpirun
# starts.  slurm.sh has a Slurm.
# usage: guide.sh MPIEXEC LOCANT
launcher=${1:?usage: guide.sh MPIEXEC LOCANT}
. "$(dirname "$0")/cluster.sh"
case $("$launcher" --version 2>&1) in
    *HYDRA*)
        echo 'ok   left out: the guide on hosts, which is run with Open MPI'
        exit 0 ;;
esac
in_namespaces "$0" "$@"
. "$(dirname "$0")/ranks.sh"
root=$(cd "$here/../.." && pwd)
guide=$root/docs/guide/cluster.md
PATH=$work/bin:$PATH # also that of the agent
make_hosts 2
mkdir bin docs scripts
ln -s "$root/docs/guide" docs/guide
seq 1 30000 > text

# The command: real, but with small models, and two encodings for a report.
cat > bin/locant <<END
#!/bin/sh
case "\$*" in
    train*) set -- "\$@" --layers 2 --width 32 --ff 64 --steps 12 ;;
    eval*) set -- "\$@" --blocks 4 ;;
esac
case " \$* " in
    *' --text '* | *' --study '* | *' --generated '* | *' eval '*) ;;
    *' train '*) set -- "\$@" --generated ;;
esac
case "\$*" in
    train*--length*) ;;
    train*) set -- "\$@" --length 64 ;;
    *--make-plan*) set -- "\$@" --encodings 'none;alibi;rope' ;;
esac
n=\$#
for word; do
    case \$word in
        hour | full) word=smoke ;;
        4096) word=512 ;;
    esac
    set -- "\$@" "\$word"
done
shift \$n
exec "$locant" "\$@"
END
echo 'exit 0' > scripts/setup
chmod +x bin/locant scripts/setup

mpirun() {
    n=$2
    shift 2
    [ "$1" != --host ] || { shift 2 && set -- --host node1:2,node2:2 "$@"; }
    [ "$n" -le 4 ] || n=4
    host 1 "$here/launch.sh" "$launcher" "$n" \
        --mca plm_rsh_agent "$work/agent" "$@"
}

srun() {
    while [ "${1#-}" != "$1" ]; do
        case $1 in -n) shift 2 ;; *) shift ;; esac
    done
    mpirun -n 2 "$@"
}

# A batch file must be there, and is read by a shell.
sbatch() {
    while [ "${1#-}" != "$1" ]; do shift; done
    sh -n "$1"
}

# A Job: the command of its containers, as Kubernetes starts it for each index.
kubectl() {
    [ "$1" = apply ] || return 0
    command=$(sed -n 's/.* command: \[\(.*\)\]$/\1/p' "$3" | head -n 1 |
        tr -d '",' | sed 's|auto/16|auto/2|; s|/data/||g; s|--allow-run-as-root ||')
    case $command in
        mpirun*) $command ;;
        *)
            for index in 0 1; do
                JOB_COMPLETION_INDEX=$index $command || return 1
            done ;;
    esac
}

rsync() {
    [ "$2" = b:lab/part-2-of-2 ] && [ -d lab/part-2-of-2 ]
}

# The text of a study, and a plan, which the guide has made elsewhere.
"$locant" report --preset smoke --text text --encodings none --dir first \
    > log 2>&1
succeeds 'a study with its text' locant study export --with-text --dir first \
    -o text.json
succeeds 'a plan for Kubernetes' locant report --preset hour --study text.json \
    --make-plan kubernetes.json

# A checkpoint and its input.
HOME=$work
mkdir models
ln -s "$root/tests/models/fixtures/qwen3" models/mine
cp models/mine/ids.npy .

# block N: the N-th block of commands
block() {
    awk -v want="$1" '/^```sh$/ { n++; inside = n == want; next }
        /^```/ { inside = 0 } inside' "$guide"
}
n=1
while [ -n "$(block $n)" ]; do
    block $n > commands
    # other blocks have other plans and stores
    if grep -q 'parts.yaml\|round-1' commands; then
        rm -rf lab
        cp kubernetes.json plan.json
    fi
    (set -e && . ./commands) > log 2>&1
    verdict "$(head -n 1 commands)" "$([ $? = 0 ] || tail -n 25 log)"
    n=$((n + 1))
done
verdict "all $((n - 1)) blocks of commands" "$([ $n -gt 11 ] || echo no)"
exit $failed
