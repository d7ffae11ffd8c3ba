$MAKE write X.npy f4 4 1
$LOCANT rotate rope -i X.npy -o Y.npy; s=$?; ls; exit $s
