# A figure is of the report, not of one that was stopped while it trained anew.
run="--generated --dir lab --layers 1 --width 16 --heads 2 --ff 32 --batch 2"
$LOCANT train --encoding rope $run --steps 4 > /dev/null 2>&1
$LOCANT train --encoding alibi $run --steps 4 > /dev/null 2>&1
$LOCANT train --encoding rope $run --steps 3 > /dev/null 2>&1
$LOCANT train --encoding alibi $run --steps 3 > /dev/null 2>&1
$LOCANT figure training --dir lab --csv | cut -d, -f1,2 | sort -u | tail -n 3
python3 -c 'import sqlite3
store = sqlite3.connect("lab/runs.db")
store.execute("UPDATE runs SET status = \"interrupted\" WHERE id = 4")
store.commit()'
echo "one of them stopped"
$LOCANT figure training --dir lab --csv | cut -d, -f1,2 | sort -u | tail -n 4
