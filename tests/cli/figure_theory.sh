# What is known of rotary positions before any training, as printed elsewhere:
# bounds of scores at 1, 128, 1024 and 2048, pairs that turn, smallest bases.
lines() {
    "$LOCANT" figure "$@" --csv | sed 1d | cut -d, -f1 | uniq | grep '[0-9]'
}
bound="figure su-bound rope --dim 32 --heads 1 --csv"
two() {
    awk -F, '$2 ~ /^(1|128|1024|2048)$/ { printf "%d %.2f\n", $2, $3 }'
}
"$LOCANT" $bound --length 128 | two
"$LOCANT" $bound --length 2048 | two
for base in 10000 128 500; do
    lines turns rope --base $base --dim 32 --heads 1
done
for length in 128 2048; do
    for dim in 32 64 128; do
        lines base-bound rope --dim $dim --heads 1 --trained $length |
            grep smallest
    done
    lines base-bound rope --dim 32 --heads 1 --trained $length | grep fitted
done
