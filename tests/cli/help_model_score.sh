$LOCANT model score --help
