$MAKE write Q.npy f4 1,3,1,2 0
$MAKE write K.npy f4 1,2,1,2 0
$MAKE write V.npy f4 1,2,1,2 0
$LOCANT attend none -q Q.npy -k K.npy -v V.npy -o O.npy; s=$?; ls; exit $s
