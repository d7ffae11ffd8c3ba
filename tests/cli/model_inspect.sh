# The plan of a folder: two kinds of layers, with origins, and by layer.
mkdir gemma
cat > gemma/config.json <<'END'
{"model_type": "gemma3_text", "hidden_size": 1152, "num_attention_heads": 4,
 "num_key_value_heads": 1, "head_dim": 256, "num_hidden_layers": 7,
 "max_position_embeddings": 32768, "sliding_window": 512, "rope_theta": 1000000}
END
$LOCANT model inspect gemma --layers --color none
# A scaling with a factor, keys without it, and another program.
cat > qwen.json <<'END'
{"model_type": "qwen2", "hidden_size": 896, "num_attention_heads": 14,
 "num_key_value_heads": 2, "num_hidden_layers": 24, "rope_theta": 1000000,
 "max_position_embeddings": 131072, "rope_scaling": {"type": "yarn",
 "factor": 4, "original_max_position_embeddings": 32768}}
END
$LOCANT model inspect qwen.json --no-picture
$LOCANT model inspect qwen.json --no-picture --as hf4 | sed -n 3,5p
# Passports: of the same file, of its plan as JSON, of another file.
$LOCANT model inspect qwen.json --json > passport.json
$LOCANT model inspect qwen.json --verify passport.json
$LOCANT model inspect gemma --verify passport.json
echo "exit $?"
hash=$(sed -n 's/.*"hash": "\(.*\)".*/\1/p' passport.json)
$LOCANT model inspect qwen.json --verify "$hash" --json
sed 's/"factor": 4/"factor": 8/' qwen.json > other.json
$LOCANT model inspect other.json --verify "$hash" > no; echo "exit $?"
$LOCANT model inspect qwen.json --figure waves.svg > /dev/null
grep -c '<svg' waves.svg
# Nothing is rotated, no length is given, and transformers 5 wrote the file.
cat > bloom.json <<'END'
{"model_type": "bloom", "hidden_size": 64, "n_head": 8, "n_layer": 2,
 "transformers_version": "5.23.0"}
END
$LOCANT model inspect bloom.json
echo '{"model_type": "gpt2", "scale_attn_by_inverse_layer_idx": true}' > gpt.json
$LOCANT model inspect gpt.json | tail -n 1
# What is refused, and how.
refused() { "$@" > out; echo "exit $?"; }
refused $LOCANT model inspect none.json
echo '{"model_type": "lama"}' > bad.json
refused $LOCANT model inspect bad.json 2> err; cut -c 1-90 err
echo '{"model_type": "llama", "rope_theta": "10000"}' > bad.json
refused $LOCANT model inspect bad.json
echo '{"model_type": "bert"}' > bert.json
refused $LOCANT model inspect bert.json --figure waves.svg
echo '{"hash": 1}' > bad.json
refused $LOCANT model inspect qwen.json --verify bad.json
refused $LOCANT model inspect qwen.json --as vlm
# Damaged weights may hide locant.pairing; those that were not fetched do not.
cp -r "$(dirname "$0")/../models/fixtures/llama" .
head -c 900 llama/model.safetensors > part && mv part llama/model.safetensors
refused $LOCANT model inspect llama
refused $LOCANT model compare llama qwen.json
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n' \
    > llama/model.safetensors
refused $LOCANT model inspect llama; sed -n 5p out
refused $LOCANT model check llama
