# One line of each kind; the words are the registry's.
$LOCANT show t5 > out
for field in formula doors traits keys parameters source 'used by' check; do
    grep -q "^$field" out || echo "no $field"
done
grep -o 'table \[buckets, heads\]' out
$LOCANT show 't5( distance=64 , buckets=32)' | sed -n '1s/ - .*//p'
for name in $($LOCANT list | sed '1d;/^ /d;s/ .*//'); do
    $LOCANT show "$name" --json | python3 -c 'import json, sys
json.load(sys.stdin)' || exit
    $LOCANT show "$name" > text || exit
    grep -q '^check  *[a-z]' text || echo "$name: no check values"
done
