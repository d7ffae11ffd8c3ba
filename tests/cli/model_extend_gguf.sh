# A GGUF: the keys of llama.cpp say pi, ntk and yarn; the others need tensors.
cat > make.py <<'EOF'
import struct
def text(s): return struct.pack('<Q', len(s)) + s.encode()
keys = [('general.architecture', 8, text('llama'))]
for name, value in (('context_length', 4096), ('embedding_length', 512),
                    ('block_count', 2), ('attention.head_count', 4),
                    ('feed_forward_length', 1024)):
    keys.append(('llama.' + name, 4, struct.pack('<I', value)))
keys.append(('llama.rope.freq_base', 6, struct.pack('<f', 10000)))
keys.append(('llama.attention.layer_norm_rms_epsilon', 6, struct.pack('<f', 1e-5)))
data = b'GGUF' + struct.pack('<IQQ', 3, 0, len(keys))
for name, kind, value in keys:
    data += text(name) + struct.pack('<I', kind) + value
open('model.gguf', 'wb').write(data + bytes(-len(data) % 32))
EOF
python3 make.py
$LOCANT model extend model.gguf --to 16384 --json > out.json; echo "$?"
python3 -c "
import json
found = json.load(open('out.json'))
print(found['spec'], found['trained'], found['rotated'])
for m in found['methods']:
    print(m['method'], m['spec'][:60], (m['passport'] or 'none')[:8],
          m['settings']['llama.cpp'])"
# Its divisors and the lists of LongRoPE are tensors.
fixtures="$(dirname "$0")/../models/fixtures"
for name in llama_3 phi3_long; do
    $LOCANT model convert "$fixtures/$name" --format gguf -o $name > log 2>&1
    $LOCANT model extend $name --to 16384; echo "$?"
done
$LOCANT model extend model.gguf --to 16384 --method yarn -o out.gguf
