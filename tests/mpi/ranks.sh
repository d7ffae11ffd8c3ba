# shellcheck shell=sh disable=SC2154 # the caller has set launcher
# ranks.sh - tests of the command on ranks: $launcher starts them, $2 is the
# command.  To be sourced by a script here; it goes on in a folder of its own.
locant=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../verdict.sh"
. "$here/stopped.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# ranks N ARG..: locant with N ranks
ranks() {
    n=$1
    shift
    "$here/launch.sh" "$launcher" "$n" "$locant" "$@"
}

# exits WANT GOT WHAT: the exit status, and what was said
exits() {
    verdict "$3 exits with $1" "$([ "$2" = "$1" ] || { echo "$2:"; cat log; })"
}

says() {
    verdict "and says why" "$(grep -Eq "$1" log || cat log)"
}

# bits DIR [RUN]: parameters and moments of a run, the first
bits() {
    python3 -c '
import hashlib, struct, sys
with open(sys.argv[1], "rb") as f:
    size, = struct.unpack("<Q", f.read(8))
    f.read(size)
    print(hashlib.sha256(f.read()).hexdigest())' \
        "$1/checkpoints/run-${2:-1}.safetensors"
}

# same WHAT DIR DIR [RUN]
same() {
    verdict "$1" "$([ "$(bits "$2" $4)" = "$(bits "$3" $4)" ] ||
        echo other bits)"
}

# The processes of this launch, which have this folder.
started() {
    for p in /proc/[0-9]*; do
        [ "$(readlink "$p/exe")" = "$locant" ] &&
            [ "$(readlink "$p/cwd")" = "$work" ] && basename "$p"
    done
}
