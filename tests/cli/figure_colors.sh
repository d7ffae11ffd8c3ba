# The same map in 16, 256 and all colours; escapes as they are.
for color in 16 256 24bit; do
    COLUMNS=40 "$LOCANT" figure matrix alibi --length 4 --color $color
done
COLUMNS=40 "$LOCANT" figure vectors sinusoidal --position 3 --dim 16 --color 256
