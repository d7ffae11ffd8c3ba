$LOCANT table sinusoidal --length 4 --dim 4 -o P.npy --threads -1
s=$?; ls; exit $s
