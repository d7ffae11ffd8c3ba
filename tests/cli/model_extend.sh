# Llama 2 from 4096 to 16384 positions: factor 4, the base of NTK is 40890.
$LOCANT model extend --base 10000 --dim 128 --trained 4096 --to 16384
# The lists of LongRoPE by themselves.
$LOCANT model extend --base 10000 --dim 8 --trained 4096 --to 16384 \
    --method longrope
