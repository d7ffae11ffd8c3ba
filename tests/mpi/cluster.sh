# shellcheck shell=sh disable=SC2154 # ranks.sh has set work
# cluster.sh - a cluster on one machine.  A host is a set of namespaces: it has
# a network interface on a common bridge, a name (node1, node2, ..), memory for
# its processes (/dev/shm), a TMPDIR and, at $work/disk, a disk of its own; every
# other folder is shared by all hosts.  To be sourced after ranks.sh.

# in_namespaces SCRIPT ARG..: run SCRIPT once more, in namespaces of its own, so
# that this machine's network and mounts stay as they are, and all hosts end
# with it; or say that they cannot be had, and exit.
in_namespaces() {
    [ -z "${LOCANT_CLUSTER:-}" ] || return 0
    for user in '' --map-root-user; do
        inside="unshare $user --net --mount --pid --fork --mount-proc --kill-child"
        if $inside sh -c 'ip link add name lan type bridge &&
                ip link add name port type veth peer name eth0 &&
                unshare --net --mount --uts --ipc true' > /dev/null 2>&1; then
            LOCANT_CLUSTER=1 exec $inside "$@"
        fi
    done
    echo 'ok   left out: a cluster on one machine needs the commands ip,' \
        'unshare and nsenter, and the right to make namespaces'
    exit 0
}

# make_hosts N: node1 .. nodeN at 10.0.0.1 .. 10.0.0.N
make_hosts() {
    ip link add name lan type bridge && ip link set lan up || exit 1
    mkdir "$work/disk" "$work/tmp"
    echo '127.0.0.1 localhost' > "$work/hosts"
    for i in $(seq "$1"); do
        echo "10.0.0.$i node$i" >> "$work/hosts"
    done
    for i in $(seq "$1"); do
        mkdir "$work/disk-$i"
        unshare --net --mount --uts --ipc sh -c "
            hostname node$i &&
            mount --bind '$work/hosts' /etc/hosts &&
            mount --bind '$work/disk-$i' '$work/disk' &&
            mount -t tmpfs none /dev/shm &&
            mount -t tmpfs none '$work/tmp' && : > '$work/up-$i' &&
            exec sleep infinity" &
        init=$!
        echo $init > "$work/node$i"
        until [ -e "$work/up-$i" ]; do
            kill -0 $init || exit 1
            sleep 0.02
        done
        ip link add name port$i type veth peer name eth0 netns $init &&
            ip link set port$i master lan up &&
            host $i ip link set lo up &&
            host $i ip addr add 10.0.0.$i/24 dev eth0 &&
            host $i ip link set eth0 up || exit 1
    done
    # What a launcher calls in the place of ssh: [OPTION..] HOST COMMAND, for a
    # shell that knows no variable of the caller.
    cat > "$work/agent" <<END
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done
init=\$(cat "$work/\$1") && shift &&
    exec nsenter -t "\$init" -n -m -u -i -r -w env -i PATH="$PATH" HOME=/root \
        TMPDIR="$work/tmp" sh -c "cd / && \$*"
END
    chmod +x "$work/agent"
}

# host I COMMAND..: on host I, in this folder as that host has it
host() {
    init=$(cat "$work/node$1")
    shift
    TMPDIR=$work/tmp nsenter -t "$init" -n -m -u -i -r -w \
        sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"
}
