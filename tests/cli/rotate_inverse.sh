# Two products and a sum each way, rounded tables: values up to 23, so
# 23 * 8 * 2^-24 < 2e-5.
$MAKE write X.npy f4 3,8 count
$LOCANT rotate rope -i X.npy -o Y.npy --offset 123456789
$LOCANT rotate rope -i Y.npy -o Z.npy --offset 123456789 --inverse
$MAKE near Z.npy 2e-5 $(seq 0 23)
