$LOCANT table sinusoidal -x 4; s=$?; ls; exit $s
