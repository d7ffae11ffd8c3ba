# A seed gives the same ids again, another seed others.
$LOCANT positions randomized --length 40 --range 2048 --batch 3 --seed 7 > a
$LOCANT positions randomized --length 40 --range 2048 --batch 3 --seed 7 > b
$LOCANT positions randomized --length 40 --range 2048 --batch 3 --seed 8 > c
cmp a b && ! cmp -s a c
# Rising, below the range.
awk '{ for (i = 1; i <= NF; i++) if ($i < 0 || $i > 2047 ||
       (i > 1 && $i <= $(i - 1))) print "row", NR, "entry", i, $i }
     END { print NR, NF }' a
$LOCANT positions randomized --length 4 --range 4
$LOCANT positions spaced --length 5 --range 101
$LOCANT positions pose --length 4 --range 4 --chunks 3
$LOCANT positions cape --length 4
$LOCANT positions cape --length 4 --seed 1 --global 5 > d
$LOCANT positions cape --length 4 --seed 1 --global 5 | cmp - d
