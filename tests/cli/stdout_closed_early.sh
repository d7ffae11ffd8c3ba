# A reader that has seen enough is no failure, and there is no talk about it.
{ $LOCANT list; echo "$?" > status; } | true
cat status
