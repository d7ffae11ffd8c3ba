$LOCANT tasks | head -n 5
$LOCANT tasks --json | grep -c '"task"'
small="--dir lab --layers 1 --width 16 --heads 2 --batch 4 --steps 3"
$LOCANT train --task t13.4 --encoding 'learned(length=32)' $small --length 32 \
    2> /dev/null | sed 's/loss.*//'
$LOCANT eval 1 --dir lab --length 20 --length 40 2> /dev/null | cut -c 1-34
$LOCANT eval 1 --dir lab --json 2> /dev/null | grep -c '"accuracy"'
$LOCANT tasks --scores --places --dir lab | cut -c 1-60
$LOCANT tasks --scores --dir lab --json | grep -c '"solved"'
$LOCANT tasks --places; echo "$?"
$LOCANT runs sql 'select run, task, length, place, tokens from task_scores' \
    --dir lab
$LOCANT train --task T99 --encoding rope; echo "$?"
$LOCANT train --task T1 --encoding rope --generated; echo "$?"
$LOCANT train --task T10 --encoding rope --length 8 --dir lab; echo "$?"
$LOCANT train --encoding rope --generated $small 2> /dev/null | sed 's/loss.*//'
$LOCANT train --task T12 --encoding rope --dir lab; echo "$?"
$LOCANT train --task T12 --encoding rope --dir lab --parent 2 --steps 2 \
    2> /dev/null | sed 's/loss.*//'
$LOCANT train --task T12 --encoding rope --dir lab --parent 1; echo "$?"
$LOCANT eval 1 --dir lab --blocks 3; echo "$?"
$LOCANT eval 2 --dir lab --items 3; echo "$?"
$LOCANT eval 1 --dir lab --length many; echo "$?"
