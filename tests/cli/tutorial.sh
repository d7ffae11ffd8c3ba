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
$LOCANT tutorial S0.18 -o row.html && LC_ALL=zh_CN.UTF-8 $LOCANT tutorial S0.16 -o zh.html 2> progress
cat progress
$LOCANT tutorial --json > rows.json
page=$(dirname "$0")/../tutorial_page.py
python3 "$page" rows.json row.html S0.18
python3 "$page" rows.json zh.html S0.16
grep -o '<input[^>]*>' row.html zh.html
$LOCANT tutorial --lang zh | head -3
LC_ALL=zh_CN.UTF-8 $LOCANT tutorial | sed -n 2p
LC_ALL=zh_CN.GBK $LOCANT tutorial | sed -n 2p
LC_ALL=zh_CN.UTF-8 $LOCANT tutorial S0.24
$LOCANT tutorial S2.9 --lang zh
$LOCANT tutorial S0.11c --lang zh
LC_ALL=zh_CN.UTF-8 $LOCANT tutorial S2.8 --json > zh.json
$LOCANT tutorial S2.8 --json | cmp - zh.json && echo the same in JSON
# a file has the figure's texts in one language, drawn as outlines
$LOCANT tutorial S0.11a -o figure.svg > out && $LOCANT tutorial S0.11a --lang zh -o zh.svg
cmp -s figure-a.svg zh-a.svg || echo another figure
$LOCANT tutorial S0.18b -o row.html
$LOCANT tutorial S0.18 -o none/row.html
$LOCANT tutorial --all -o none/row.html
$LOCANT tutorial --lang fr
