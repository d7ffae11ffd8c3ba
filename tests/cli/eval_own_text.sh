# Without --text and --generated a run is read on what it was trained on, as the
# store keeps it; of a run that kept its SHA-256 alone, the store knows no more.
train="--steps 2 --layers 1 --width 16 --heads 2 --ff 32 --batch 2 --dir lab"
eval="--dir lab --blocks 2 --json"
mkdir text
for n in 1 2 3 4 5 6 7 8; do
    python3 -c "
for i in range(9000): print('line', i * $n % 1013, 'of text', $n)" \
        > text/$n.txt
done
$LOCANT train --encoding rope --generated $train > /dev/null 2>&1; echo "$?"
$LOCANT train --encoding rope --text text $train 2>&1 > /dev/null | grep keeps
$LOCANT eval 1 $eval > own; echo "$?"
$LOCANT eval 1 $eval --generated | cmp - own; echo "$?"
$LOCANT eval 2 $eval > own; echo "$?"
$LOCANT eval 2 $eval --text text | cmp - own; echo "$?"
$LOCANT eval 2 $eval --generated 2> /dev/null; echo "$?"
sed -i 1d text/1.txt
# kept: the very loss of before, of another encoding as well
$LOCANT eval 2 $eval | cmp - own; echo "$?"
$LOCANT eval 2 $eval --as 'temperature(kind=logn)+rope' > /dev/null; echo "$?"
$LOCANT runs sql --dir lab 'select count(*) from texts'
# the SHA-256 alone
$LOCANT train --encoding rope --text text --no-keep $train 2>&1 > /dev/null |
    grep -v tokens
$LOCANT runs sql --dir lab 'select (select count(*) from texts),
    (select count(*) from corpora)'
$LOCANT eval 3 $eval --text text > /dev/null; echo "$?"
$LOCANT eval 3 $eval --text text/1.txt 2> /dev/null; echo "$?"
$LOCANT eval 3 $eval
