$LOCANT train --encoding rope --generated --steps 100000 --dir lab \
    > /dev/null 2> talk &
job=$!
until grep -qs step talk; do sleep 0.02; done
# A background job of a shell without job control ignores SIGINT.
kill -TERM $job
wait $job; echo "$?"
tail -n 1 talk
$LOCANT runs list --dir lab | awk 'NR > 1 { print $2 }'
