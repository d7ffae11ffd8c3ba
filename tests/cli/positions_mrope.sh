# encodings.md 13.7: t, h, w of each token; delta on stderr.
$LOCANT positions mrope text:3 image:2x3 text:2
# A video longer than it is wide: the text after it starts at 3, or at 8.
$LOCANT positions mrope text:1 video:3x1x2@3 text:1
$LOCANT positions mrope text:1 video:3x1x2@3 text:1 --next max
# Qwen2.5-VL, 2 ids a second, a frame each 1.4 seconds: floor(t x 2.8).
$LOCANT positions mrope video:3x2x2@2.8
$LOCANT positions mrope frames:2x1x2+1+1 --json
