$LOCANT table sinusoidal --length 4 -o P.npy; s=$?; ls; exit $s
