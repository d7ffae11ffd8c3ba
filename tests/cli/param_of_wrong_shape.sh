$MAKE write T.npy f4 32,3 0
$MAKE write R.npy f4 7 0
$LOCANT table learned --length 4 --dim 2 --param table=R.npy -o P.npy
$LOCANT table learned --length 4 --dim 2 --init -1 -o P.npy
$LOCANT bias t5 --heads 2 --queries 2 --keys 2 --param table=T.npy -o B.npy
s=$?; ls; exit $s
