# Stores of parts become one; merging again changes nothing.
tiny='--generated --layers 1 --width 8 --ff 8 --heads 2 --steps 4 --length 16'
for part in 1 2; do
    $LOCANT train --encoding rope --seed $part $tiny --dir part-$part > log 2>&1
done
$LOCANT runs merge all part-1 part-2
$LOCANT runs merge all part-2 --json
$LOCANT runs sql 'SELECT id, seed, status, step FROM runs' --dir all
# the merged run is there: nothing is trained again
$LOCANT train --encoding rope --seed 2 $tiny --dir all --json | grep '"id"'
# a name that is not UTF-8 cannot be in JSON
cp -r part-1 "$(printf 'part\377')"
$LOCANT runs merge all "$(printf 'part\377')" --json; echo "$?"
# refused: no store, nothing to merge, itself
$LOCANT runs merge other part-3
ls other
$LOCANT runs merge all
$LOCANT runs merge all part-1 all
# finished runs that differ: both are named
python3 -c "
import sqlite3
with sqlite3.connect('part-2/runs.db') as db:
    db.execute('UPDATE metrics SET loss = 1 WHERE step = 2')"
$LOCANT runs merge all part-1 part-2
