# Values of a store that no option allows, and tables that are none: one sentence
# that names the store and the row, exit 3, wherever something is computed.
run="--generated --encoding rope --layers 1 --width 16 --heads 2 --ff 32
     --batch 2 --length 32 --threads 1 --dir lab"
$LOCANT train $run --steps 2 > train.log 2>&1 || cat train.log
change() { # SQL: to the store as it was
    cp kept.db lab/runs.db
    rm -f lab/runs.db-wal lab/runs.db-shm
    python3 -c "import sqlite3, sys
db = sqlite3.connect('lab/runs.db')
db.executescript(sys.argv[1])
db.commit()" "$1"
}
try() { # SQL, command
    change "$1"
    shift
    echo "\$ $*"
    timeout 20 $LOCANT "$@" --dir lab > said 2>&1
    status=$?
    # the seconds of a run are in its checkpoint, in a few digits or many
    sed 's/checkpoint has [0-9]*/checkpoint has N/' said
    echo "$status"
}
cp lab/runs.db kept.db
try "UPDATE runs SET length = 0" eval 1 --blocks 4
try "UPDATE runs SET length = 0" runs list
try "UPDATE runs SET model = replace(model, 'heads=2', 'heads=0')" probe 1
try "UPDATE runs SET model = replace(model, '=16', '=1048576')" eval 1
try "UPDATE runs SET encoding = 'rope(base=-1)'" eval 1
try "UPDATE runs SET encoding = 'rope(dim=64)'" eval 1
try "UPDATE runs SET source = 'T99'" eval 1
try "UPDATE corpora SET max_bytes = 9223372036854775807" eval 1
try "UPDATE corpora SET max_bytes = 0" eval 1
try "UPDATE corpora SET kind = 'files', paths = '[1]'" eval 1
try "UPDATE corpora SET kind = 'dreams'" eval 1
try "ALTER TABLE runs RENAME TO r; CREATE VIEW runs AS WITH RECURSIVE c AS
    (SELECT * FROM r UNION ALL SELECT * FROM c) SELECT * FROM c" runs list
try "DROP TABLE metrics" eval 1
stopped="UPDATE runs SET status = 'interrupted', options = replace(options,"
try "$stopped '\"heads\":2', '\"heads\":0')" runs resume 1
try "$stopped '\"length\":32', '\"length\":33')" runs resume 1
try "$stopped '\"width\":16', '\"width\":16384')" runs resume 1
try "UPDATE runs SET model = replace(model, '=16', '=16384');
    $stopped '\"width\":16', '\"width\":16384')" runs resume 1
try "$stopped '\"heads\":2', '\"heads\":\"2\"')" runs resume 1
try "$stopped '\"parent\":0', '\"parent\":7')" runs resume 1
