$MAKE write X.npy f4 3,4 1
$LOCANT rotate rope -i X.npy --offset 9223372036854775807 -o Y.npy
s=$?; ls; exit $s
