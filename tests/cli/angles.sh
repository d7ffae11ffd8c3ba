# base 4, dim 4: angles p and p/2.  cos 1e9 = .837887, sin 1e9 = .545843,
# cos 5e8 = -.958615, sin 5e8 = -.284704
$MAKE write P.npy i8 2 0 1000000000
$LOCANT angles --base 4 --dim 4 --positions P.npy -o A.npy
$MAKE show A.npy
