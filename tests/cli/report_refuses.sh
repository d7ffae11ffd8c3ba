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
