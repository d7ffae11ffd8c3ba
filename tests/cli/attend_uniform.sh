# Equal scores: the mean of the visible values; two keys before each query.
$MAKE write Q.npy f4 1,1,2,2 0
$MAKE write K.npy f4 1,1,4,2 0
$MAKE write V.npy f4 1,1,4,2 0 0 3 3 6 6 9 9
$LOCANT attend none -q Q.npy -k K.npy -v V.npy -o O.npy
$MAKE show O.npy
$LOCANT attend none -q Q.npy -k K.npy -v V.npy --causal -o O.npy
$MAKE show O.npy
