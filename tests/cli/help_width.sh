# No line of help is wider than a terminal of 80 columns.
"$LOCANT" --help | tee help | awk 'length > 80 { print "locant: " $0 }'
for command in $(sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' help); do
    "$LOCANT" "$command" --help > page || echo "$command has no help"
    grep -q '^examples:' page || echo "$command has no examples"
    awk -v verb="$command" 'length > 80 { print verb ": " $0 }' page
done
