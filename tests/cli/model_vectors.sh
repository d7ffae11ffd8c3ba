# Golden files: their size, their data, what a case says.
$LOCANT model vectors -o golden --only 'rope/half/yarn-4-32768'
$MAKE data golden/vectors.safetensors
python3 -c "
import json
index = json.load(open('golden/vectors.json'))
print(index['format'], index['version'], len(index['cases']))
case = 'rope/half/yarn-4-32768/bf16/q'
print(json.dumps(index['cases'][case], indent=1))
print(index['groups']['rope/half/yarn-4-32768']['spec'])"
$LOCANT model vectors -o again --only 'rope/half/yarn-4-32768' --json
cmp golden/vectors.safetensors again/vectors.safetensors
cmp golden/vectors.json again/vectors.json
# The true values pass as what they are, and no other case is covered.
$LOCANT model vectors --verify golden --only 'rope/half'; echo "$?"
