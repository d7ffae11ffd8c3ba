$MAKE write E.npy i8 3,2 0 1 1 2 2 3
$LOCANT graph E.npy --walks 4 -o W.npy
$MAKE show W.npy
$LOCANT graph E.npy --walks 4 --space-dim 2 -o W.npy --json
$MAKE show W.npy
$LOCANT graph E.npy --hops --nodes 5 -o H.npy
$MAKE show H.npy
