$LOCANT table --length 4 --dim 4 -o P.npy; s=$?; ls; exit $s
