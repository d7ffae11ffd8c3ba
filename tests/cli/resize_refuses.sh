# Nothing is written, and each sentence says what to do.
$MAKE write T.npy f4 6,2 count
$MAKE write I.npy i8 6,2 count
$MAKE write L.npy f4 6 count
no() {
    $LOCANT resize "$@" -o P.npy
    echo "exit $?"
}
no T.npy
no T.npy --to 3 --grid 2x2
no T.npy --to 3 --from-grid 2x3
no T.npy --grid 2x
no T.npy --grid 0x4
no T.npy --grid 2x2
no T.npy --grid 2x2 --from-grid 2x4
no T.npy --to 3 --prefix 7
no T.npy --to 3 --form hf --antialias
no T.npy --to 3 --form bert
no T.npy --to 3 --align-corners --antialias
no T.npy --to 3 --offset 2
no I.npy --to 3
no L.npy --to 3
no missing.npy --to 3
ls
