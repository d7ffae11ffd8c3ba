# Weights of another pairing: there and back, what is printed and recorded.
q='"model.layers.0.self_attn.q_proj.weight":{"dtype":"I8","shape":[8,2],"data_offsets":[0,16]}'
k='"model.layers.0.self_attn.k_proj.weight":{"dtype":"I8","shape":[4,2],"data_offsets":[16,24]}'
header="{$q,$k}"
mkdir m
printf '{"model_type":"llama","num_hidden_layers":1,"hidden_size":2,' > m/config.json
printf '"num_attention_heads":2,"num_key_value_heads":1,"head_dim":4}' >> m/config.json
{
    printf "$(printf '\\%03o' ${#header})\0\0\0\0\0\0\0%s" "$header"
    printf 'aabbccddeeffgghhiijjkkll'
} > m/model.safetensors
"$LOCANT" model convert m --pairing interleaved --verify -o i
tail -c 24 i/model.safetensors
echo
"$LOCANT" model convert i --pairing half --json -o h
tail -c 24 h/model.safetensors
echo
"$LOCANT" model convert h --pairing half -o h2
"$LOCANT" model convert m --from interleaved --pairing half -o x
tail -c 24 x/model.safetensors
echo
# nothing is written over, or left behind
"$LOCANT" model convert m --pairing half -o h
"$LOCANT" model convert m -o y; echo "exit $?"
"$LOCANT" model convert none --pairing half -o y; echo "exit $?"
"$LOCANT" model convert m --format gguf --pairing half -o y; echo "exit $?"
mkdir n
echo '{"model_type":"gpt2"}' > n/config.json
"$LOCANT" model convert n --pairing half -o y; echo "exit $?"
# a GGUF takes its architecture's pairing, and comes back
"$LOCANT" model convert m --format gguf --verify -o g
"$LOCANT" model convert g --format safetensors --pairing half -o b
tail -c 24 b/model.safetensors
echo
# with the tokenizer beside it; a hostile one is refused, and nothing written
model='"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]'
level='"type":"ByteLevel","add_prefix_space":false'
printf '{"pre_tokenizer":{%s},"model":{%s}}' "$level" "$model" > m/tokenizer.json
echo '{"bos_token":"a","eos_token":"b"}' > m/tokenizer_config.json
"$LOCANT" model convert m --format gguf --from half -o t
level="$level,\"use_regex\":false"
printf '{"pre_tokenizer":{%s},"model":{%s}}' "$level" "$model" > m/tokenizer.json
printf '{{ messages }}' > m/chat_template.jinja
"$LOCANT" model convert m --format gguf --from half --json -o u
grep -c '{{ messages }}' u/model.gguf
printf 'a\377' > m/chat_template.jinja
"$LOCANT" model convert m --format gguf -o y; echo "exit $?"
rm m/chat_template.jinja
echo '{"bos_token":"c"}' > m/tokenizer_config.json
"$LOCANT" model convert m --format gguf -o y; echo "exit $?"
# a model that does not rotate has no pairing
cp m/model.safetensors n
"$LOCANT" model convert n --format gguf --verify -o y; echo "exit $?"
"$LOCANT" model convert n --format gguf -o y; echo "exit $?"
echo '{"model_type":"bert","hidden_size":8,"num_attention_heads":2,' > n/config.json
echo '"num_hidden_layers":1}' >> n/config.json
"$LOCANT" model convert n --format gguf --pairing half -o y; echo "exit $?"
ls
