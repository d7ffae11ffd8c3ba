# DINOv3 centres, EVA-02 steps of 16/24, Qwen-VL blocks, a class token, frames.
$LOCANT positions grid --size 1x3 --coordinates centres
$LOCANT positions grid --size 1x24 --coordinates pretrained --pretrained 16 |
    head -n 3
$LOCANT positions grid --size 2x4 --merge 2 --prefix 1
$LOCANT positions grid --size 2x1x2
