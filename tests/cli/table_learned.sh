$MAKE write T.npy f4 3,2 1 2 3 4 5 6
$LOCANT table learned --length 2 --dim 2 --param table=T.npy -o P.npy
$MAKE show P.npy
