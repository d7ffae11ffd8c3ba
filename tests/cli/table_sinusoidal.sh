# base 4, dim 4: frequencies 1 and 1/2; sin 1 = .841471, cos 1 = .540302,
# sin .5 = .479426, cos .5 = .877583
$LOCANT table 'sinusoidal(base=4)' --length 2 --dim 4 -o P.npy
$MAKE show P.npy
$LOCANT table 'sinusoidal(base=4,form=split)' --length 2 --dim 4 -o P.npy
$MAKE show P.npy
