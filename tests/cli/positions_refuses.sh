try() { $LOCANT positions "$@" > out; echo "$? $(cat out)"; }
try grids
try nothing
try
try mask
try mask --mask 1,
try mask --mask 0,2
try mask --mask 1 surplus
try grid --size 3
try grid --size 3x3 --merge 2
try grid --size 4000000000x4000000000x4000000000
try grid --size 2x2 --range 4
try grid --size 2x2 --coordinates pretrained --pretrained 1x2x3
try mrope
try mrope image:2
try mrope text:-1
try mrope video:1x1x2@-1
try mrope video:1x1x2@1.2.3
try mrope text:9223372036854775807 text:1
try documents --lengths 3,2 --length 4
try documents --lengths 9223372036854775807,1
try randomized --length 5 --range 4
try randomized --length 5000 --range 5000
try pose --length 2 --range 4 --chunks 3
try longlora --length 8 --group 3
try temperature --positions=-1
try distance --distance leaky --factor 0.5 --window 4 --queries 1 --keys 1
$MAKE write M.npy i8 1,3 0 1 2
try mask --mask M.npy
$MAKE write F.npy f4 3 0
try mask --mask F.npy
try mask --mask none.npy
try temperature --positions -1,0
