# Two dialects of one model, a spec, and frequencies that differ by rounding.
A='{"model_type":"llama","hidden_size":256,"num_attention_heads":8,"num_hidden_layers":4,"max_position_embeddings":8192'
echo "$A,\"rope_theta\":500000}" > a.json
echo "$A,\"rope_parameters\":{\"rope_theta\":5e5,\"rope_type\":\"default\"}}" > b.json
$LOCANT model compare a.json b.json &&
$LOCANT model compare a.json 'rope(base=500000)' &&
$LOCANT model compare 'rope(scaling=linear(factor=3))' \
    'rope(scaling=linear(factor=3.0000003))' --length 8192
echo $?
$LOCANT model compare 'rope(scaling=linear(factor=3))' \
    'rope(scaling=linear(factor=3.0000003))'
