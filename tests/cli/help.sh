# Every way to ask for help gives it on stdout and succeeds.
$LOCANT > a && $LOCANT --help > b && $LOCANT help > c && $LOCANT -h > d
cmp a b && cmp b c && cmp c d
listed() { sed -n "/^$2:/,/^\$/s/^  \([a-z]*\) .*/\1/p" "$1"; }
check() { # shellcheck disable=SC2086 # a command may be two words
    $LOCANT help $1 > x && $LOCANT $1 --help > y && $LOCANT $1 -h > z &&
        cmp x y && cmp y z || exit
    # summary, usage, the options every command has, and an example
    grep -q "^locant $1 - " x && grep -q "^usage: locant $1 " x &&
        grep -q -e '--json' x && grep -q "^  locant $1" x || exit
    echo "$1"
}
for command in $(listed a commands); do
    check "$command"
    for verb in $(listed x verbs); do
        check "$command $verb"
    done
done
