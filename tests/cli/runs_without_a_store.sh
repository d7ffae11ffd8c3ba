$LOCANT runs list; s=$?; ls; exit $s
