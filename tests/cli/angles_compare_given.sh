$MAKE write P.npy i8 3 5 10 1000
$LOCANT angles --compare hf --dim 2 --positions P.npy --json |
    grep -v max_error
