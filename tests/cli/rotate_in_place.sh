$MAKE write X.npy f4 3,8 count
$LOCANT rotate rope -i X.npy -o Y.npy
$LOCANT rotate rope -i X.npy -o X.npy
cmp X.npy Y.npy
