# Every command of the guide to comparisons runs, by the preset smoke with one
# seed; what it prints of the seeds that a test needs is what a report prints.
guide=$(dirname "$0")/../../docs/guide/compare/README.md
mkdir my-text
for n in 1 2 3 4; do
    seq ${n}0000 ${n}9999 > my-text/$n.txt
done
blocks() {
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$guide" | sed '/^```/d'
}
{
    echo 'locant() { "$LOCANT" "$@"; }'
    blocks sh | sed -E 's/ --(preset|minutes|seeds) [a-z0-9]+//g
        s/^locant report /&--preset smoke /'
} > commands
sh -e commands > out 2> err || tail -n 3 err
blocks sh | grep -c '^locant '
blocks text | grep -vxFf err
ls elsewhere/runs.db length.svg paper study.json
grep -c '</html>' locant-report.html
