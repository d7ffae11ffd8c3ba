small='--layers 1 --width 16 --heads 2 --ff 32 --batch 4 --steps 2 --dir lab'
for e in rope alibi; do
    $LOCANT train --generated --encoding $e $small
    $LOCANT train --task T1 --encoding $e $small
done > out 2> log || cat log
$LOCANT train --task T12 --encoding rope --parent 1 --steps 2 --dir lab > out 2> log || cat log
for run in 2 4 5; do
    $LOCANT eval $run --items 22 --length 128 --length 256 --dir lab > out 2> log || cat log
done
# the last task that was trained is T12; T1 has scores by k
$LOCANT figure task-depths --dir lab --csv | cut -d, -f1,2 | sed -n '1,4p;$p'
$LOCANT figure task-places --task T1 --dir lab --csv | cut -d, -f1,2 | sed -n '1,3p;$p'
$LOCANT figure task-solved --task t1 --dir lab --csv | cut -d, -f1,2
$LOCANT figure task-scores --task T1 --length 256 --dir lab --csv | cut -d, -f1,2
$LOCANT figure task-scores 4 --dir lab --color none | grep -c '^alibi .* [0-9.]*$'
$LOCANT figure task-depths --dir lab -o map.svg 2>&1 && grep -c '<svg' map.svg
$LOCANT figure task-places --dir lab; echo "$?"
$LOCANT figure task-scores --length 300 --dir lab; echo "$?"
$LOCANT figure task-scores --task T9 --dir lab; echo "$?"
$LOCANT figure task-scores --task T99 --dir lab; echo "$?"
$LOCANT figure length --task T1 --dir lab; echo "$?"
# figures of text are of runs on text, whatever was trained after them
$LOCANT figure training --dir lab --csv | cut -d, -f1,2
