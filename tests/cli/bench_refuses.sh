# one sentence each, exit status 2
try() {
    "$LOCANT" bench "$@" 2>&1
    echo "exit $?"
}
try -n 12x
try -n 8192-512*2
try -d 1-8*1
try -t 1,4096
try -e ropes
try -e 'rope(base=0)'
try --only 'no such row'
try -e none --only rotate
try -o pdf
try --json --csv
try --csv -o sql
try --only
try word
try --quick --append no/such/folder
try --patience 3
