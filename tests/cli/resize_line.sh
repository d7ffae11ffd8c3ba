# The table 0 10 20 40 to 8 rows in each way, and to 2.
$MAKE write T.npy f8 4,1 0 10 20 40
for how in '' --align-corners '--kind cubic' '--kind cubic --antialias'; do
    $LOCANT resize T.npy --to 8 $how -o P.npy
    $MAKE show P.npy | tr '\n' ' '
    echo
done
$LOCANT resize T.npy --to 2 --form hf -o P.npy --json
$MAKE show P.npy
