# verdict.sh - prints a line for each check; sets failed=1 if one fails
failed=0

# verdict NAME OFFENDERS: "ok" if there are no offenders
verdict() {
    if [ -z "$2" ]; then
        echo "ok   $1"
    else
        echo "FAIL $1:" $2
        failed=1
    fi
}

# succeeds NAME COMMAND...: "ok" if the command succeeds; else what it printed
succeeds() {
    label=$1
    shift
    if said=$("$@" 2>&1); then
        echo "ok   $label"
    else
        echo "FAIL $label:" $(echo "$said" | tail -n 5)
        failed=1
    fi
}
