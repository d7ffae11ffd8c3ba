# Encoders, encoder-decoders and images; what is refused writes nothing.
from="$(dirname "$0")/../models/fixtures"
cp -r "$from/bert" "$from/t5" "$from/vit" "$from/dinov3" .
try() {
    "$@"
    echo "exit $?"
}
$LOCANT model logits bert -i bert/ids.npy --types bert/types.npy -o a.npy
$LOCANT model logits t5 -i t5/ids.npy --decoder-ids t5/decoder_ids.npy -o b.npy
$LOCANT model logits vit --pixels vit/pixels.npy -o c.npy
$LOCANT model logits dinov3 --pixels dinov3/pixels.npy --hidden -o d.npy
$LOCANT model generate t5 -i t5/ids.npy --tokens 3 --ignore-eos -o e.npy
try $LOCANT model logits t5 -i t5/ids.npy -o out.npy
try $LOCANT model logits vit -i bert/ids.npy -o out.npy
try $LOCANT model logits bert --pixels vit/pixels.npy -o out.npy
try $LOCANT model logits dinov3 --pixels dinov3/pixels.npy -o out.npy
try $LOCANT model generate bert -i bert/ids.npy --tokens 3 -o out.npy
$MAKE write odd.npy f4 1,3,8,9 0
try $LOCANT model logits vit --pixels odd.npy -o out.npy
try $LOCANT model logits dinov3 --pixels odd.npy --hidden -o out.npy
ls *.npy
