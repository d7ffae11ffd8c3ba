$LOCANT selftest --only rop; echo "$?"
$LOCANT selftest --cases 0; echo "$?"
$LOCANT selftest rope; echo "$?"
