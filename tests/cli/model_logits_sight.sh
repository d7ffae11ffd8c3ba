# Images within texts: as images, as patches with a grid; what is refused writes
# nothing.
from="$(dirname "$0")/../models/fixtures"
for name in qwen2_vl qwen3_vl; do
    cp -r "$from/${name}_image" $name
done
cp -r "$from/qwen2_vl" text
try() {
    "$@"
    echo "exit $?"
}
two="-i qwen2_vl/ids.npy --pixels qwen2_vl/pixels.npy"
three="-i qwen3_vl/ids.npy --pixels qwen3_vl/pixels.npy"
# shellcheck disable=SC2086 # options with their values
{
    $LOCANT model logits qwen2_vl $two --grid qwen2_vl/grid.npy -o a.npy
    $LOCANT model logits qwen3_vl $three -o b.npy
    $LOCANT model logits qwen3_vl $three --hidden --dtype f64 -o c.npy
    $LOCANT model generate qwen3_vl $three --tokens 2 --ignore-eos -o d.npy
    $LOCANT model logits qwen3_vl -i qwen3_vl/ids.npy -o e.npy
    try $LOCANT model logits qwen2_vl $two -o out.npy
    $MAKE write odd.npy i8 2,3 2 2 2 1 3 8
    try $LOCANT model logits qwen2_vl $two --grid odd.npy -o out.npy
    $MAKE write more.npy i8 2,3 2 2 2 1 4 8
    try $LOCANT model logits qwen2_vl $two --grid more.npy -o out.npy
    $MAKE write ids.npy i8 1,8 1 10 10 10 10 10 2 3
    try $LOCANT model logits qwen3_vl -i ids.npy --pixels qwen3_vl/pixels.npy \
        -o out.npy
    try $LOCANT model generate qwen3_vl -i ids.npy \
        --pixels qwen3_vl/pixels.npy --tokens 2 -o out.npy
    try $LOCANT model logits qwen3_vl --pixels qwen3_vl/pixels.npy -o out.npy
    try $LOCANT model logits text $three -o out.npy
}
sed 's/"spatial_merge_size": 2/"spatial_merge_size": 3/' qwen3_vl/config.json > new
mv new qwen3_vl/config.json
# shellcheck disable=SC2086
try $LOCANT model logits qwen3_vl $three -o out.npy
sed 's/"spatial_merge_size": 3/"spatial_merge_size": 2/
    s/"num_position_embeddings": 9/"num_position_embeddings": 8/' \
    qwen3_vl/config.json > new
mv new qwen3_vl/config.json
# shellcheck disable=SC2086
try $LOCANT model logits qwen3_vl $three -o out.npy
ls *.npy
