# Files that cannot be read are status 3, options status 2.
check() {
    "$LOCANT" model check "$@"
    echo "exit $?"
}
check
check none
mkdir empty
check empty
printf '{"model_type":"llama"' > cut.json
check cut.json
printf '{"model_type":"llama","a":1,"a":2}' > twice.json
check twice.json
printf '{"model_type":"lama"}' > unknown.json
check unknown.json 2> err; cut -c 1-100 err
printf 'GGUF\3\0\0\0' > cut.gguf
check cut.gguf
printf '{"model_type":"llama"}' > ok.json
check ok.json --for pytorch
check ok.json -o x.json
check ok.json --against none
check ok.json --adapter empty
check ok.json --length -1
mkdir m
cp ok.json m/config.json
printf 'xx' > m/model.safetensors
check m
check m/model.safetensors
