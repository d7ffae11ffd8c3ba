"$LOCANT" figure --help
