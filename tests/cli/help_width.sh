# No line of help is wider than a terminal of 80 columns.
"$LOCANT" --help | tee help | awk 'length > 80 { print "locant: " $0 }'
listed() { sed -n "/^$2:/,/^\$/s/^  \([a-z]*\) .*/\1/p" "$1"; }
check() { # shellcheck disable=SC2086 # a command may be two words
    "$LOCANT" $1 --help > page || echo "$1 has no help"
    grep -q '^examples:' page || echo "$1 has no examples"
    awk -v verb="$1" 'length > 80 { print verb ": " $0 }' page
}
for command in $(listed help commands); do
    check "$command"
    for verb in $(listed page verbs); do
        check "$command $verb"
    done
done
