# Qwen2.5-7B: factor 4, attention factor 1.1386.  The file that is written has
# the passport that was printed, and the settings of either dialect have it, too.
cat > config.json <<'EOF'
{"model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28,
 "num_key_value_heads": 4, "num_hidden_layers": 28,
 "max_position_embeddings": 32768, "rope_theta": 1000000.0}
EOF
$LOCANT model extend config.json --to 131072 --method yarn -o yarn.json
cat yarn.json
$LOCANT model extend yarn.json --to 262144; echo "$?"
# Every setting for transformers, merged into the config, gives the same plan:
# factors, lengths and lists are read back by the reader of configs.
cat > merge.py <<'EOF'
import json, subprocess, sys
locant = sys.argv[1]
def run(*arguments):
    out = subprocess.run([locant, "model", "extend", *arguments, "--json"],
                         capture_output=True, text=True)
    return json.loads(out.stdout) if out.returncode == 0 else out.stderr
for method in run("config.json", "--to", "131072")["methods"]:
    found = []
    for stack in "transformers 4", "transformers 5", "MLX-LM":
        setting = method["settings"][stack]
        if setting is None:
            found.append("none")
            continue
        config = json.load(open("config.json"))
        setting = json.loads(setting)
        if "rope_parameters" in setting:
            del config["rope_theta"]
        config.update(setting)
        json.dump(config, open("merged.json", "w"))
        plan = subprocess.run([locant, "model", "inspect", "merged.json",
                               "--json"], capture_output=True, text=True)
        found.append(str(json.loads(plan.stdout)["hash"] ==
                         method["passport"]))
    print(method["method"], *found)
EOF
python3 merge.py "$LOCANT"
