# A page of chosen runs: what was not measured of them is measured, nothing is
# trained, encodings may have different seeds, and pairs are tested at the seeds
# that both have.
train="--generated --steps 2 --layers 1 --width 16 --heads 2 --ff 32 --batch 2"
report="--preset smoke --dir lab"
page() { $LOCANT report $report "$@" --json 2> log > numbers; echo "exit $?"; }
show() {
    python3 -c "
import json
n = json.load(open('numbers'))
print(n['preset'], [g['passed'] for g in n['gates']])
for row in n['rows']:
    print(row['encoding'], [(r['run'], r['seed']) for r in row['runs']])
for pair in n['pairs']['loss']['128']['pairs']:
    print(pair['first'], pair['second'], pair['p'] is not None)"
}
for seed in 1 2 3 4; do
    $LOCANT train --dir lab $train --encoding rope --seed $seed
    $LOCANT train --dir lab $train --encoding alibi --seed $((6 - seed))
done > /dev/null 2>&1
$LOCANT train --dir lab $train --encoding none > /dev/null 2>&1
page --runs 9,1-8 -o page.html --export paper
show
grep -o 'To repeat.*' page.html | sed 's/<[^>]*>//g' | head -n 1
grep -c 'a study of chosen runs' page.html
ls paper
$LOCANT study list --dir lab | sed 's/20[^ ]*Z/TIME/'
$LOCANT runs sql 'select count(*) from runs' --dir lab
# runs of a query, and what a page cannot compare
page --runs "$($LOCANT runs sql 'select id from runs where seed < 3' \
    --dir lab | sed 1d)" -o page.html
show
# a study of some of the runs of another, and the same seeds in both
# (whose dates may be the same second)
$LOCANT study compare 1 2 --dir lab | sed '/^date /d'
$LOCANT study compare 1 2 --dir lab --json -o other.html |
    python3 -c "import json, sys; print(json.load(sys.stdin)['names'])"
cmp other.html locant-compare.html
$LOCANT study compare 1 --dir lab; echo "exit $?"
$LOCANT study export --dir lab -o study.json 2> /dev/null > /dev/null
$LOCANT study import study.json --dir other; echo "exit $?"
$LOCANT train --dir lab $train --steps 3 --encoding rope > /dev/null 2>&1
$LOCANT train --dir lab $train --lr .01 --encoding rope \
    > /dev/null 2>&1
for runs in 1,10 1,11 1,2,1 1-99 3-1 1,,b 1-5000 ''; do
    $LOCANT report $report --runs "$runs"; echo "exit $?"
done
$LOCANT report $report --runs 1 --seeds 2; echo "exit $?"
seq 40000 > text.txt
$LOCANT report $report --runs 1 --text text.txt > /dev/null; echo "exit $?"
$LOCANT runs sql 'select count(*) from texts' --dir lab
$LOCANT report --runs 1 --dir none; echo "exit $?"
