echo '{"model_type": "llama", "hidden_size": 512, "num_attention_heads": 4,
 "num_hidden_layers": 2, "max_position_embeddings": 4096}' > config.json
while read -r arguments; do
    # shellcheck disable=SC2086
    $LOCANT model extend $arguments; echo "$?"
done <<'EOF'
config.json
config.json --to 4096
config.json --to 2048
config.json --to 16384 --trained 32768
config.json --to 16384 --base 500000
config.json --to 16384 --method dca
config.json --to 16384 -o out.json
config.json --to 16384 --method selfextend -o out.json
config.json --to 16384 --method yarn -o none/out.json
--to 16384
--to 16384 --dim 128
--to 16384 --trained 4096 --dim 7
--to 16384 --trained 4096 --dim 128 --base 0.5
--to 16384 --trained 4096 --dim 128 --method yarn -o out.json
EOF
ls
llama='"model_type": "llama", "rope_theta"'
mkdir nofamily other yarn
echo '{"model_type": "lama"}' > nofamily/config.json
sed "s/\"model_type\": \"llama\"/$llama: 0.5/" config.json > other/config.json
yarn='"type": "yarn", "factor": 4, "original_max_position_embeddings": 1024'
sed "s/\"model_type\": \"llama\"/$llama: 1, \"rope_scaling\": {$yarn}/" \
    config.json > yarn/config.json
for model in nofamily other yarn; do
    $LOCANT model extend $model --to 16384 2> message
    echo "$?"
    cut -d ';' -f 1 message
done
