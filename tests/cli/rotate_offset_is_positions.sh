$MAKE write X.npy f4 3,8 count
$MAKE write P.npy i8 3 1000000 1000001 1000002
$MAKE write R.npy f8 3 1000000 1000001 1000002
$LOCANT rotate rope -i X.npy -o a.npy --offset 1000000
$LOCANT rotate rope -i X.npy -o b.npy --positions P.npy
$LOCANT rotate rope -i X.npy -o c.npy --positions R.npy
cmp a.npy b.npy && cmp b.npy c.npy
