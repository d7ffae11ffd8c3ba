# Said before anything is trained or drawn.
ln -s /dev/full picture.svg
$LOCANT report --preset smoke --generated -o /dev/full; echo "$?"
$LOCANT tutorial S0.10 -o /dev/full; echo "$?"
$LOCANT tutorial S0.10 -o picture.svg; echo "$?"
ls
