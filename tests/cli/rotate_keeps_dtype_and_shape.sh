for t in f4 f8; do
    $MAKE write X.npy $t 2,3,1,4 count
    $LOCANT rotate rope -i X.npy -o Y.npy --offset 0
    $MAKE show Y.npy
done
