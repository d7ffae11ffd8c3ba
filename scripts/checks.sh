# checks.sh - functions of scripts/test that run and count checks.

passed=0
failed=0
JOBS=${JOBS:-$(nproc)}
# Debian's python3, even if PATH has another one without its modules.
PATH=/usr/bin:$PATH
mkdir -p build
log=build/check.log
# OpenBLAS would start its own threads beside ours.
export OPENBLAS_NUM_THREADS=1
# Without a symbolizer, each known leak of fontconfig would print a warning.
ASAN_OPTIONS=strict_string_checks=1
command -v llvm-symbolizer > /dev/null || ASAN_OPTIONS=$ASAN_OPTIONS:symbolize=0
export ASAN_OPTIONS
export UBSAN_OPTIONS=print_stacktrace=1
if [ -e tests/lsan.supp ]; then
    export LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0"
fi

configure() {
    folder=$1
    shift
    mkdir -p "$folder"
    cmake -S . -B "$folder" "$@"
}

# Sets $cpu to the processor seconds, user and system, of all commands so far.
cpu_seconds() {
    times > build/times
    cpu=$(awk -F '[ms ]+' 'NR == 2 { print int($1 * 60 + $2 + $3 * 60 + $4) }' \
          build/times)
}

# begin NAME: start a check.
begin() {
    name=$1 start=$(date +%s)
    cpu_seconds
    cpu_start=$cpu
}

# count PASSED FAILED: print one line for the check that begin() started, with
# its seconds and processor seconds, and the log if anything failed.
count() {
    passed=$((passed + $1))
    failed=$((failed + $2))
    cpu_seconds
    took="$(($(date +%s) - start)) s, cpu $((cpu - cpu_start)) s"
    if [ "$2" -eq 0 ]; then
        printf 'ok   %-36s %4d  %s\n' "$name" "$1" "$took"
    else
        printf 'FAIL %-36s %4d failed, %d passed, %s\n' "$name" "$2" "$1" "$took"
        grep -v '^ok ' "$log" | tail -n 60 | sed 's/^/     /'
    fi
}

# check NAME COMMAND...: one check, passed if the command exits with 0.
check() {
    begin "$1"
    shift
    if "$@" > "$log" 2>&1; then
        count 1 0
    else
        count 0 1
    fi
}

# many NAME COMMAND...: the checks of a command that prints "ok .." and "FAIL .."
# lines, or ends with "N passed, N failed".
many() {
    begin "$1"
    shift
    "$@" > "$log" 2>&1
    status=$?
    good=$(sed -n 's/^\([0-9]*\) passed, [0-9]* failed$/\1/p' "$log")
    bad=$(sed -n 's/^[0-9]* passed, \([0-9]*\) failed$/\1/p' "$log")
    good=${good:-$(grep -c '^ok ' "$log")}
    bad=${bad:-$(grep -c '^FAIL ' "$log")}
    # A command that died early has failed, whatever it printed.
    if [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    if [ $((good + bad)) -eq 0 ]; then bad=1; fi
    count "$good" "$bad"
}

# suite NAME BUILD [CTEST OPTION...]: the CTest tests of a build.
suite() {
    begin "$1"
    folder=$2
    shift 2
    (cd "$folder" && ctest -j "$JOBS" --timeout 300 --output-on-failure \
        --no-tests=error "$@") > "$log" 2>&1
    status=$?
    bad=$(sed -n 's/.*tests passed, \([0-9]*\) tests* failed out of.*/\1/p' \
          "$log")
    all=$(sed -n 's/.* failed out of \([0-9]*\)$/\1/p' "$log")
    bad=${bad:-1} all=${all:-1}
    if [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    sed -i -E '/^ *[0-9]+\/[0-9]+ Test .* Passed /d; /^ *Start /d' "$log"
    count $((all - bad)) "$bad"
}

# Print the totals and exit: 0 if nothing failed.
finish() {
    rm -f "$log"
    cpu_seconds
    echo "processor time: $((cpu / 60)) min $((cpu % 60)) s"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
