$LOCANT table sinusoidal --length 2 --dim 4 -o -; s=$?; ls; exit $s
