# A learned table shorter than the training length is refused before anything
# is trained, and a run is only judged on the text it was trained on.
$LOCANT report --generated --preset smoke --encodings 'none; learned(length=64)' \
    --dir lab > /dev/null; echo "$?"
$LOCANT runs --dir lab list 2> /dev/null | grep -c running
$LOCANT train --generated --encoding 'learned(length=64)' --steps 2 --dir lab; echo "$?"
$LOCANT train --generated --encoding none --steps 2 --layers 1 --width 16 \
    --heads 2 --ff 16 --dir lab 2> /dev/null > /dev/null; echo "$?"
yes 'int locant(int a, int b); /* not the corpus of the run */' | head -n 4000 > text
$LOCANT eval 1 --text text --dir lab > /dev/null 2> message; echo "$?"
grep -c 'was trained on another corpus' message
$LOCANT runs --dir lab sql 'select count(*) from runs'
