$MAKE write P.npy f8 3 0 nan 2
$LOCANT angles --base 10000 --dim 4 --positions P.npy -o A.npy; echo "$?"
$MAKE write X.npy f4 3,4 1
$LOCANT rotate rope -i X.npy --positions P.npy -o Y.npy; s=$?; ls; exit $s
