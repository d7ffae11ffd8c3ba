# Not a terminal: plain characters, 80 columns unless told otherwise.
unset COLUMNS NO_COLOR
"$LOCANT" figure wavelengths rope --base 500000
COLUMNS=50 "$LOCANT" figure bias alibi --length 64
TERM=dumb "$LOCANT" figure attention alibi --length 6 --head 1
NO_COLOR=1 COLORTERM=truecolor "$LOCANT" figure permutation none
"$LOCANT" figure table sinusoidal --length 16 --dim 16 --color none
