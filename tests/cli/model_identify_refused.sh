$MAKE write X.npy f4 4,8 count
$MAKE write I.npy i8 4 0 1 2 3
$MAKE write Z.npy f4 4,6 count
for args in '' '--x X.npy' '--x X.npy --table X.npy' 'a --x X.npy --y X.npy' \
    '--x X.npy --y Z.npy' '--x I.npy --y X.npy' '--table none.npy' \
    'X.npy --tensor q' 'X.npy Z.npy --tensor q' \
    '--bias X.npy' '--q X.npy --k X.npy --scores X.npy'; do
    $LOCANT model identify $args
    echo $?
done
