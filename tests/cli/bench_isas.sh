# One small row on each instruction set that the CPU has, worst first; then one
# sentence each for a name that the CPU or the build lacks.
runs=$($LOCANT doctor | sed -n 's/.* \([a-z0-9]*\): \(run\|in\) .*/\1/p' | tac)
lacks=$($LOCANT doctor | sed -n 's/.* \([a-z0-9]*\): this CPU does .*/\1/p')
names=$(echo $runs | tr ' ' ,)
bench() {
    "$LOCANT" bench --quick --only 'rotate rope [1, 8, 64' -t 1 "$@"
}
rows() { # rows FORMAT PATTERN: the column of instruction sets
    bench --isa "$names" -o "$1" | sed -n "$2" > "$1"
    echo $runs | tr ' ' '\n' | diff - "$1" && echo "$1: each set, in order"
}
rows csv 's/^.*,128,"\([a-z0-9]*\)",1,.*/\1/p'
rows json 's/^.*"isa": "\([a-z0-9]*\)", "threads": 1, "samples".*/\1/p'
rows sql "s/^INSERT.* 128, '\([a-z0-9]*\)', 1, .*/\1/p"
rows markdown 's/^| rotate.*| \([a-z0-9]*\) | 1 |.*/\1/p'
has=$(echo $runs | tr ' ' '\n' | tac | paste -sd ' ' | sed 's/ /, /g')
for isa in $lacks; do
    bench --isa "$names,$isa" > out 2>&1
    echo "$? $(cat out)" |
        grep -vx "2 locant: --isa '$isa': this CPU runs only $has"
done
for list in base1 "$names,avx9" "$names,"; do
    bench --isa "$list" 2>&1 | sed 's/one of .*/one of ISAS/'
done
worst=${names%%,*}
bench --isa "$(yes "$worst" | head -n 9 | paste -sd ,)" 2>&1 |
    sed "s/'$worst'/LAST/"
