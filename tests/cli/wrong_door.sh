$MAKE write X.npy f4 2,4 1
$LOCANT rotate alibi -i X.npy -o Y.npy; echo "$?"
$LOCANT bias rope --heads 2 --queries 2 --keys 2 -o B.npy; echo "$?"
$LOCANT table t5 --length 4 --dim 4 -o P.npy --param table=X.npy; echo "$?"
$LOCANT similarity alibi --length 4 --dim 4 -o S.npy; echo "$?"
$LOCANT similarity none --length 4 --dim 4 -o S.npy; echo "$?"
ls
