$MAKE write Q.npy f4 2,4,37,8 count
for n in 1 2 5; do
    $LOCANT attend rope -q Q.npy -k Q.npy -v Q.npy --causal --scale 1e-5 \
        --threads $n -o O$n.npy 2> /dev/null
    $LOCANT similarity rope --length 33 --dim 6 --threads $n -o S$n.npy \
        2> /dev/null
done
cmp O1.npy O2.npy && cmp O1.npy O5.npy && cmp S1.npy S2.npy && cmp S1.npy S5.npy
