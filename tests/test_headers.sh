#!/bin/sh
# Every public header compiles alone, as C and as C++.
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
exit $failed
