mkdir P.npy
$LOCANT table sinusoidal --length 2 --dim 4 -o P.npy; s=$?; ls P.npy; exit $s
