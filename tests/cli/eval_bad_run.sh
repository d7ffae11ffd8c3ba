$LOCANT eval one; echo "$?"
$LOCANT eval 1; s=$?; ls; exit $s
