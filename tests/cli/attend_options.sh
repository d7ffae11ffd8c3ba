# With scores of 0 a row is the mean of what it sees; a sink of 0 is one more
# key whose value is 0, one of ln 3 = 1.0986123 three of them.
$MAKE write Q.npy f4 1,1,4,1 0
$MAKE write V.npy f4 1,1,4,1 12 24 36 48
$MAKE write S.npy f4 1 0
$MAKE write S3.npy f4 1 1.0986123
attend() {
    $LOCANT attend none -q Q.npy -k Q.npy -v V.npy "$@" -o O.npy || exit
    $MAKE show O.npy
}
attend --causal --window 2
attend --window 2
attend --causal --window 2 --sinks S.npy
attend --causal --sinks S3.npy
# tanh(1) = 0.7616: of scores 1 and -1 the cap 1 leaves 0.7616 and -0.7616, and
# the second key has the weight 1 / (1 + exp(1.5232)) = 0.17899.
$MAKE write q.npy f4 1,1,1,1 1
$MAKE write k.npy f4 1,1,2,1 1 -1
$MAKE write v.npy f4 1,1,2,1 0 100
$LOCANT attend none -q q.npy -k k.npy -v v.npy --softcap 1 -o O.npy || exit
$MAKE show O.npy
