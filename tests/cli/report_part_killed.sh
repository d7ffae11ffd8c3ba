# A part that is killed costs the other parts nothing, and the report trains what
# is missing.  While a part works, a second process is told who has its store.
unset OMPI_COMM_WORLD_SIZE PMI_SIZE SLURM_STEP_NUM_TASKS SLURM_ARRAY_TASK_ID
report="$LOCANT report --preset smoke --generated --encodings none --seeds 2"
$report --part 1/2 --dir lab > /dev/null 2> talk &
part=$!
until grep -qs step talk; do sleep 0.02; done
$report --part 1/2 --dir lab 2>&1 |
    sed "s/process $part on host .*/process PART on host HOST/"
kill -KILL $part
wait $part 2> /dev/null; echo "killed: $?"
$LOCANT runs list --dir lab/part-1-of-2 | awk 'NR > 1 { print $1, $2 }'
$report --part 2/2 --dir lab 2> log
$LOCANT runs merge lab lab/part-*
$report --dir lab > /dev/null 2>&1; echo $?
$report --part 1/1 --dir whole > /dev/null 2>&1; echo $?
for dir in lab whole/part-1-of-1; do
    $LOCANT runs sql 'SELECT r.encoding, seed, m.step, loss, valid FROM runs r
        JOIN metrics m ON m.run = r.id JOIN evaluations e ON e.run = r.id
        ORDER BY r.encoding, seed, m.step' --dir $dir > $(basename $dir).csv
done
cmp lab.csv part-1-of-1.csv && wc -l < lab.csv
