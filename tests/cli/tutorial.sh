# Rows, parts, refusals; every row is run by tests/tutorial_rows.sh.
$LOCANT tutorial S0.18
$LOCANT tutorial s0.11c
$LOCANT tutorial S0.10b -o waves.svg > out && ls waves*
$LOCANT tutorial S0.5 --json | python3 -c 'import json, sys
row = json.load(sys.stdin)
print(row["row"], len(row["wrong"]), all(c["holds"] for c in row["checks"]))'
$LOCANT tutorial S0.99
$LOCANT tutorial S0.10z
$LOCANT tutorial S0.1 -o out.svg
$LOCANT tutorial S0.10 -o out.txt
$LOCANT tutorial --all
$LOCANT tutorial S0.1 --check
$LOCANT tutorial -o out.svg
$LOCANT tutorial nonsense
