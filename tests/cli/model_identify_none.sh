# A table of 0, 1, 2, .. is no sinusoid, and squares are no rotation.
$MAKE write T.npy f4 16,8 count
$LOCANT model identify --table T.npy
echo $?
$LOCANT rotate 'rope(freqs=list(values=0.3:0.7:0.01:0.2))' -i T.npy -o Y.npy
$LOCANT model identify --x T.npy --y Y.npy
