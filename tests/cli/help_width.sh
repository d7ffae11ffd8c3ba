# No line of help is wider than a terminal of 80 columns.
"$LOCANT" --help | tee help | awk 'length > 80 { print "locant: " $0 }'
for verb in $(sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p' help); do
    "$LOCANT" "$verb" --help > page || echo "$verb has no help"
    grep -q '^examples:' page || echo "$verb has no examples"
    awk -v verb="$verb" 'length > 80 { print verb ": " $0 }' page
done
