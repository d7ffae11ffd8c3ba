# What is meant for people must not land in the file that is written.
$LOCANT table sinusoidal --length 2 --dim 2 -o P.npy --json >&- 2> /dev/null
$MAKE show P.npy
