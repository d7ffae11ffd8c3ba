$LOCANT rotat -i X.npy
