$LOCANT positions mrope text:1 image:1x2 -o P.npy
$MAKE show P.npy
$LOCANT positions grid --size 1x2 -o G.npy --json
$MAKE show G.npy
$LOCANT positions randomized --length 5000 --range 5000 -o R.npy
$LOCANT positions spaced --length 5000 --range 5000 -o S.npy
cmp R.npy S.npy
# One row is [T], which rotate reads: token 2 starts a document, at 0.
$LOCANT positions documents --lengths 2,1 -o D.npy --json
$LOCANT positions documents --lengths 2,1 --json
$MAKE write X.npy f4 3,2 1 0 1 0 1 0
$LOCANT rotate rope -i X.npy -o Y.npy --positions D.npy
$MAKE show Y.npy
# Two rows stay rows.
$LOCANT positions spaced --length 2 --range 9 --batch 2 -o B.npy --json
