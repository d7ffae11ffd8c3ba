# Layers with a window stay as they are; a linear scaling is multiplied; other
# models that are scaled, or have nothing to scale, are refused.
gemma='"model_type": "gemma3_text", "hidden_size": 1152, "head_dim": 256,
 "num_attention_heads": 4, "num_key_value_heads": 1, "num_hidden_layers": 26,
 "max_position_embeddings": 32768, "sliding_window": 512'
llama='"model_type": "llama", "hidden_size": 512, "num_attention_heads": 4,
 "num_hidden_layers": 2'
echo "{$gemma, \"rope_parameters\": {
 \"full_attention\": {\"rope_type\": \"default\", \"rope_theta\": 1e6},
 \"sliding_attention\": {\"rope_type\": \"default\", \"rope_theta\": 1e4}}}" \
    > gemma.json
echo "{$gemma, \"rope_theta\": 1e6, \"rope_local_base_freq\": 1e4,
 \"rope_scaling\": {\"rope_type\": \"linear\", \"factor\": 8}}" > gemma4b.json
echo "{$llama, \"max_position_embeddings\": 16384,
 \"rope_scaling\": {\"type\": \"linear\", \"factor\": 8}}" > longchat.json
echo "{$llama, \"max_position_embeddings\": 131072, \"rope_theta\": 5e5,
 \"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8,
 \"low_freq_factor\": 1, \"high_freq_factor\": 4,
 \"original_max_position_embeddings\": 8192}}" > llama31.json
echo '{"model_type": "mistral", "hidden_size": 512, "num_attention_heads": 4,
 "num_hidden_layers": 2, "num_key_value_heads": 4, "sliding_window": 4096,
 "max_position_embeddings": 32768}' > mistral.json
echo '{"model_type": "gpt2", "n_embd": 48, "n_head": 4, "n_layer": 2,
 "n_positions": 1024}' > gpt2.json
short() { cut -c 1-160 | grep -v '^ *[0-9]*[|+]\|^ *[0-9 ]*$\|^$'; }
$LOCANT model extend gemma.json --to 131072 --method yarn -o out.json | short
python3 -c "import json; print(json.load(open('out.json'))['rope_parameters'])"
for model in gemma4b longchat; do
    $LOCANT model extend $model.json --to 262144 | short
    $LOCANT model extend $model.json --to 262144 --method yarn; echo "$?"
done
for model in llama31 mistral gpt2 none; do
    $LOCANT model extend $model.json --to 262144; echo "$?"
done
