"$LOCANT" figure --list
"$LOCANT" figure --list --json | head -n 7
