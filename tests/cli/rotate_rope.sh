# base 4, dim 4, position 1: angles 1 and 1/2; x is all ones.
# half:        pairs (0, 2) and (1, 3); interleaved: (0, 1) and (2, 3)
# cos 1 - sin 1 = -.301169, cos .5 - sin .5 = .398157,
# sin 1 + cos 1 = 1.381773, sin .5 + cos .5 = 1.357008
$MAKE write X.npy f4 2,4 1
$LOCANT rotate 'rope(base=4)' -i X.npy -o Y.npy
$MAKE show Y.npy
$LOCANT rotate 'rope(base=4,pairing=interleaved)' -i X.npy -o Y.npy
$MAKE show Y.npy
