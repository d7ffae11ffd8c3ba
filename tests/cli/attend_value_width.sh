$MAKE write Q.npy f4 1,2,1,2 0
$MAKE write K.npy f4 1,1,2,2 0
$MAKE write V.npy f4 1,1,2,3 1 2 3 5 6 7
$LOCANT attend rope -q Q.npy -k K.npy -v V.npy -o O.npy
$MAKE show O.npy
