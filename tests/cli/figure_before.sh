# What a bias is made of, before any training: buckets and slopes.
unset COLUMNS NO_COLOR
"$LOCANT" figure buckets t5 --length 140
# 32 buckets of both directions up to 128: distance 64 is the first of bucket 14.
"$LOCANT" figure buckets 't5(bidirectional=yes)' --length 66 --csv | grep ',6[345],'
"$LOCANT" figure head-slopes alibi --heads 8 --csv
# Beyond a power of two, every other slope of twice as many heads.
"$LOCANT" figure head-slopes alibi --heads 6 --dim 96 --csv
"$LOCANT" figure head-slopes 'alibi(dialect=bloom)' --csv
for spec in rope kerple t5; do
    "$LOCANT" figure head-slopes "$spec"; echo "$?"
done
"$LOCANT" figure buckets alibi; echo "$?"
