$LOCANT model vectors --help
