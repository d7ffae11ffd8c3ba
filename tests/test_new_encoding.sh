#!/bin/sh
# What the command of docs/guide/add-an-encoding writes compiles, and is listed.
# usage: tests/test_new_encoding.sh    one line per check; exit 1 if one fails
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/verdict.sh

command=$(sed -n '/^```sh$/{n;p;q}' docs/guide/add-an-encoding/README.md)
new=${command##* }
cp -r cli cmake include src tests tools tutorials "$work" && cd "$work" || exit 1
verdict "$command succeeds" "$($command 2>&1 > /dev/null)"
for file in encodings oracle; do
    verdict "src/$file/$new.c compiles" \
        "$(cc -std=c11 -Wall -Wextra -Werror -Iinclude -Isrc -fsyntax-only \
           "src/$file/$new.c" 2>&1)"
    verdict "src/$file/$new.c is listed" \
        "$(grep -q "$file/$new\.c" cmake/sources.cmake || echo missing)"
done
verdict 'its row is in the registry' \
    "$(grep -qx "LCT_ENCODING($new)" src/encodings/encodings.def ||
       echo missing)"
verdict 'a second one of that name is refused' \
    "$($command > /dev/null 2>&1 && echo taken)"
exit $failed
