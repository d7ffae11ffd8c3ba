# Text of a store, of SQLite and of file names reaches no terminal raw.
$LOCANT train --encoding rope --generated --dir lab --steps 2 --layers 1 \
    --width 16 --heads 2 --ff 32 --batch 2 > /dev/null 2>&1
python3 -c 'import sqlite3
store = sqlite3.connect("lab/runs.db")
store.execute("UPDATE runs SET build = ?, message = ?",
              ("gcc\x1b[31m\x9b2J\u009b1m \u4f4d\u7f6e", "a\nb\x7f"))
store.commit()'
$LOCANT runs show 1 --dir lab | grep -a 'computed\|message'
$LOCANT runs sql "SELECT build, message AS 'm$(printf '\033')' FROM runs" \
    --dir lab
$LOCANT runs export --dir lab | tail -n 1 | grep -a -o '"*gcc.*'
$LOCANT runs show 1 --dir lab --json | grep -o '"message": "[^"]*"'
$LOCANT runs sql "SELECT 'a' || char(155) || char(127) || 'é' AS x" --dir lab \
    --json | grep -a x
$LOCANT runs sql "$(printf 'SELECT 1 FROM "x\033[2J\007"')" --dir lab; echo "$?"
$LOCANT runs sql "SELECT CAST(x'ff9b1b41c0af' AS TEXT) AS x" --dir lab
$LOCANT "$(printf 'no\033[2Jsuch')"; echo "$?"
$LOCANT show "$(printf 'rope(a\033=1)')"; echo "$?"
$LOCANT rotate rope -i "$(printf 'no\033[2Jsuch\302\233\344\275\215.npy')" \
    -o out.npy; echo "$?"
$LOCANT table sinusoidal --length 2 --dim 2 -o "$(printf 'to\033[1m.npy')"
$LOCANT runs list --dir "$(printf 'no\033[1m')"; echo "$?"
