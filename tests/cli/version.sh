$LOCANT --version
