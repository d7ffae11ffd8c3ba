# The names, and under them variants; as JSON every row says the same things.
$LOCANT list | sed '/^ /d;s/  .*//'
$LOCANT list | grep -A 2 '^sinusoidal'
$LOCANT list --json | python3 -c 'import json, sys
rows = json.load(sys.stdin)
print(len(rows) >= 45 or len(rows))
fields = "name spec title doors traits parameters learned source models"
for row in rows:
    if set(row) != set(fields.split()):
        print(row["spec"], sorted(row))
    if not row["source"] or not row["title"]:
        print(row["spec"], "says nothing of", row)
    for p in row["parameters"]:
        if set(p) != {"name", "dims", "learned", "per_layer"}:
            print(row["spec"], p)
    if any(p["learned"] for p in row["parameters"]) != row["learned"]:
        print(row["spec"], "learned?", row)
    if row["doors"] == "":
        print(row["spec"], "no doors")
print(*sorted({door for row in rows for door in row["doors"].split(", ")}))'
