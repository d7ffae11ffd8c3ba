# dim 2: one pair at frequency 1, so cos(i - j).
$LOCANT similarity sinusoidal --length 3 --dim 2 -o S.npy
$MAKE show S.npy
$LOCANT similarity rope --length 3 --dim 2 -o S.npy
$MAKE show S.npy
