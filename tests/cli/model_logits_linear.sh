# Layers with linear attention: logits, continuations, times; no weights to
# probe; sizes that are refused.
cp -r "$(dirname "$0")/../models/fixtures/kimi_linear" .
$MAKE write ids.npy i8 1,5 1 5 7 2 3
$LOCANT model logits kimi_linear -i ids.npy -o out.npy
$LOCANT model logits kimi_linear -i ids.npy --threads 4 -o four.npy
cmp out.npy four.npy && echo "the same on four threads"
# The keys and names of tensors that transformers saves.
mkdir saved
sed 's/"first_k_dense_replace": 1/"mlp_layer_types": ["dense", "sparse"]/
s/"linear_attn_config": {/"linear_num_heads": 2, "linear_head_dim": 4,\
"linear_conv_kernel_dim": 4, "layer_types": ["linear_attention",\
"full_attention"], "x": {/' kimi_linear/config.json > saved/config.json
python3 -c "
import struct
data = open('kimi_linear/model.safetensors', 'rb').read()
size = struct.unpack('<Q', data[:8])[0]
head = data[8:8 + size].decode().replace('.mlp.', '.block_sparse_moe.').encode()
head += b' ' * (-len(head) % 8)
with open('saved/model.safetensors', 'wb') as f:
    f.write(struct.pack('<Q', len(head)) + head + data[8 + size:])"
$LOCANT model logits saved -i ids.npy -o four.npy
cmp out.npy four.npy && echo "the same as transformers saves it"
$LOCANT model logits kimi_linear -i ids.npy --profile -o out.npy | sed 's/ .*//'
$LOCANT model generate kimi_linear -i ids.npy --tokens 4 --ignore-eos -o new.npy
$MAKE show new.npy | tail -n 1
$LOCANT model probe kimi_linear -i ids.npy --json | grep -c heads_of
cp -r "$(dirname "$0")/../models/fixtures/qwen3_next" .
$LOCANT model logits qwen3_next -i ids.npy -o out.npy
$LOCANT model generate qwen3_next -i ids.npy --tokens 4 --ignore-eos -o new.npy
$MAKE show new.npy | tail -n 1
$LOCANT model probe qwen3_next -i ids.npy --json | grep -c heads_of
rm out.npy four.npy new.npy
try() {
    $LOCANT model "$@" -i ids.npy
    echo "exit $?"
}
try probe kimi_linear --layer 0
of=kimi_linear
with() {
    mkdir -p "$2"
    cp $of/model.safetensors "$2"
    sed "$1" $of/config.json > "$2/config.json"
    try logits "$2" -o out.npy
}
with 's/"num_heads": 2/"num_heads": 3/' heads
with 's/"num_heads": 2/"num_heads": 0/' none
with 's/"num_heads": 2/"num_heads": "two"/' text
with 's/"num_heads": 2/"num_heads": 40000/' most
with 's/"head_dim": 4,$/"head_dim": 0,/' width
with 's/"short_conv_kernel_size": 4/"short_conv_kernel_size": 3/' kernel
with 's/"short_conv_kernel_size": 4/"short_conv_kernel_size": 0/' empty
with 's/"first_k_dense_replace": 1/"mlp_layer_types": ["dense"]/' few
with 's/"first_k_dense_replace": 1/"mlp_layer_types": ["dense", 1]/' kinds
with 's/"mla_use_nope": true/"mla_use_nope": false/' rotated
with 's/"moe_layer_freq": 1/"moe_layer_freq": 2/' every
with 's/_func": "sigmoid"/_func": "softmax"/' router
with 's/"kimi_linear"/"qwen3"/
s/"linear_attn_config"/"layer_types": ["linear_attention", "full_attention"], "x"/' other
of=qwen3_next
with 's/"linear_num_key_heads": 2/"linear_num_key_heads": 3/' groups
with 's/"linear_num_key_heads": 2/"linear_num_key_heads": 4/' fused
with 's/"linear_value_head_dim": 2/"linear_value_head_dim": 1/' values
with 's/"head_dim": 8/"head_dim": 4/' gate
ls
