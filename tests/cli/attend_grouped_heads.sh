$MAKE write Q.npy f4 1,4,1,2 0
$MAKE write K.npy f4 1,2,1,2 0
$MAKE write V.npy f4 1,2,1,2 1 2 3 4
$LOCANT attend rope -q Q.npy -k K.npy -v V.npy -o O.npy
$MAKE show O.npy
