$MAKE write T.npy f4 3,2 3 4 6 8 0 0
$LOCANT similarity learned --length 3 --dim 2 --param table=T.npy -o S.npy
$MAKE show S.npy
