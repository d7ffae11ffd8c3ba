# docs/seeds.md is what the command prints, and names every row.
$LOCANT seed --markdown > out
diff out "$(dirname "$0")/../../docs/seeds.md"
grep -c '^| S[0-4][.]' out
$LOCANT seed --json | python3 -c 'import json, sys
rows = [r["row"] for r in json.load(sys.stdin)]
print(len(rows), len(set(rows)))'
