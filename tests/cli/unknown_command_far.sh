$LOCANT frobnicate
