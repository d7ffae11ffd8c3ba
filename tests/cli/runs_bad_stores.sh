# A store that is damaged, foreign or newer, and a disk without room: one
# sentence and exit 3 each, where it is read and where it is written.
run="--generated --encoding alibi --steps 4 --layers 1 --width 16 --heads 2
     --ff 32 --batch 2 --threads 1"
$LOCANT train $run --dir whole > /dev/null 2>&1; echo "$?"
# The header of the database: 4 bytes at 60 are its version, at 68 whose it is.
patch_store() { # name offset octal
    cp -r whole "$1"
    printf "$3" | dd of="$1/runs.db" bs=1 seek="$2" conv=notrunc 2> /dev/null
}
patch_store newer 60 '\000\000\003\347'
patch_store foreign 68 '\000\000\000\001'
patch_store damaged 0 'not a database..'
mkdir folder folder/runs.db
for dir in newer foreign damaged folder; do
    $LOCANT runs list --dir $dir; echo "$?"
    $LOCANT train $run --dir $dir 2>&1; echo "$?"
done
# Files may have 8 KiB: not even the database fits.
(ulimit -f 16; trap '' XFSZ; $LOCANT train $run --dir full 2>&1); echo "$?"
# An answer that cannot be written is no answer; the store is as it was.
$LOCANT runs list --dir whole > /dev/full; echo "$?"
$LOCANT train $run --dir whole > /dev/null 2>&1; echo "$?"
