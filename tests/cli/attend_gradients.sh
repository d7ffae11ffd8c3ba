# Scores of 0: weights 1/2 of the keys that the mask leaves, O = (0 + 1) / 2.  For
# the gradient 1 of O, that of V is the weight, that of a score 1/2 (v - 1/2), and
# so of the bias; of Q it is the sum of score gradients times K, of K times Q = 0.
$MAKE write Q.npy f8 1,1,1,1 0
$MAKE write K.npy f8 1,1,3,1 2 6 100
$MAKE write V.npy f8 1,1,3,1 0 1 100
$MAKE write B.npy f8 1,1,1,3 0
$MAKE write M.npy u1 1,1,1,3 1 1 0
$MAKE write G.npy f8 1,1,1,1 1
attend() {
    $LOCANT attend none -q Q.npy -k K.npy -v V.npy --bias B.npy --mask M.npy \
        --lse L.npy --output-gradient G.npy --gradients d- -o O.npy "$@" || exit
    for name in O L d-query d-key d-value d-bias; do $MAKE show $name.npy; done
    rm -f O.npy L.npy d-*
}
attend
attend --reference
# Real positions: of rope, values 1 and -1 of K at 0 and 1, the query at 1/2.
# The gradient of all three positions adds up to 0.
$MAKE write q.npy f8 1,1,1,2 1 0
$MAKE write k.npy f8 1,1,2,2 1 0 0 1
$MAKE write v.npy f8 1,1,2,1 1 -1
$MAKE write p.npy f8 1,1 0.5
$MAKE write c.npy f8 2,1 0 1
$LOCANT attend rope -q q.npy -k k.npy -v v.npy --query-coordinates p.npy \
    --key-coordinates c.npy --output-gradient G.npy --gradients d- -o O.npy \
    --json
$MAKE show d-query-coordinates.npy
$MAKE show d-key-coordinates.npy
# Values in K, and parameters.
$LOCANT attend kerple -q q.npy -k k.npy --value-channels 1 --init 0 \
    --output-gradient G.npy --gradients g- -o O.npy
