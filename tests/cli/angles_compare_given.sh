$MAKE write P.npy i8 4 5 10 1000 5000000000000000000
$LOCANT angles --compare hf --dim 2 --positions P.npy --json |
    grep -v max_error
