#!/bin/sh
# The README's C example compiles and runs, and its specs are valid.
#
# usage: tests/test_readme.sh BUILD
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/verdict.sh
build=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# compile NAME: a C file of the scratch folder, with liblocant
compile() {
    cc -std=c11 -Wall -Wextra -Werror -Iinclude -o "$work/$1" "$work/$1.c" \
        "$build/liblocant.a" -lm -pthread
}

example() {
    compile example &&
        "$work/example" | grep -q '^scratch: [0-9]* KiB for 512 queries$'
}

sed -n '/^```c$/,/^```$/p' README.md | sed '/^```/d' > "$work/example.c"
succeeds 'the C example' example
# Every spec of the README's table is one the library accepts.
cat > "$work/spec.c" <<'END'
#include <locant.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    locant_encoding *e;

    if (argc == 2 && locant_encoding_create(&e, argv[1]) == LOCANT_OK)
        return 0;
    return puts(locant_last_error()), 1;
}
END
compile spec || exit 1
sed -n 's/^| `\([^`]*\)`.*/\1/p' README.md |
    sed 's/length=\.\./length=8/; s/dim=\.\.,//' > "$work/specs"
while read -r spec; do
    succeeds "$spec" "$work/spec" "$spec"
done < "$work/specs"
exit $failed
