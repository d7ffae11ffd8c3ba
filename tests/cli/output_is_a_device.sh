# Said before anything is trained or drawn.
$LOCANT report --preset smoke --generated -o /dev/full; echo "$?"
$LOCANT seed S0.10 -o /dev/full; echo "$?"
ls
