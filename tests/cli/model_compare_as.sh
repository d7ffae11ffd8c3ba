# Only rope_parameters: transformers 4 reads the base of its class, 10000.
echo '{"model_type":"llama","hidden_size":256,"num_attention_heads":8,"num_hidden_layers":4,"max_position_embeddings":8192,"rope_parameters":{"rope_type":"default","rope_theta":500000}}' > a.json
$LOCANT model compare a.json --as hf4
echo $?
$LOCANT model compare a.json --as hf5
