# Every command of the learning path runs, and it names rows that exist.
guide=$(dirname "$0")/../../docs/guide/learn
commands() {
    sed -n '/^```sh$/,/^```$/p' "$1" | grep '^locant '
}
rows() {
    grep -E '^(Rows: |条目：)' "$1" | grep -o 'S[0-4]\.[0-9]*'
}
for guide_of in README.md README.zh.md; do
    commands "$guide/$guide_of" > "$guide_of.commands"
    rows "$guide/$guide_of" > "$guide_of.rows"
done
cmp README.md.commands README.zh.md.commands
cmp README.md.rows README.zh.md.rows
# S4.18 trains for half a minute; tutorial_rows.sh runs it.
grep -v ' S4.18$' README.md.commands | sed "s|^locant|$LOCANT|" > run.sh
count=0
while read -r command; do
    count=$((count + 1))
    sh -c "$command" > out 2>&1 < /dev/null || echo "FAIL $command: $(cat out)"
done < run.sh
echo "$count"
"$LOCANT" tutorial --json | grep -o '"row": "[^"]*"' | cut -d'"' -f4 > known
grep -vxFf known README.md.rows
sort README.md.rows | uniq -d
grep -c . README.md.rows
