# What a GGUF cannot say of a model is refused, and what tensors alone say is in
# the config.json that is made back from one, whose pairing is that of
# transformers unless --pairing says another.
fixtures="$(dirname "$0")/../models/fixtures"
model() { # NAME PYTHON: a copy of a fixture, whose configuration c is changed
    rm -rf "$1"
    cp -r "$fixtures/$1" .
    python3 -c "
import json, struct
c = json.load(open('$1/config.json'))
$2
json.dump(c, open('$1/config.json', 'w'))"
}
try() { "$@" 2>&1; echo "exit $?"; }
gguf() { try $LOCANT model convert "$1" --format gguf -o "$1-gguf"; }
model llama "c['hidden_act'] = 'gelu'"
gguf llama
model gpt_neox "c['attention_bias'] = False"
gguf gpt_neox
model cohere2 "c['layer_types'] = ['full_attention'] * len(c['layer_types'])"
gguf cohere2
model gemma3 "
c['rope_parameters']['full_attention'] = {
    'rope_type': 'longrope', 'rope_theta': 1e6, 'short_factor': [1.0] * 4,
    'long_factor': [2.0] * 4, 'original_max_position_embeddings': 16}"
gguf gemma3
model gemma4 "c['attention_k_eq_v'] = True"
try $LOCANT model convert gemma4 --pairing interleaved -o gemma4-interleaved
model llama "
c['attention_bias'] = True
data = open('llama/model.safetensors', 'rb').read()
n = struct.unpack('<Q', data[:8])[0]
h, data = json.loads(data[8:8 + n]), data[8 + n:]
for name in [k for k in h if '_proj.weight' in k and 'self_attn' in k]:
    rows = h[name]['shape'][0]
    h[name[:-6] + 'bias'] = {'dtype': 'F32', 'shape': [rows],
                             'data_offsets': [len(data), len(data) + 4 * rows]}
    data += bytes(4 * rows)
h = json.dumps(h).encode()
open('llama/model.safetensors', 'wb').write(struct.pack('<Q', len(h)) + h + data)"
gguf llama
try $LOCANT model convert llama-gguf --format safetensors --verify -o back
sed -n 's/,$//; /_bias/p' back/config.json
try $LOCANT model compare llama back
ls
