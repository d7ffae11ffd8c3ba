#!/bin/sh
# Every public header compiles alone, as C and as C++, with what it defines.
# usage: tests/test_headers.sh          one line per check; exit 1 if one fails
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root/include" || exit 1
failed=0
warnings='-Wall -Wextra -Wpedantic -Wundef -Werror'

try() {
    if echo "#include <$header>" | "$@" -I. -fsyntax-only $warnings -; then
        echo "ok   $header as $what"
    else
        echo "FAIL $header as $what"
        failed=1
    fi
}

for header in locant.h locant/*.h; do
    what='C11'
    try "${CC:-cc}" -std=c11 -x c
    what='C++11'
    try "${CXX:-c++}" -std=c++11 -x c++
done

# Macros that begin structs: designated initializers, as C++ has from 2020 on.
what='values of its _INIT macros in C++20'
for header in locant/*.h; do
    names=$(sed -n 's/^#define \(LOCANT_[A-Z_]*_INIT\)\b.*/\1/p' "$header")
    [ -n "$names" ] || continue
    values=$(for name in $names; do
        sed -n "/define ${name}\b/,/}/s/.*sizeof(\([a-z_]*\)).*/\1 of_\1 = $name;/p" \
            "$header"
    done)
    if printf '#include <%s>\n%s\n' "$header" "$values" |
        "${CXX:-c++}" -std=c++20 -x c++ -I. -fsyntax-only $warnings \
            -Wno-missing-field-initializers -; then
        echo "ok   $header: $what"
    else
        echo "FAIL $header: $what"
        failed=1
    fi
done
exit $failed
