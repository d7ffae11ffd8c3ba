# encodings.md 10.3, 10.4, 10.6
$LOCANT positions streaming --length 12 --sinks 4 --window 4
$LOCANT positions selfextend --length 8 --group 2 --window 4
$LOCANT positions longlora --length 8 --group 4
$LOCANT positions longlora --length 8 --group 4 --cut
for scheme in rerope leaky selfextend streaming; do
    $LOCANT positions distance --distance $scheme --window 4 --group 2 \
        --factor 2 --sinks 2 --queries 1 --keys 8
done
$LOCANT positions distance --distance streaming --window 1 --sinks 0 \
    --queries 1 --keys 2 --json
$LOCANT positions temperature --positions 8190,8191,131071,1000000
$LOCANT positions temperature --temperature ministral --trained 16384 \
    --positions 16382,131071,1000000
$LOCANT positions temperature --temperature logn --trained 128 \
    --positions 127,16383
