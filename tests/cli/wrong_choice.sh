$MAKE write P.npy i8 3 1 2 3
$LOCANT angles --dim 4 --positions P.npy --mode exat -o A.npy; s=$?; ls; exit $s
