$LOCANT model extend --help
