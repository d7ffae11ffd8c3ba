# A report in parts has the runs of the whole, and the page trains nothing more.
unset OMPI_COMM_WORLD_SIZE PMI_SIZE SLURM_STEP_NUM_TASKS SLURM_ARRAY_TASK_ID
$LOCANT report --preset smoke --generated --encodings 'none; alibi' --seeds 2 \
    --make-plan plan.json
grep -c '"rate"' plan.json
$LOCANT report --plan plan.json --generated --part 1/2 --dir lab 2> log
SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 \
    $LOCANT report --plan plan.json --generated --part auto --dir lab --json 2> log
ls lab
$LOCANT runs merge lab lab/part-1-of-2 lab/part-2-of-2
$LOCANT runs sql 'SELECT max(seconds) FROM runs' --dir lab > before
$LOCANT report --plan plan.json --generated --dir lab > /dev/null 2>&1; echo $?
$LOCANT runs sql 'SELECT max(seconds) FROM runs' --dir lab | cmp - before
$LOCANT report --preset smoke --generated --encodings 'none; alibi' --seeds 2 \
    --dir whole > /dev/null 2>&1
for dir in lab whole; do
    $LOCANT runs sql 'SELECT r.encoding, seed, m.step, loss, valid FROM runs r
        JOIN metrics m ON m.run = r.id JOIN evaluations e ON e.run = r.id
        ORDER BY r.encoding, seed, m.step' --dir $dir > $dir.csv
done
cmp lab.csv whole.csv && wc -l < lab.csv
# the text of a study
seq 1 20000 > numbers
$LOCANT report --preset smoke --text numbers --encodings none --dir numbered \
    > /dev/null 2>&1
$LOCANT study export --with-text --dir numbered -o text.json > /dev/null 2>&1
$LOCANT report --preset smoke --study text.json --encodings alibi --part 1/1 \
    --dir parts 2> log
for dir in numbered parts/part-1-of-1; do
    $LOCANT runs sql 'SELECT corpus_sha256 FROM runs' --dir $dir > $dir.sha
done
cmp numbered.sha parts/part-1-of-1.sha
