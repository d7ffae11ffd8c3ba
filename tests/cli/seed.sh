# Rows, parts, refusals; every row is run by tests/seed_rows.sh.
$LOCANT seed S0.18
$LOCANT seed s0.11c
$LOCANT seed S0.10b -o waves.svg > out && ls waves*
$LOCANT seed S0.5 --json | python3 -c 'import json, sys
row = json.load(sys.stdin)
print(row["row"], len(row["wrong"]), all(c["holds"] for c in row["checks"]))'
$LOCANT seed S0.99
$LOCANT seed S0.10z
$LOCANT seed S0.1 -o out.svg
$LOCANT seed S0.10 -o out.txt
$LOCANT seed --all
$LOCANT seed S0.1 --check
$LOCANT seed -o out.svg
$LOCANT seed nonsense
