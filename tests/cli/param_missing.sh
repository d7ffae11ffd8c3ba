$LOCANT table learned --length 4 --dim 2 -o P.npy; s=$?; ls; exit $s
