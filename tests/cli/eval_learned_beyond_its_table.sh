# Beyond 128 a learned table is undefined, and that is what is said.
$LOCANT train --encoding learned --generated --steps 2 --layers 1 --width 16 \
    --heads 2 --ff 32 --batch 2 --dir lab > /dev/null 2>&1; echo "$?"
$LOCANT eval 1 --generated --dir lab --blocks 4 | sed 's/ [0-9.-]*$/ number/'
$LOCANT eval 1 --generated --dir lab --blocks 4 --json | python3 -c '
import json, sys
losses = json.load(sys.stdin)["same_targets"]
print(*(length for length, loss in losses.items() if loss is None))'
