# What the heads of fixtures attend to and which pairs they use, and what is
# refused.
cp -r "$(dirname "$0")/../models/fixtures" .
python3 -c "
import random, struct
random.seed(1)
values = [random.randrange(3, 12) for _ in range(2 * 100)]
head = b\"{'descr': '<i8', 'fortran_order': False, 'shape': (2, 100)}\"
head += b' ' * (-(len(head) + 11) % 64) + b'\n'
with open('ids.npy', 'wb') as f:
    f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head)
    f.write(struct.pack('<200q', *values))"
probe() { $LOCANT model probe "fixtures/$@"; }
probe llama -i ids.npy --dtype f64 --color none
probe gemma3 -i ids.npy --dtype f64 --no-picture
probe bloom -i ids.npy --dtype f64 --layer 0 --color none
probe llama -i ids.npy --dtype f64 --layer 1 --head 0 --json > out.json
python3 -c "
import json
found = json.load(open('out.json'))
print(*found)
layer = found['layers'][0]
print(found['schema'], found['texts'], found['length'], found['bins'])
print(*layer)
print(*layer['pairs'])
head = layer['heads'][0]
print(*head)
print(*head['pairs'])
print(layer['layer'], len(layer['heads']), head['class'], head['weight'],
      round(sum(head['bins']), 9), round(sum(head['pairs']['share']), 9))"
probe llama -i ids.npy --figure heads.svg --no-picture > /dev/null
head -c 5 heads.svg
echo
try() { "$@"; echo "exit $?"; }
try probe llama -i ids.npy --layer 2
try probe llama -i ids.npy --head 7
$MAKE write one.npy i8 1,1 3
try probe llama -i one.npy
try probe llama
try probe llama -i ids.npy --figure heads.txt
