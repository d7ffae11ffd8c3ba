$LOCANT list | sed 's/  .*//'
$LOCANT list --json | python3 -c 'import json, sys
print(*(row["name"] for row in json.load(sys.stdin)))'
