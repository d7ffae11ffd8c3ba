# Stopped and continued ends in the bits of a run that never stopped.
run="--encoding rope --generated --steps 40 --checkpoint-every 7"
$LOCANT train $run --dir whole > /dev/null 2>&1; echo "$?"
$LOCANT train $run --dir parts > /dev/null 2> talk &
job=$!
until grep -qs step talk; do sleep 0.02; done
kill -TERM $job
wait $job; echo "$?"
tail -n 1 talk
$LOCANT train $run --dir parts > /dev/null 2>&1; echo "$?"
for dir in whole parts; do
    $LOCANT runs sql 'select 1' --dir $dir > /dev/null || exit
    $LOCANT runs show 1 --dir $dir | grep 'train loss' > $dir.loss
    $MAKE data $dir/checkpoints/run-1.safetensors > $dir.sha
done
cmp whole.loss parts.loss && cmp whole.sha parts.sha
