# Three documents, one empty, and two pads; packing is found again.
$LOCANT positions documents --lengths 3,0,2 --length 7
$LOCANT positions documents --lengths 3,0,2 --length 7 --documents
$LOCANT positions documents --lengths 2,1
$LOCANT positions packing --positions 0,1,0,1,2,0; echo "$?"
$LOCANT positions packing --positions 5,6,7; echo "$?"
