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
