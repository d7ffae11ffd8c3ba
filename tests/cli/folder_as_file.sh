mkdir X.npy
$LOCANT rotate rope -i X.npy -o Y.npy; s=$?; ls; exit $s
