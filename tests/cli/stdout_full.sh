$LOCANT list > /dev/full
