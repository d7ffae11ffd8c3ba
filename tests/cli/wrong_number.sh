for v in x 1.5 '' ' 4' 4x 0 -3 99999999999999999999; do
    $LOCANT table sinusoidal --length "$v" --dim 4 -o P.npy; echo "$?"
done
ls
