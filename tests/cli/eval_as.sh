# A run under other specs: the loss at the trained length stays, beyond it not;
# what does not fit is refused by name.
train="--generated --steps 2 --layers 1 --width 16 --heads 2 --ff 32 --batch 2
       --dir lab"
eval="--generated --dir lab --blocks 2"
$LOCANT train --encoding t5 $train > /dev/null 2>&1; echo "$?"
$LOCANT train --encoding learned $train > /dev/null 2>&1; echo "$?"
$LOCANT eval 1 $eval --as 'temperature(kind=logn)+t5' | sed 's/ [0-9.-]*$/ N/'
for as in 't5' 'temperature(kind=logn)+t5'; do
    $LOCANT eval 1 $eval --as "$as" --json
done | python3 -c '
import json, sys
text, d = sys.stdin.read(), json.JSONDecoder()
a, end = d.raw_decode(text)
b, _ = d.raw_decode(text[end:].lstrip())
print(*(n for n in a["same_targets"]
        if a["same_targets"][n] == b["same_targets"][n]), b["as"])'
for policy in clamp wrap resample; do
    $LOCANT eval 2 $eval --policy $policy --json | python3 -c '
import json, sys
e = json.load(sys.stdin)
print(e["policy"], sum(x is not None for x in e["same_targets"].values()))'
done
$LOCANT eval 1 $eval --as none; echo "$?"
$LOCANT eval 1 $eval --policy wrap; echo "$?"
