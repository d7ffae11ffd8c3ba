#!/bin/sh
# What tools/new_encoding.py writes compiles, and is listed.
# usage: tests/test_new_encoding.sh    one line per check; exit 1 if one fails
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/verdict.sh

cp -r cli cmake include src tests tools tutorials "$work" && cd "$work" || exit 1
verdict 'tools/new_encoding.py succeeds' \
    "$(tools/new_encoding.py tried_out 2>&1 > /dev/null)"
for file in encodings oracle; do
    verdict "src/$file/tried_out.c compiles" \
        "$(cc -std=c11 -Wall -Wextra -Werror -Iinclude -Isrc -fsyntax-only \
           "src/$file/tried_out.c" 2>&1)"
    verdict "src/$file/tried_out.c is listed" \
        "$(grep -q "$file/tried_out\.c" cmake/sources.cmake || echo missing)"
done
verdict 'its row is in the registry' \
    "$(grep -qx 'LCT_ENCODING(tried_out)' src/encodings/encodings.def ||
       echo missing)"
verdict 'a second one of that name is refused' \
    "$(tools/new_encoding.py tried_out > /dev/null 2>&1 && echo taken)"
exit $failed
