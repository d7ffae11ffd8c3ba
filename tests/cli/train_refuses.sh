$LOCANT train --encoding ropee --generated; echo "$?"
$LOCANT train --generated; echo "$?"
$LOCANT train --encoding rope --generated --width 65; echo "$?"
$LOCANT train --encoding rope --generated --lr 0; echo "$?"
$LOCANT train --encoding rope --generated --text .; echo "$?"
$LOCANT train --encoding rope --text none; echo "$?"
ls
$LOCANT train --encoding rope --generated --kv-heads 3 --dir d; echo "$?"
# the sign that the machine gives a NaN is not shown
$LOCANT train --encoding rope --generated --dir d --lr 1e308 --steps 3 \
    --layers 1 --width 8 --heads 1 --ff 8 --batch 1 --length 16 2> talk
echo "$?"
grep '^locant:' talk >&2
