$MAKE write P.npy i8 2 0 1
for base in 0 -2 nan inf; do
    $LOCANT angles --base $base --dim 4 --positions P.npy -o A.npy; echo "$?"
done
ls
