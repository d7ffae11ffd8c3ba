$MAKE write X.npy f4 1,4 1
$LOCANT rotate rope -i X.npy -o Y.npy --inverse=yes; s=$?; ls; exit $s
