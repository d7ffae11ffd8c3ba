# One head, slope 2^-8; scores 0, so weights exp(-d / 256): two keys, the
# query on the last: (e^(-1/256) * 0 + 1 * 1) / (1 + e^(-1/256)) = .500977
$MAKE write Q.npy f8 1,1,1,2 0
$MAKE write K.npy f8 1,1,2,2 0
$MAKE write V.npy f8 1,1,2,2 0 0 1 1
$LOCANT attend alibi -q Q.npy -k K.npy -v V.npy --causal -o O.npy
$MAKE show O.npy
