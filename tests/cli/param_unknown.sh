$MAKE write T.npy f4 32,2 0
$LOCANT bias t5 --heads 2 --queries 2 --keys 2 --param tabel=T.npy -o B.npy
s=$?; ls; exit $s
