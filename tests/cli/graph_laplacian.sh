# A path of four: the values of the paper's Laplacian, the first vector dropped.
$MAKE write E.npy i8 3,2 0 1 1 2 2 3
$LOCANT graph E.npy --laplacian 2 -o V.npy --values W.npy
$MAKE show V.npy
$MAKE show W.npy
$LOCANT graph E.npy --laplacian 2 --kind combinatorial --keep-trivial -o V.npy
$MAKE show V.npy
# Beyond the graph there are zeros.
$LOCANT graph E.npy --laplacian 5 --kind random-walk -o V.npy
$MAKE show V.npy
