$MAKE write Q.npy f4 1,1,1,2 5
$LOCANT attend learned -q Q.npy -k Q.npy -v Q.npy -o O.npy; $MAKE show O.npy
