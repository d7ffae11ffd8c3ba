$LOCANT train --encoding ropee --generated; echo "$?"
$LOCANT train --generated; echo "$?"
$LOCANT train --encoding rope --generated --width 65; echo "$?"
$LOCANT train --encoding rope --generated --lr 0; echo "$?"
$LOCANT train --encoding rope --generated --text .; echo "$?"
$LOCANT train --encoding rope --text none; echo "$?"
ls
$LOCANT train --encoding rope --generated --kv-heads 3 --dir d; echo "$?"
# what is refused late leaves nothing, too
for more in "--encoding rope(dim=64)" "--encoding rope --lr 1e308" \
        "--encoding learned(length=5)" "--encoding rope --parent 7" \
        "--encoding rope --length 100000000" \
        "--encoding sinusoidal --memory 5"; do
    $LOCANT train $more --generated --dir none; echo "$?"
done
ls
# a vocabulary: neither bytes nor pairs, of no text, more than the text has
$LOCANT train --encoding rope --generated --vocabulary 100; echo "$?"
$LOCANT train --encoding rope --task T1 --vocabulary 512; echo "$?"
yes 'one line of text' | head -c 70000 > text
$LOCANT train --encoding rope --text text --vocabulary 4096 --dir none
echo "$?"
ls
# the sign that the machine gives a NaN is not shown; the step is its own
$LOCANT train --encoding rope --generated --dir d --lr 1000 --steps 30 \
    --layers 1 --width 8 --heads 1 --ff 8 --batch 1 --length 16 2> talk
echo "$?"
sed -n '/^locant:/s/step [0-9]*/step N/p' talk >&2
# Muon: its rate alone; a rate out of range; no such optimiser
$LOCANT train --encoding rope --generated --muon-lr 0.02; echo "$?"
$LOCANT train --encoding rope --generated --optimizer muon --muon-lr 0; echo "$?"
$LOCANT train --encoding rope --generated --optimizer adam; echo "$?"
# of ranks that there are not
$LOCANT train --encoding rope --generated --patience 5 --dir none; echo "$?"
# leaves: no power of two, not of the batch, too many
$LOCANT train --encoding rope --generated --leaves 3 --dir none; echo "$?"
$LOCANT train --encoding rope --generated --leaves 64 --dir none; echo "$?"
$LOCANT train --encoding rope --generated --leaves 512 --dir none; echo "$?"
ls
