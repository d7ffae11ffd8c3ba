# Q of f16: scores of 0 make every row the mean of V.
$MAKE write Q.npy f2 1,2,4,2 0
$MAKE write V.npy f2 1,2,4,2 count
$LOCANT attend none -q Q.npy -k Q.npy -v V.npy -o O.npy && $MAKE show O.npy
