# A limit on the size of files is a full disk, not the end of the process.
run="--encoding none --generated --steps 6 --checkpoint-every 2 --dir lab"
(ulimit -f 300; $LOCANT train $run 2>&1 | grep -v '%')
(ulimit -f 300; $LOCANT train $run > /dev/null 2>&1; echo "$?")
ls lab/checkpoints
$LOCANT train $run 2> /dev/null | sed 's/train loss.*//'
(ulimit -f 8; $LOCANT train $run --dir other 2>&1; echo "$?")
