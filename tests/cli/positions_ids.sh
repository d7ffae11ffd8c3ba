# Ids of other models (locant/multimodal.h); delta on stderr.
$LOCANT positions ids text:2 image:1x2 text:1
echo
$LOCANT positions ids --scheme tm --rate 2 --chunk 1 text:1 audio:1 clip:4x1x2@0.5+4+2+2
echo
$LOCANT positions ids --scheme xd --first-image 3 text:1 image:1x2
echo
$LOCANT positions ids --scheme video --delta 0.5 text:2 video:2x1x3 text:1
$LOCANT positions ids --scheme video --delta 0.5 text:1 video:2x1x1 --json
echo
$LOCANT positions ids --scheme flux2 text:2 image:1x2 image:1x1
echo
$LOCANT positions ids --scheme qwen-image image:2x3 text:1
echo
$LOCANT positions grid --size 2x3 --coordinates longer
$LOCANT positions ids --scheme flux audio:2 || echo "exit $?"
$LOCANT positions ids clip:1x1x1+4 || echo "exit $?"
