$LOCANT bias alibi --heads 2 --queries 2 --keys 2; s=$?; ls; exit $s
