$MAKE write P.npy i8 3 0
$MAKE write X.npy f4 3,4 1
$LOCANT rotate rope -i X.npy --positions P.npy --offset 3 -o Y.npy
s=$?; ls; exit $s
