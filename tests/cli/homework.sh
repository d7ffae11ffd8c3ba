# The homework of the tutorials: blanks, hints, answers that are computed.
$LOCANT tutorial --homework 4
$LOCANT tutorial --homework S0 --answers
$LOCANT tutorial --homework 3 --answers --lang zh | head -n 6
$LOCANT tutorial --homework | grep -c '____'
$LOCANT tutorial --homework --json | grep -c '"answer"'
$LOCANT tutorial --homework --answers --json > homework.json
python3 "$(dirname "$0")/../homework.py" homework.json
try() { "$LOCANT" tutorial "$@"; echo "exit $?"; }
try --homework 5
try --homework S0.1
try --answers
try --homework --all -o page.html
try --homework -o page.html
