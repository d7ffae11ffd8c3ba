# Dynamic scaling begins at 8 positions.  Two rows of 12 with limits 9 and 12
# are rotated as rows that end at those positions are when they stand alone.
S='rope(scaling=dynamic(factor=2,original=8))'
$MAKE write X.npy f4 2,12,8 1
$MAKE write L.npy i8 2 9 12
$LOCANT rotate "$S" -i X.npy -o Y.npy --limits L.npy
$LOCANT rotate "$S" -i Y.npy -o Z.npy --limits L.npy --inverse
$MAKE near Z.npy 1e-6 $(yes 1 | head -n 192)
$MAKE write A.npy f4 1,9,8 1
$MAKE write B.npy f4 1,12,8 1
$LOCANT rotate "$S" -i A.npy -o a.npy
$LOCANT rotate "$S" -i B.npy -o b.npy
# .npy headers of these shapes have 128 bytes; a row of X has 384.
tail -c +129 Y.npy | head -c 288 > first
tail -c +513 Y.npy > second
tail -c +129 a.npy | cmp - first && tail -c +129 b.npy | cmp - second
$MAKE write L.npy i8 2 9 0
$LOCANT rotate "$S" -i X.npy -o Y.npy --limits L.npy
$MAKE write L.npy f8 2 9 12
$LOCANT rotate "$S" -i X.npy -o Y.npy --limits L.npy
