$MAKE write P.npy f4 2 0 1
$LOCANT angles --base 10000 --dim 4 --positions P.npy -o A.npy
s=$?; ls; exit $s
