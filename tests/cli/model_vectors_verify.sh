# A dump in .npy files: one case right, one of the other pairing, one with
# angles rounded to float32, one of a wrong shape.
$LOCANT model vectors -o golden --only 'rope/half/none'
python3 - <<'EOF'
import json, os, struct
data = open('golden/vectors.safetensors', 'rb').read()
n = struct.unpack('<Q', data[:8])[0]
header = json.loads(data[8:8 + n])
for name, dtype in (('input/q/576', '<f4'), ('input/k/576', '<f4'),
                    ('input/positions/far', '<i8')):
    first, last = header[name]['data_offsets']
    raw = data[8 + n + first:8 + n + last]
    shape = tuple(header[name]['shape'])
    if dtype == '<f4':
        raw = struct.pack('<576f', *struct.unpack('<576d', raw))
    head = repr({'descr': dtype, 'fortran_order': False, 'shape': shape})
    head = head.encode() + b' ' * (-(len(head) + 11) % 64) + b'\n'
    with open(name.split('/')[1] + '.npy', 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head + raw)
EOF
half=dump/rope/half/none/f32
mkdir -p $half dump/rope/half/none/bf16
rotate() {
    $LOCANT rotate "$1" -i "$(basename "$2")" --positions positions.npy \
        -o "$2" 2> /dev/null
}
rotate rope $half/q.npy
$LOCANT model vectors --verify dump --only 'rope/half/none/f32'; echo "$?"
rotate 'rope(pairing=interleaved)' $half/q.npy
rotate 'rope(angles=hf)' $half/k.npy
rotate rope dump/rope/half/none/bf16/q.npy
$MAKE write $half/scores.npy f4 9,8 0
$LOCANT model vectors --verify dump --only '*/none/*'; echo "$?"
rotate 'rope(angles=hf)' $half/q.npy
$LOCANT model vectors --verify dump --only '*/f32/q' --angles rounded --json |
    head -n 12
