# The bytes of a file, scored by a fixture with a vocabulary of bytes, give what
# their ids give.
fixture="$(dirname "$0")/../models/fixtures/llama"
mkdir bytes && python3 - "$fixture" <<'END'
import json, random, struct, sys
random.seed(1)
config = json.load(open(sys.argv[1] + '/config.json'))
json.dump({**config, 'vocab_size': 260}, open('bytes/config.json', 'w'))
data = open(sys.argv[1] + '/model.safetensors', 'rb').read()
size = struct.unpack('<Q', data[:8])[0]
header, parts, at = json.loads(data[8:8 + size]), [], 0
for name, entry in header.items():
    if name == '__metadata__':
        continue
    first, last = entry['data_offsets']
    part = data[8 + size + first:8 + size + last]
    if 'embed' in name or 'lm_head' in name:  # bfloat16 of +-1 .. 2
        part = b''.join(struct.pack('<H', random.choice([0x3f80, 0xbf80])
                                    + random.randrange(128)) for _ in range(260 * 8))
        entry['shape'] = [260, 8]
    entry['data_offsets'] = [at, at + len(part)]
    at += len(part)
    parts.append(part)
text = json.dumps(header).encode()
text += b' ' * (-len(text) % 8)
open('bytes/model.safetensors', 'wb').write(
    struct.pack('<Q', len(text)) + text + b''.join(parts))
END
printf 'Twelve bytes and then some.' > text
$MAKE write ids.npy i8 2,12 84 119 101 108 118 101 32 98 121 116 101 115 \
    32 97 110 100 32 116 104 101 110 32 115 111
$MAKE write later.npy i8 2,12 88 123 105 112 122 105 36 102 125 120 105 119 \
    36 101 114 104 36 120 108 105 114 36 119 115
score() { $LOCANT model score bytes --dtype f64 --json "$@"; }
score --text text --length 12 > text.json
score -i ids.npy | cmp - text.json && echo same
score --text text --length 12 --first-byte 4 > text.json
score -i later.npy | cmp - text.json && echo same
score --text text | grep -c texts
try() { "$@" > /dev/null; echo "exit $?"; }
try score --text text --first-byte 5
try score --text text --length 28
try score --text nowhere
try score --text text -i ids.npy
try score -i ids.npy --length 4
try score
cp -r "$fixture" llama
try $LOCANT model score llama --text text
