# What is wrong with a configuration: findings, exit statuses, stacks, mends.
llama='"model_type":"llama","hidden_size":4096,"num_attention_heads":32,"num_key_value_heads":8,"head_dim":128,"num_hidden_layers":32,"max_position_embeddings":131072,"rope_theta":500000'
config() {
    printf '{%s%s}\n' "$llama" "$1" > "$2"
}
check() {
    "$LOCANT" model check "$@"
    echo "exit $?"
}
config '' right.json
check right.json
# an error, and what one stack makes of it
config ',"rope_scaling":{"rope_type":"yarn","factor":4}' yarn.json
check yarn.json
check yarn.json --for vllm
check yarn.json --for mlx --strict
# a warning is an error under --strict alone
config ',"rope_scaling":{"rope_type":"yarn","factor":4.0,"original_max_position_embeddings":32768,"attn_factor":0.88}' warn.json
check warn.json
check warn.json --strict | tail -n 1
# a note never is
config ',"rope_theta_":1,"model_max_length":8192' note.json
check note.json --strict
# a wrong type is a finding, and what the file says is shown safely
config ',"rope_scaling":{"rope_type":"Yarn\u001b[31m","factor":"4"}' hostile.json
check hostile.json
printf '{"model_type":["llama"]}' > type.json
check type.json
# the mend, beside the old file and elsewhere
mkdir m
config ',"rope_scaling":{"rope_type":"linear","factr":"2"}' m/config.json
check m --fix > /dev/null
cat m/config.fixed.json
check m/config.fixed.json
check m --fix -o better.json > /dev/null
cmp m/config.fixed.json better.json
check m --fix -o m/config.json > /dev/null
check right.json --fix
ls m right*
