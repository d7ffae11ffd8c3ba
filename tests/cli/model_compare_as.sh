# A factor that is not M / original: transformers 4 took the ratio.
echo '{"model_type":"llama","hidden_size":256,"num_attention_heads":8,"num_hidden_layers":4,"max_position_embeddings":8192,"rope_scaling":{"rope_type":"yarn","factor":8,"original_max_position_embeddings":2048}}' > a.json
$LOCANT model compare a.json --as hf4
echo $?
$LOCANT model compare a.json --as hf5
