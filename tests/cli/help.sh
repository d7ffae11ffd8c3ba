# Every way to ask for help gives it on stdout and succeeds.
$LOCANT > a && $LOCANT --help > b && $LOCANT help > c && $LOCANT -h > d
cmp a b && cmp b c && cmp c d
for command in $(sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' a); do
    $LOCANT help "$command" > x && $LOCANT "$command" --help > y &&
        $LOCANT "$command" -h > z && cmp x y && cmp y z || exit
    # summary, usage, the options every command has, and an example
    grep -q "^locant $command - " x && grep -q "^usage: locant $command " x &&
        grep -q -e '--json' x && grep -q "^  locant $command" x || exit
    echo "$command"
done
