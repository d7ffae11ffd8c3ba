$LOCANT train --encoding ropee --generated; echo "$?"
$LOCANT train --generated; echo "$?"
$LOCANT train --encoding rope --generated --width 65; echo "$?"
$LOCANT train --encoding rope --generated --lr 0; echo "$?"
$LOCANT train --encoding rope --generated --text .; echo "$?"
$LOCANT train --encoding rope --text none; echo "$?"
ls
