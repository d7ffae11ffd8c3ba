$LOCANT bias alibi --heads 1000 --queries 1000000000 --keys 1000000000 \
    -o B.npy 2>&1 | sed 's/machine has .*/machine has less/'
ls
