$MAKE write Whole.npy f4 4,8 1
head -c 40 Whole.npy > X.npy
$LOCANT rotate rope -i X.npy -o Y.npy; s=$?; ls; exit $s
