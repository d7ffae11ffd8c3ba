# Without -o: a heat map, plain characters where stdout is no terminal.
unset COLUMNS NO_COLOR
$LOCANT similarity sinusoidal --length 24 --dim 16
COLUMNS=40 $LOCANT similarity rope --length 200 --dim 8
$LOCANT similarity rope --length 2 --dim 2 --json
$LOCANT similarity rope --length 8 --dim 8 --color 256 | od -An -c | grep -c 033
