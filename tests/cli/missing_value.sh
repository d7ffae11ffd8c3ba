$LOCANT table sinusoidal --length 4 --dim 4 -o --json; s=$?; ls; exit $s
