# 'runs resume' needs no options: the store has them, and where the text is.
run="--encoding rope --steps 60 --layers 1 --width 16 --heads 2 --ff 32
     --batch 2 --checkpoint-every 3"
mkdir text
seq 20000 > text/numbers.txt
$LOCANT train $run --text text/numbers.txt --dir whole > /dev/null 2>&1; echo "$?"
for seed in 1 2; do
    $LOCANT train $run --text text/numbers.txt --dir parts --seed $seed > /dev/null 2>&1 &
    job=$!
    until [ -e parts/checkpoints/run-$seed.safetensors ] ; do
        kill -0 $job || exit sleep 0.01; done
    kill -KILL $job
    wait $job 2> /dev/null; echo "$?"
done
mkdir elsewhere
(cd elsewhere && $LOCANT runs resume --dir ../parts 2> /dev/null |
    sed 's/train loss.*//')
for dir in whole parts; do
    $MAKE data $dir/checkpoints/run-1.safetensors > $dir.sha
done
cmp whole.sha parts.sha
$LOCANT runs resume 2 --dir parts --json 2> /dev/null | grep -c '"done"'
$LOCANT runs resume --dir parts; echo "$?"
$LOCANT runs resume 3 --dir parts; echo "$?"
# the text has changed, and the store keeps the one of before
seq 20001 > text/numbers.txt
$MAKE data parts/checkpoints/run-2.safetensors > before.sha
rm parts/checkpoints/run-2.safetensors
$LOCANT runs resume 2 --dir parts 2> /dev/null | sed 's/train loss.*//'
$MAKE data parts/checkpoints/run-2.safetensors | cmp - before.sha
# without what it keeps, another text is refused
rm parts/checkpoints/run-2.safetensors parts/texts/*
$LOCANT runs resume 2 --dir parts 2>&1 | sed 's/SHA-256.*//'
$LOCANT runs resume 2 --dir parts 2> /dev/null; echo "$?"
