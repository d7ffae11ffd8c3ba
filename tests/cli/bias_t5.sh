# Eight causal buckets, exact below 4; the table holds the bucket's number.
$MAKE write T.npy f4 8,1 count
$LOCANT bias 't5(buckets=8,distance=16)' --heads 1 --queries 1 --keys 20 \
    --offset 19 --param table=T.npy -o B.npy
$MAKE show B.npy
