# A class token and a grid of 2 x 2: the token is copied, ends meet ends.
$MAKE write T.npy f4 5,2 -7 -8 0 0 2 10 4 20 6 30
$LOCANT resize T.npy --grid 3x3 --prefix 1 --form vit -o P.npy
$MAKE show P.npy
# The same grid: the same numbers, whatever the form.
$MAKE show T.npy > want
for form in vit hf timm dinov2 dinov2-reg qwen3vl; do
    $LOCANT resize T.npy --grid 2x2 --from-grid 2x2 --prefix 1 --form $form \
        -o Q.npy 2> log
    $MAKE show Q.npy | cmp want - || exit
done
