# The index examples of encodings.md, section 2; a file of two rows.
for style in hf5 hf4 opt plain; do
    $LOCANT positions mask --mask 0,0,1,1,1 --style $style
done
$LOCANT positions tokens --tokens 0,5,6,2,1,1 --pad-token 1
$LOCANT positions mask --mask 1,1,0 --first 10 --pad -7
$MAKE write M.npy i4 2,4 0 1 1 1 1 1 0 0
$LOCANT positions mask --mask M.npy
