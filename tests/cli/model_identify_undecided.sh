# At position 0 nothing turns; 16 positions leave slow pairs open.
$MAKE write X.npy f4 16,64 count
$MAKE write P.npy i8 16 0
$LOCANT model identify --x X.npy --y X.npy --positions P.npy
echo $?
$LOCANT rotate rope -i X.npy -o Y.npy --offset 7
$MAKE write P.npy i8 16 7
$LOCANT rotate rope -i X.npy -o Y.npy --positions P.npy
$LOCANT model identify --x X.npy --y Y.npy --positions P.npy
