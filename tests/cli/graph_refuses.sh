# Nothing is written, and each sentence says what to do.
$MAKE write E.npy i8 3,2 0 1 1 2 2 3
$MAKE write F.npy f8 3,2 0 1 1 2 2 3
$MAKE write N.npy i8 1,2 -1 -1
$MAKE write T.npy i8 2,3 0 1 2 1 2 3
$MAKE write Z.npy i8 0,2
$MAKE write H.npy i8 1,2 0 9223372036854775807
no() {
    $LOCANT graph "$@" -o OUT.npy
    echo "exit $?"
}
no E.npy
no E.npy --hops --walks 3
no E.npy --laplacian 0
no E.npy --hops --kind symmetric
no E.npy --hops --space-dim 1
no E.npy --walks 2 --space-dim -1
no E.npy --walks 9 --space-dim 1e308
no E.npy --hops --nodes 3
no F.npy --hops
no N.npy --hops
no T.npy --hops
no Z.npy --hops
no H.npy --hops 2>&1 | sed "s/ would .*//"
no missing.npy --hops
ls
