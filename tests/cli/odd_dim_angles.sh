$MAKE write P.npy i8 2 0 1
$LOCANT angles --base 10000 --dim 7 --positions P.npy -o A.npy
s=$?; ls; exit $s
