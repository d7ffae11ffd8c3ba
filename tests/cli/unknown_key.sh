$LOCANT show 'rope(bas=500)'
