# Rows of 'random' numbers, rotated: f4, then rounded to bf16 by the kernel.
$MAKE write X.npy f4 512,64 count
$LOCANT rotate 'rope(base=100,dim=32)' -i X.npy -o Y.npy
$LOCANT model identify --x X.npy --y Y.npy
$LOCANT rotate 'rope(base=100,pairing=interleaved)' -i X.npy -o Y.npy --offset 3
$LOCANT model identify --x X.npy --y Y.npy --json | grep -v residual
$LOCANT rotate 'rope(base=100,dim=32)' -i X.npy -o Y.npy --inverse
$LOCANT model identify --x X.npy --y Y.npy
