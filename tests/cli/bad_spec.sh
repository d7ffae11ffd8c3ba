$LOCANT show 'rope(base=500'
