$LOCANT table 'sinusoidal(form=split)' --length 64 --dim 16 -o T.npy 2>/dev/null
$LOCANT model identify --table T.npy
$LOCANT bias 'alibi(max=16)' --heads 8 --queries 16 --keys 16 -o B.npy 2>/dev/null
$LOCANT model identify --bias B.npy
$LOCANT bias 'alibi(dialect=bloom)' --heads 6 --queries 16 --keys 16 -o B.npy 2>/dev/null
$LOCANT model identify --bias B.npy
