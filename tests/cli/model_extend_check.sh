# 'check' finds nothing in what 'extend' writes that it did not find before, but
# what holds for every model of that method: L13 and X09 of dynamic, L11 of
# longrope.
codes() {
    $LOCANT model check "$1" --json > findings.json
    python3 -c "
import json
print(*[f['id'] for f in json.load(open('findings.json'))])"
}
llama='"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
 "num_hidden_layers": 2, "max_position_embeddings": 8192'
echo "{$llama, \"rope_theta\": 500000.0}" > hf4.json
echo "{$llama, \"rope_theta\": 500000.0, \"rope_parameters\":
 {\"rope_type\": \"default\", \"rope_theta\": 500000.0}}" > hf5.json
for dialect in hf4 hf5; do
    echo "$dialect: $(codes $dialect.json)"
    for method in pi ntk dynamic yarn longrope llama3; do
        $LOCANT model extend $dialect.json --to 65536 --method $method \
            -o out.json > /dev/null
        echo "$dialect $method: $(codes out.json)"
    done
done
