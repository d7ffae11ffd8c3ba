# Of runs in the store: learned parameters, and what was measured.
run="--generated --dir lab --steps 6 --layers 1 --width 16 --heads 2 --ff 32
     --batch 2"
$LOCANT train --encoding learned $run 2> /dev/null | sed 's/loss.*//'
$LOCANT train --encoding t5 $run 2> /dev/null | sed 's/loss.*//'
$LOCANT figure training --dir lab --csv | cut -d, -f1,2
$LOCANT figure bias 2 --dir lab --csv | sed -n '1p;$p' | cut -d, -f1,2
$LOCANT figure bias-initial 2 --dir lab --csv | wc -l
$LOCANT figure table 1 --dir lab --csv | wc -l
$LOCANT figure training 1 9 --dir lab; echo "$?"
$LOCANT figure training one --dir lab; echo "$?"
$LOCANT figure length --dir lab; echo "$?"
$LOCANT figure surface --dir lab; echo "$?"
# Read as another encoding only, as a report's own runs of an extension are.
$LOCANT train --encoding rope ${run%--steps 6*} --steps 4 --layers 1 --width 16 \
    --heads 2 --ff 32 --batch 2 2> /dev/null | sed 's/loss.*//'
$LOCANT eval 3 --as 'rope(base=100)' --blocks 2 --generated --dir lab > eval.txt
$LOCANT figure training --dir lab --csv | tail -n 1 | cut -d, -f1,2
