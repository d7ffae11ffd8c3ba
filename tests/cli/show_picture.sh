# A picture of each door, of a hook, in three formats; and refusals.
for spec in sinusoidal rope rope2d 'alibi+rope' swin shaw window pose; do
    $LOCANT show "$spec" -o picture.svg 2> /dev/null || echo "$spec failed"
    tail -n 1 picture.svg
    rm picture.svg
done
$LOCANT show rope -o picture.png
head -c 4 picture.png | tail -c 3
echo
$LOCANT show rope -o picture.pdf --json
head -c 4 picture.pdf
echo
$LOCANT show rope -o picture.jpg; echo "$?"
$LOCANT show rope -o no/picture.svg; echo "$?"
ls
