# Slopes of two heads: 2^-4 and 2^-8.
$LOCANT bias alibi --heads 2 --queries 2 --keys 3 --offset 1 -o B.npy
$MAKE show B.npy
