# Each wrong option is one sentence, and nothing is written.
$MAKE write Q.npy f4 1,2,4,1 0
$MAKE write S.npy f4 3 0
attend() {
    $LOCANT attend none -q Q.npy -k Q.npy -v Q.npy "$@" -o O.npy
    echo $?
}
attend --window -1
attend --softcap -2
attend --sinks S.npy
attend --sinks missing.npy
attend --softcap 1e308
attend --scale 1e308
attend --query-documents D.npy
$LOCANT attend fox -q Q.npy -k Q.npy -v Q.npy --init 1 --causal -o O.npy
echo $?
test ! -e O.npy
