# Losses by step are there while a run trains, and after it was killed.
$LOCANT train --encoding rope --steps 100000 --layers 1 --width 16 --heads 2 \
    --ff 32 --batch 2 --checkpoint-every 3 --generated --dir lab > /dev/null 2>&1 &
job=$!
until [ -e lab/checkpoints/run-1.safetensors ]; do
    kill -0 $job || exit; sleep 0.01; done
$LOCANT figure training 1 --dir lab --csv | cut -d, -f1 | sort -u
kill -KILL $job
wait $job 2> /dev/null; echo "$?"
$LOCANT figure gradient 1 --dir lab --csv | head -n 1
$LOCANT figure length 1 --dir lab; echo "$?"
