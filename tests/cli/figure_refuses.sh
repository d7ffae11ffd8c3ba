try() { "$LOCANT" figure "$@"; echo "exit $?"; }
try tabl rope
try table rope
try table
try table 3 --dir none
try length --dir none
try bias t5 --csv --json
try bias t5 --head 9
try bias t5 -o picture.gif
try wavelengths 'rope(base=100)' --base 200
try bias alibi --base 200
try table sinusoidal --length 5000
try length --encoding rope
try scalings rope --factor 0
try scalings rope --trained 0
try attention rope --seed 0
try attention rope --task T1
try bias 3 --base 200
try grid rope
try bias-initial t5
