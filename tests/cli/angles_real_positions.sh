$MAKE write P.npy f8 2 0.5 -1.25
$LOCANT angles --base 4 --dim 2 --positions P.npy -o A.npy
$MAKE show A.npy
