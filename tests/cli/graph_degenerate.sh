# A cycle of six: two pairs, the second cut by K = 3; listed twice, with a loop.
$MAKE write E.npy i4 8,2 0 1 1 2 2 3 3 4 4 5 5 0 1 0 3 3
$LOCANT graph E.npy --laplacian 3 -o V.npy
$LOCANT graph E.npy --laplacian 5 -o V.npy --json | grep -v '\.'
