# Runs on the C headers go on with those that the store keeps.  Other headers
# are simulated: a text of files that the store is told was of headers.
run="--encoding none --steps 2 --layers 1 --width 16 --heads 2 --ff 32
     --batch 2 --dir lab"
train() {
    $LOCANT train $run "$@" 2>&1 | grep -v tokens |
        sed 's/, train loss.*//; s/reads the [0-9]*/reads the N/'
}
seq 30000 > text.txt
train --text text.txt
train --text text.txt
python3 -c "
import sqlite3
lab = sqlite3.connect('lab/runs.db')
lab.execute('''UPDATE corpora SET kind = 'headers', paths = '[]' ''')
lab.commit()"
train
seq 30001 > text.txt
train --text text.txt
train --kept-text 0435 --seed 3
# what is damaged is said, and nothing is trained
printf x >> "$(ls lab/texts/0435*)"
train --seed 4
# these are of now, and what goes on from here
train --fresh-text | sed 's/[0-9a-f]*\.\., was/NOW.., was/'
train --seed 2
$LOCANT runs sql --dir lab 'select kind from texts join corpora using (sha256)
    order by used desc limit 1' | tail -n 1
# options that speak of two texts
for two in '--kept-text 0 --generated' '--kept-text 0 --no-keep' \
    '--fresh-text --generated' '--fresh-text --text text.txt'; do
    $LOCANT train $run $two; echo "$?"
done
$LOCANT train $run --task T1 --fresh-text; echo "$?"
$LOCANT report --preset smoke --kept-text 0 --dir none; echo "$?"
