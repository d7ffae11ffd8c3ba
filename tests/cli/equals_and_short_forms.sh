$LOCANT table sinusoidal --length=3 --dim=4 --output=a.npy
$LOCANT table --length 3 --dim 4 -ob.npy -- sinusoidal
$LOCANT table --dim 4 --length 3 sinusoidal -o=c.npy
cmp a.npy b.npy && cmp b.npy c.npy && $MAKE show a.npy
