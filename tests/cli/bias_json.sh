$LOCANT bias alibi --heads 1 --queries 2 --keys 3 -o B.npy --json
