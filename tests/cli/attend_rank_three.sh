$MAKE write Q.npy f4 3,1,2 0
$LOCANT attend none -q Q.npy -k Q.npy -v Q.npy -o O.npy; s=$?; ls; exit $s
