#!/bin/sh
# What README.md and the guides show runs, and prints what they say.
#
# usage: tests/test_readme.sh BUILD    one line per check; exit 1 if one fails
#
# The commands of docs/guide/learn and compare are run by tests/cli/guide_*.sh,
# Python by python/tests, docs/guide/add-an-encoding by test_new_encoding.sh.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/verdict.sh
root=$PWD
build=$(cd "${1:?usage: test_readme.sh BUILD}" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# blocks LANGUAGE FILE: the lines of its code blocks
blocks() {
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$2" | sed '/^```/d'
}

# compile C PROGRAM: with liblocant and the C of the README
compile() {
    cc -std=c11 -Wall -Wextra -Werror -Iinclude -I"$work" -o "$2" "$1" \
        "$build/liblocant.a" -lm -pthread
}

locant() {
    "$build/locant" "$@"
}

decodes() {
    blocks c README.md > "$work/readme.inc"
    compile tests/readme_decode.c "$work/decode" && "$work/decode"
}
succeeds 'README: the C has the bits of the whole run' decodes

commands() {
    blocks sh README.md | grep '^locant ' > "$work/commands"
    cd "$work" && python3 -c "
import numpy as np
np.save('q.npy', np.ones((1, 2, 3, 64), np.float32))" &&
        cp -r "$root/tests/models/fixtures/qwen3" mine && cp mine/ids.npy . &&
        set -e && . ./commands && test -s q_rotated.npy &&
        test -s scalings.svg && test -s logits.npy
}
succeeds 'README: the commands' commands

# The notes in brackets are scalings.
table_of_doors() {
    grep -E '^\| (input|rotate|score|content|none): ' README.md |
        cut -d '|' -f 3 | sed 's/([^)]*)//g' | grep -o '`[^`]*`' | tr -d '`'
}
specs() {
    grep -oh '`[a-z][a-z0-9-]*([a-z]*=[^`]*`' README.md docs/RESULTS.md \
        docs/guide/*/README.md | tr -d '`' | sort -u
}
for spec in $(table_of_doors) $(specs); do
    succeeds "$spec" locant show "$spec"
done

succeeds 'README: the families' python3 tests/readme_families.py \
    "$build/locant" README.md
succeeds 'guide: the families' python3 tests/families_page.py \
    docs/guide/models/families.md

# From one run: who updates the one must update the other.
losses_of_readme() {
    blocks text README.md | grep ' +-' > "$work/quoted" &&
        blocks text docs/RESULTS.md > "$work/results" &&
        ! grep -vxFf "$work/results" "$work/quoted"
}
succeeds 'README: its losses are in docs/RESULTS.md' losses_of_readme

# The program of the guide, by its own commands: this build stands for the one
# that they make, and is installed in another folder than /usr/local.
cmake() {
    case $1 in
    -S) shift 4 && command cmake -S "$root" -B "$work/bare" "$@" ;;
    --build) test -e "$work/bare/CMakeCache.txt" ;;
    --install)
        command cmake --install "$build" --prefix "$work/installed" &&
            pc=$(find "$work/installed" -name locant.pc) &&
            sed -i "s|^prefix=.*|prefix=$work/installed|" "$pc" &&
            export PKG_CONFIG_PATH="${pc%/*}" ;;
    esac
}
engine() {
    guide=docs/guide/embed/README.md
    blocks c $guide > "$work/engine.c"
    blocks text $guide > "$work/expected"
    blocks sh $guide > "$work/commands"
    compile "$work/engine.c" "$work/engine" && cd "$work" && rm engine &&
        . ./commands || return
    LD_LIBRARY_PATH=${PKG_CONFIG_PATH%/*} ./engine | diff expected -
}
succeeds 'docs/guide/embed: its program' engine

for file in README.md docs/RESULTS.md docs/guide/*/*.md; do
    broken=
    for link in $(grep -o '](\([^):#]*\))' "$file" | sed 's/](\(.*\))/\1/'); do
        [ -e "$(dirname "$file")/$link" ] || broken="$broken $link"
    done
    verdict "$file: links" "$broken"
done
exit $failed
