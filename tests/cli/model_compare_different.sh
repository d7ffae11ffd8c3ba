# The same but for the base, and for the window of every layer.
A='{"model_type":"llama","hidden_size":256,"num_attention_heads":8,"num_hidden_layers":4,"max_position_embeddings":8192,"rope_theta":500000'
echo "$A}" > a.json
echo "$A,\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":4}}" > b.json
$LOCANT model compare a.json b.json
echo $?
$LOCANT model compare a.json 'window(size=64)+rope(base=500000)' --json
