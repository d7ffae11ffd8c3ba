$MAKE write X.npy i4 2,4 1
$LOCANT rotate rope -i X.npy -o Y.npy; s=$?; ls; exit $s
