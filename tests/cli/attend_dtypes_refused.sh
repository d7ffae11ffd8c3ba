# The file whose dtype is wrong is named.
for kind in f4 f8 i8; do $MAKE write $kind.npy $kind 1,1,2,2 1; done
attend() {
    $LOCANT attend none -o O.npy "$@"
    echo "$?" $(ls)
}
attend -q i8.npy -k f4.npy -v f4.npy
attend -q f4.npy -k f8.npy -v f4.npy
attend -q f4.npy -k f4.npy -v i8.npy
attend -q f4.npy -k f4.npy -v f4.npy --query-positions f8.npy
attend -q f8.npy -k f8.npy -v f8.npy --sinks f4.npy
attend -q f8.npy -k f8.npy -v f8.npy --input f4.npy
