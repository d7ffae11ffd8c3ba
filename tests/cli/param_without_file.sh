$LOCANT bias t5 --heads 2 --queries 2 --keys 2 --param table -o B.npy
s=$?; ls; exit $s
