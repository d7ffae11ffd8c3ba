# Without -o: the cosines, plain characters where stdout is no terminal.
unset COLUMNS NO_COLOR
$LOCANT angles --dim 32
$MAKE write P.npy i8 2 5 9
COLUMNS=40 $LOCANT angles --base 4 --dim 8 --positions P.npy
$LOCANT angles --dim 2 --base 4 --positions P.npy --json
$LOCANT angles --dim 8 --color 256 | od -An -c | grep -c 033
