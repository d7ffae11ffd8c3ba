# Findings as JSON.
printf '{"model_type":"qwen2","rope_theta":1e6,"rope_scaling":{"type":"mrope","factor":2}}' > c.json
"$LOCANT" model check c.json --json
echo "exit $?"
printf '{"model_type":"bert"}' > b.json
"$LOCANT" model check b.json --json
"$LOCANT" model check b.json --length 513 --json | grep '"id"\|"key"'
