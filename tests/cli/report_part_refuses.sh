# What no part of a report is, and is refused before anything is written.
unset OMPI_COMM_WORLD_SIZE PMI_SIZE SLURM_STEP_NUM_TASKS SLURM_ARRAY_TASK_ID
$LOCANT report --preset smoke --generated --encodings 'none; alibi' --seeds 2 \
    --make-plan plan.json > /dev/null 2>&1
for part in 0/2 3/2 2 a/2 1/0 auto auto/x 1/2/3; do
    $LOCANT report --part $part --dir other
done
JOB_COMPLETION_INDEX=1 $LOCANT report --generated --part auto --dir other
# the batch script of an array has this number of a task, too
SLURM_PROCID=0 SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_COUNT=4 \
    SLURM_ARRAY_TASK_MIN=2 $LOCANT report --generated --part auto --dir other
JOB_COMPLETION_INDEX=7 $LOCANT report --generated --part auto/4 --dir other
$LOCANT report --part 1/2 --minutes 5 --dir other
$LOCANT report --part 1/2 --with surface --dir other
$LOCANT report --plan plan.json --seeds 3 --dir other
$LOCANT report --make-plan p.json --plan plan.json --dir other
$LOCANT report --plan missing.json --generated --part 1/2 --dir other
echo '{"format": "locant study"}' > study.json
$LOCANT report --plan study.json --generated --part 1/2 --dir other
head -c 200000 /dev/zero | tr '\0' 'a b' > text
$LOCANT report --plan plan.json --text text --part 1/2 --dir other 2>&1 | tail -1
$LOCANT report --study study.json --generated --dir other
$LOCANT report --study study.json --dir other
OMPI_COMM_WORLD_SIZE=4 $LOCANT report --dir other
ls other
