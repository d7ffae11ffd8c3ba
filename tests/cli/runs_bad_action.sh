$LOCANT runs lst; echo "$?"
$LOCANT runs show; echo "$?"
$LOCANT runs list 4; echo "$?"
