$MAKE write Q.npy f4 1,1,1,2 0
$LOCANT attend none -q Q.npy -k Q.npy -v Q.npy --scale nan -o O.npy
s=$?; ls; exit $s
