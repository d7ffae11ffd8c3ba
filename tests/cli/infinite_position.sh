$MAKE write P.npy f8 2 0 inf
$LOCANT angles --base 10000 --dim 4 --positions P.npy -o A.npy
s=$?; ls; exit $s
