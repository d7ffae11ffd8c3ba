# Logits and continuations of a fixture, and what is refused: then nothing is
# written.
cp -r "$(dirname "$0")/../models/fixtures/llama" .
$MAKE write ids.npy i8 1,3 1 5 7
$LOCANT model logits llama -i ids.npy -o out.npy
$LOCANT model logits llama -i ids.npy --dtype f64 -o out64.npy
$LOCANT model logits llama -i ids.npy --hidden -o hidden.npy
$LOCANT model logits llama -i ids.npy --profile -o out.npy | sed 's/ .*//'
$LOCANT model generate llama -i ids.npy --tokens 2 --ignore-eos -o new.npy
# An end of -1 is none, and pads no row that ended before the others.
$MAKE write two.npy i8 2,1 3
cp -r llama ends
sed 's/"eos_token_id": 2/"eos_token_id": [-1, 2]/; /pad_token_id/d' \
    llama/config.json > ends/config.json
$LOCANT model generate ends -i two.npy --tokens 16 --temperature 1e6 -o out.npy
$MAKE show out.npy | tail -n 2
# generation_config.json comes before config.json.
echo '{"eos_token_id": 4, "pad_token_id": 9}' > ends/generation_config.json
$LOCANT model generate ends -i two.npy --tokens 16 --temperature 1e6 -o out.npy
$MAKE show out.npy | tail -n 2
rm out.npy two.npy
try() {
    "$@"
    echo "exit $?"
}
$MAKE write far.npy i8 1,3 1 5 12
try $LOCANT model logits llama -i far.npy -o out.npy
try $LOCANT model logits llama -o out.npy
try $LOCANT model logits llama -i ids.npy --types ids.npy -o out.npy
try $LOCANT model logits nowhere -i ids.npy -o out.npy
try $LOCANT model generate llama -i ids.npy --tokens 2 --top-p 2 -o out.npy
sed 's/"intermediate_size": [0-9]*/"intermediate_size": 99/' llama/config.json > new
mv new llama/config.json
try $LOCANT model logits llama -i ids.npy -o out.npy
sed 's/lm_head/lm_tail/' llama/model.safetensors > new
mv new llama/model.safetensors
sed 's/: 99/: 12/' llama/config.json > new
mv new llama/config.json
try $LOCANT model logits llama -i ids.npy -o out.npy
for verb in "generate --tokens 2 -o out.npy" score; do
    try $LOCANT model ${verb%% *} llama -i ids.npy ${verb#${verb%% *}}
done
try $LOCANT model logits llama -i ids.npy --hidden -o states.npy
# A model of several parts says at its top level that the head is tied.
cp -r llama parts
{
    printf '{"model_type": "llava", "tie_word_embeddings": true, "text_config":'
    cat llama/config.json
    printf '}'
} > parts/config.json
try $LOCANT model logits parts -i ids.npy -o tied.npy
# Whole numbers want a scale.
sed 's/"dtype":"BF16"/"dtype": "I16"/g' llama/model.safetensors > new
mv new llama/model.safetensors
try $LOCANT model logits llama -i ids.npy -o out.npy
echo '{"model_type": "albert"}' > llama/config.json
for verb in "logits -o out.npy" "generate --tokens 2 -o out.npy" probe score; do
    try $LOCANT model ${verb%% *} llama -i ids.npy ${verb#${verb%% *}}
done
ls *.npy
