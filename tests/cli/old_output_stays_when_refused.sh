$LOCANT table sinusoidal --length 2 --dim 4 -o P.npy
cp P.npy old
$LOCANT table rope --length 2 --dim 4 -o P.npy; s=$?
cmp old P.npy && ls; exit $s
