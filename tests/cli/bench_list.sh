# names of rows: sizes and encodings as given, and only rows that have them
"$LOCANT" bench --list --only forward -n 96,512-1024*2 -d 64 -e alibi
echo --
"$LOCANT" bench --list -n 64 --dims=32 --encoding 'rope ( base = 500000 )'
echo --
"$LOCANT" bench --list --quick --only content
echo --
"$LOCANT" bench --list --only memory
echo --
"$LOCANT" bench --list --only ' alibi ' -n 96 -d 64 -e alibi
