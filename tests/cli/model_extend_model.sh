# Qwen2.5-7B: factor 4, attention factor 1.1386; tests/test_extend.c reads the
# file that is written.
cat > config.json <<'EOF'
{"model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28,
 "num_key_value_heads": 4, "num_hidden_layers": 28,
 "max_position_embeddings": 32768, "rope_theta": 1000000.0}
EOF
$LOCANT model extend config.json --to 131072 --method yarn -o yarn.json
cat yarn.json
$LOCANT model inspect yarn.json | grep '^passport'
$LOCANT model extend yarn.json --to 262144; echo "$?"
