#!/bin/sh
# The README's C example compiles as it stands there, and runs.
#
# usage: tests/test_readme.sh BUILD
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

sed -n '/^```c$/,/^```$/p' README.md | sed '/^```/d' > "$work/example.c"
if cc -std=c11 -Wall -Wextra -Werror -Iinclude -o "$work/example" \
    "$work/example.c" "$build/liblocant.a" -lm -pthread &&
    "$work/example" | grep -q '^scratch: [0-9]* KiB for 512 queries$'; then
    echo 'ok the C example'
else
    echo 'FAIL the C example'
    exit 1
fi
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
cc -std=c11 -Iinclude -o "$work/spec" "$work/spec.c" "$build/liblocant.a" -lm \
    -pthread || exit 1
sed -n 's/^| `\([^`]*\)`.*/\1/p' README.md |
    sed 's/length=\.\./length=8/; s/dim=\.\.,//' > "$work/specs"
while read -r spec; do
    if "$work/spec" "$spec"; then echo "ok $spec"; else echo "FAIL $spec"; fi
done < "$work/specs"
