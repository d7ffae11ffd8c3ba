# log: -p log(1 + a d), with p = 2, a = 1: 2 log 3 = 2.197225, 2 log 2 = 1.386294
$MAKE write P.npy f4 1 2
$MAKE write A.npy f8 1 1
$LOCANT bias kerple --heads 1 --queries 1 --keys 3 --offset 2 --param p=P.npy \
    --param a=A.npy -o B.npy
$MAKE show B.npy
