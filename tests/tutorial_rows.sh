#!/bin/sh
# Run every row of the tutorials, and count them.
#
# usage: tests/tutorial_rows.sh LOCANT
#
# A row fails when it does not finish, when one of its checks fails, when its
# text or JSON is missing, when a figure it promises is not drawn, or when a text
# that it prints or draws has no Chinese; the page index.html fails when it lacks
# a part of a row (tutorial_page.py), the Chinese when a format of it differs from
# the English (tutorial_chinese.py).
# Closes with "N passed, N failed".
set -u
LOCANT=${1:?usage: tutorial_rows.sh LOCANT}
ROWS=97
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
out=$folder/out

# Files are replaced, not overwritten: a hard link keeps the old contents.
mkdir "$out"
echo before > "$folder/before"
ln "$folder/before" "$out/S0.1.txt"
ln "$folder/before" "$out/S0.1.json"
"$LOCANT" tutorial --all -o "$out" > "$folder/log" 2> "$folder/progress"
status=$?
"$LOCANT" tutorial --json > "$folder/rows.json"
python3 "$here/tutorial_rows.py" "$folder/rows.json" "$out" "$folder/log" \
    "$folder/progress" "$ROWS"
judged=$?
if [ "$(cat "$folder/before")" != before ]; then
    echo "FAIL tutorial --all overwrites an existing file"
    judged=1
fi
if [ "$status" -ne 0 ] || [ "$judged" -ne 0 ]; then
    grep '^locant: ' "$folder/progress"
    exit 1
fi
