# DroPE: a run with rope goes on without positions from its parameters; the
# sizes are the parent's, and the first steps are far below a fresh start.
train="--generated --dir lab --seed 1"
$LOCANT train --encoding rope $train --steps 60 --layers 1 --width 32 --heads 2 \
    --ff 32 --batch 4 --length 32 > /dev/null 2>&1; echo "$?"
$LOCANT train --encoding none $train --parent 1 --steps 4 --lr 0.001 \
    --constant-rate > /dev/null 2>&1; echo "$?"
$LOCANT eval 1 --generated --dir lab --blocks 2 --as none --json > as_none
$LOCANT eval 2 --generated --dir lab --blocks 2 --json > dropped
python3 -c '
import json
a, b = (json.load(open(f))["same_targets"]["128"] for f in ("as_none", "dropped"))
print(b < a < 5.5)'
$LOCANT runs show 2 --dir lab | sed -n 's/^ *\(parent\|encoding\|width\) .*\( [^ ]*\)$/\1\2/p'
