"$LOCANT" bench --help
