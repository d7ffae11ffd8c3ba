$LOCANT show 'rope(base=-1)'
