$LOCANT angles --base 4 --dim 2 -o A.npy; echo "$?"
$MAKE write P.npy i8 1 0
$LOCANT angles --base 4 --dim 2 --positions P.npy --color none; echo "$?"
$LOCANT angles --base 4 --positions P.npy -o A.npy; echo "$?"
$LOCANT angles --compare hf -o A.npy; echo "$?"
$LOCANT angles --compare hf --mode exact; echo "$?"
ls
