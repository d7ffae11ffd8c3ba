$LOCANT table sinusoidal --length 2 --dim 4 -o none/P.npy; s=$?; ls; exit $s
