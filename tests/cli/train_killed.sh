# kill -9 loses at most the work since the last checkpoint; same bits after.
run="--encoding alibi --generated --steps 40 --checkpoint-every 7"
$LOCANT train $run --dir whole > /dev/null 2>&1; echo "$?"
$LOCANT train $run --dir parts > /dev/null 2> talk &
job=$!
until [ -e parts/checkpoints/run-1.safetensors ]; do sleep 0.02; done
kill -KILL $job
wait $job 2> /dev/null; echo "$?"
$LOCANT train $run --dir parts > /dev/null 2>&1; echo "$?"
for dir in whole parts; do
    $MAKE data $dir/checkpoints/run-1.safetensors > $dir.sha
done
cmp whole.sha parts.sha
