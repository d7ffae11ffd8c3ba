# docs/tutorials.md is what the command prints, and names every row.
$LOCANT tutorial --markdown > out
diff out "$(dirname "$0")/../../docs/tutorials.md"
grep -c '^| S[0-4][.]' out
$LOCANT tutorial --json | python3 -c 'import json, sys
rows = [r["row"] for r in json.load(sys.stdin)]
print(len(rows), len(set(rows)))'
