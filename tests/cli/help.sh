# Every way to ask for help gives it on stdout and succeeds.
$LOCANT > a && $LOCANT --help > b && $LOCANT help > c && $LOCANT -h > d
cmp a b && cmp b c && cmp c d
for verb in $(sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p' a); do
    $LOCANT help "$verb" > x && $LOCANT "$verb" --help > y &&
        $LOCANT "$verb" -h > z && cmp x y && cmp y z || exit
    # summary, usage, the options every verb has, and an example
    grep -q "^locant $verb - " x && grep -q "^usage: locant $verb " x &&
        grep -q -e '--json' x && grep -q "^  locant $verb" x || exit
    echo "$verb"
done
