# The list is that of the build; the sentence is not.
$LOCANT table sinusoidal --length 4 --dim 4 -o P.npy --isa avx 2>&1 |
    sed 's/of .*base.*/of ISAS/;s/of neon.*/of ISAS/'
ls
