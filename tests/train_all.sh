#!/bin/sh
# Train and evaluate every row of the registry and some sums with the command,
# each for two steps of the smallest sizes; one report page of all doors.
#
# usage: tests/train_all.sh LOCANT
#
# Prints one line per failure and "N passed, N failed".
LOCANT=$(cd "$(dirname "${1:?usage: train_all.sh LOCANT}")" && pwd)
LOCANT=$LOCANT/$(basename "$1")
export LC_ALL=C.UTF-8 # lists in English
export OPENBLAS_NUM_THREADS=1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
passed=0
failed=0

good() { passed=$((passed + 1)); }
bad() {
    failed=$((failed + 1))
    echo "FAIL $1"
    sed 's/^/     /' log
}

# The spec of a row for 16 tokens and 2 heads of 8 channels.
spec_of() {
    case $1 in
        beit | learned2d | swin | swinv2 | crossformer)
            echo "$1(height=4,width=4)" ;;
        dual-chunk) echo "dual-chunk(chunk=10,local=3)+rope" ;;
        mrope) echo "mrope(sections=1:1:2)" ;;
        layers) echo "layers(local=window(size=4)+rope,global=none,period=2)" ;;
        *) echo "$1" ;;
    esac
}

# Evaluate run $1 and check two losses: after 2 steps they are near ln 256.
evaluated() {
    "$LOCANT" eval "$1" --blocks 1 --generated --dir lab > log 2>&1 &&
        grep -q '^validation  *[3-7]\.[0-9]' log &&
        grep -Eq '^same targets, context 2048  *([3-7]\.|undefined)' log
}

try() {
    run=$("$LOCANT" train --encoding "$1" --generated --dir lab --steps 2 \
        --layers 2 --width 16 --heads 2 --ff 16 --batch 2 --length 16 --json \
        $2 2> log | sed -n 's/^ *"run": \([0-9]*\),$/\1/p')
    if [ -n "$run" ] && evaluated "$run"; then good; else bad "$1 $2"; fi
}

# The names of all rows: below the heading, lines of variants are indented.
for row in $("$LOCANT" list | sed -n '2,$s/^\([^ ][^ ]*\) .*/\1/p'); do
    try "$(spec_of "$row")"
done
rows=$passed
try 'randomized(length=4096)+alibi'
try 'pose(length=64)+rope(pairing=interleaved)'
try 'rope+fox'
try 'axes(widths=4:4,pairing=blocks,base=100:1000)+alibi'
try 'cosine+t5'
try 'repo+alibi'
try 'selective-rope(bias=yes,gate=head)'
try 'dape+kerple'
try 'sinusoidal+rope+t5+shaw(distance=4)'
try 'layers(local=rope+window(size=8),global=deberta(span=8),period=2)'
try 'rope+formula(bias=-m*log1p(a*n)/T0,m=param(heads,min=0.01),a=param(one,law=exp))'
try 'layers(map=every(2,at=0,a,else=alibi):last(1,none),a=t5+rope)'
try transformer-xl '--memory 24'
try rope '--memory 8'

# The command refuses memory for an absolute encoding.
"$LOCANT" train --encoding sinusoidal --memory 8 --generated --dir lab \
    > log 2>&1
if [ $? -eq 2 ] && grep -q 'collide' log; then good; else bad 'memory'; fi

# One page with encodings of every door and with length limits, which shorten
# the evaluation.
"$LOCANT" report --preset smoke --generated --dir pages -o page.html --json \
    --encodings 'learned+shaw(distance=8);
    randomized(length=128)+rope-mixed+kerple;
    layers(local=window(size=32)+rope,global=none,period=2);
    formula(bias=if(n<40,-n*m,-inf),m=param(heads,init=slopes))' > log 2>&1
if grep -q '</html>' page.html && ! grep -q 'No figures' page.html; then
    good
else
    bad 'report'
fi
[ "$rows" -ge 48 ] || bad "only $rows rows of the registry were trained"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
