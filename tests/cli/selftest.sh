# Rows without their numbers; the same seed, the same numbers; JSON.
strip() {
    sed 's/  *[0-9][0-9.e+-]*/ N/g; s/kernels .*/kernels K/'
}
$LOCANT selftest --only alibi --cases 1 | strip | head -n 8
$LOCANT selftest --only ids --cases 1 --seed 5 | strip
$LOCANT selftest --only kerple --cases 1 --seed 5 > one
$LOCANT selftest --only kerple --cases 1 --seed 5 > two
cmp one two
$LOCANT selftest --only kerple --cases 1 --seed 6 | cmp -s one - && echo same
$LOCANT selftest --only table --cases 1 --json | python3 -c 'import json, sys
answer = json.load(sys.stdin)
print(answer["misses"], len(answer["results"]) == answer["rows"] > 20)
row = answer["results"][0]
print(*row)
print(all(0 <= r["worst"] <= r["bound"] and r["ok"] for r in
          answer["results"]))'
