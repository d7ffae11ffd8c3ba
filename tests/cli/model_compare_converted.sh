# A converted model is the same, as safetensors and as GGUF, and the weights
# say which way: rows of random bytes, heads of 8.
q='"model.layers.0.self_attn.q_proj.weight":{"dtype":"F32","shape":[16,16],"data_offsets":[0,1024]}'
k='"model.layers.0.self_attn.k_proj.weight":{"dtype":"F32","shape":[8,16],"data_offsets":[1024,1536]}'
header="{$q,$k}"
mkdir m
printf '{"model_type":"llama","num_hidden_layers":1,"hidden_size":16,' > m/config.json
printf '"num_attention_heads":2,"num_key_value_heads":1,"head_dim":8}' >> m/config.json
{
    printf "$(printf '\\%03o' ${#header})\0\0\0\0\0\0\0%s" "$header"
    i=0
    while [ $i -lt 384 ]; do
        printf "\0\\$(printf %03o $((i * 37 % 128)))\\$(printf %03o $((i * 91 % 256)))?"
        i=$((i + 1))
    done
} > m/model.safetensors
"$LOCANT" model convert m --pairing interleaved -o i > /dev/null 2>&1
"$LOCANT" model compare m i; echo $?
"$LOCANT" model identify m i --tensor model.layers.0.self_attn.q_proj.weight --head-dim 8
"$LOCANT" model identify i m --tensor model.layers.0.self_attn.k_proj.weight
"$LOCANT" model compare m/config.json 'rope(pairing=interleaved)'
