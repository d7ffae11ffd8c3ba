# One sentence each, and nothing is written.
$MAKE write Q.npy f4 1,2,4,2 0
$MAKE write h.npy f2 1,2,4,2 0
$MAKE write C.npy f8 4,1 0
attend() {
    $LOCANT attend rope -q Q.npy -k Q.npy -o O.npy "$@"
    echo $? $(ls)
}
attend
attend -v Q.npy --value-channels 1
attend --value-channels 3
attend -v Q.npy --mask Q.npy
attend -v Q.npy --bias C.npy
attend -v Q.npy --query-coordinates C.npy
attend -v Q.npy --gradients d-
attend -v Q.npy --output-gradient h.npy --gradients d-
attend -v Q.npy --output-gradient Q.npy --gradients none/d-
attend -v Q.npy --output-gradient Q.npy --gradients d- --rotate-values \
    --query-coordinates C.npy --key-coordinates C.npy
$LOCANT attend rope -q h.npy -k h.npy -v h.npy --query-coordinates C.npy \
    --key-coordinates C.npy --output-gradient Q.npy --gradients d- -o O.npy \
    --reference
echo $? $(ls)
