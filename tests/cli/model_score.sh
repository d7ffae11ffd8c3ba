# Losses of a fixture by position and by length, and extensions of it; those
# that change nothing within the text change no loss.
cp -r "$(dirname "$0")/../models/fixtures/llama" .
python3 -c "
import random, struct
random.seed(1)
values = [random.randrange(3, 12) for _ in range(4 * 64)]
head = b\"{'descr': '<i8', 'fortran_order': False, 'shape': (4, 64)}\"
head += b' ' * (-(len(head) + 11) % 64) + b'\n'
with open('ids.npy', 'wb') as f:
    f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head)
    f.write(struct.pack('<256q', *values))"
score() { $LOCANT model score llama -i ids.npy --dtype f64 "$@"; }
score --with 'yarn(factor=4)' --with 'rerope(window=64)' --color none
score --with 'pi(factor=4)' --by length --color none | head -n 8
score --with 'window(size=8)' --json > out.json
python3 -c "
import json
found = json.load(open('out.json'))
print(found['by'], [(r['first'], r['last'], r['texts']) for r in found['rows']])
for model in found['rows'][-1]['models']:
    print({k: v if k == 'with' else round(v, 4) for k, v in model.items()})"
try() { "$@"; echo "exit $?"; }
try score --with 'dca(size=3)'
try score --with 'yarn(factors=4)'
$MAKE write row.npy i8 12 count
$LOCANT model score llama -i row.npy --json --by length | head -n 4
$MAKE write one.npy i8 1,1 3
try $LOCANT model score llama -i one.npy
$MAKE write far.npy i8 1,3 1 5 12
try $LOCANT model score llama -i far.npy
try $LOCANT model score llama
python3 -c "
path = 'llama/model.safetensors'
data = bytearray(open(path, 'rb').read())
data[-2:] = b'\\xc0\\x7f' # not a number, in bfloat16 as in float32
open(path, 'wb').write(data)"
try $LOCANT model score llama -i row.npy
