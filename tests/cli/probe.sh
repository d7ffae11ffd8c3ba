# A run is measured once; figures and JSON read what the store keeps.
run="--generated --dir lab --steps 32 --layers 1 --width 16 --heads 2 --ff 32
     --batch 2 --length 32"
$LOCANT train --encoding rope $run > /dev/null 2>&1; echo "$?"
$LOCANT probe 1 --dir lab 2> /dev/null | sed 's/ *-*[0-9]*[.][0-9].*//'
$LOCANT probe 1 --dir lab --json 2> /dev/null | python3 -c '
import json, sys
found = json.load(sys.stdin)
for name, part in found.items():
    print(name, *(part if isinstance(part, dict) else []))' | sed 's/^text.*//'
$LOCANT probe one --dir lab; echo "$?"
$LOCANT probe 9 --dir lab; echo "$?"
$LOCANT probe 1 --dir none; echo "$?"
