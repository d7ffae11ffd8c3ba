$MAKE write P.npy i8 2,2 0
$LOCANT angles --base 10000 --dim 4 --positions P.npy -o A.npy; echo "$?"
$MAKE write P.npy i8 5 0
$MAKE write X.npy f4 3,4 1
$LOCANT rotate rope -i X.npy --positions P.npy -o Y.npy; s=$?; ls; exit $s
