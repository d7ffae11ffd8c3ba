$LOCANT runs lst; echo "$?"
$LOCANT runs show; echo "$?"
$LOCANT runs list 4; echo "$?"
$LOCANT runs list --table zzz; echo "$?"
