$MAKE write Q.npy f4 1,1,2,2 0
$MAKE write K.npy f4 1,1,2,2 0
$MAKE write V.npy f4 1,1,2,2 1 0 1 0
$LOCANT attend rope -q Q.npy -k K.npy -v V.npy --causal --rotate-values \
    -o O.npy
$MAKE show O.npy
$LOCANT attend xpos -q Q.npy -k K.npy -v V.npy --rotate-values -o O.npy
