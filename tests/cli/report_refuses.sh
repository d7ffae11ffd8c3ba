$LOCANT report --preset quik; echo "$?"
$LOCANT report --encodings 'none; alibbi'; echo "$?"
$LOCANT report --encodings ' ; '; echo "$?"
$LOCANT report --text none/such; echo "$?"
$LOCANT report --text . --preset smoke; echo "$?"
: > file
$LOCANT report --dir file --generated; echo "$?"
ls
$LOCANT report --preset smoke --with extension,nope --generated
echo "exit $?"
$LOCANT report --tasks T1 --generated; echo "$?"
$LOCANT report --with tasks --tasks T1,T99 --generated; echo "$?"
$LOCANT report --with '' --generated; echo "$?"
$LOCANT report --with extension, --generated; echo "$?"
$LOCANT report --with tasks --tasks '' --generated; echo "$?"
$LOCANT report --encodings 'rope rope' --generated; echo "$?"
$LOCANT report --encodings 'rope(dim=8), alibi' --generated; echo "$?"
# one spec, with a space and a comma where they may be; then one that is refused
$LOCANT report --encodings 'rope(base=7, dim=64)' --generated --dir none
echo "$?"
$LOCANT report --encodings 'alibi + rope(dim=64)' --generated --dir none
echo "$?"
ls
$LOCANT report --vocabulary 256 --generated; echo "exit $?"
