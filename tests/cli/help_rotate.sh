$LOCANT rotate --help
