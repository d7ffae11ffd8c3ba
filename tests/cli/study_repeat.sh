# A report is repeated in a clean folder, from one exported file alone: store
# and text of the first one are gone, and the study is made to say that its text
# was the C headers, which are others than those of this machine.
report="--preset smoke --encodings none --seeds 1"
losses() {
    python3 -c "
import json, sys
for run in json.load(sys.stdin)['rows'][0]['runs']:
    print(run['seed'], run['loss'], run['valid'])"
}
quiet() {
    "$@" 2> stderr; status=$?
    grep '^locant:' stderr >&2
    return $status
}
seq 40000 > text.txt
quiet $LOCANT report $report --text text.txt --json -o a.html > first
echo "$?"
grep -o 'To repeat.*' a.html | sed 's/<[^>]*>//g' | head -n 1 | cut -c 1-125
# without the text, and with it
$LOCANT study export; echo "$?"
$LOCANT study export --with-text -o study.json 2>&1 | sed 's|from /.*/|from |'
stat -c %a study.json
mkdir clean
sed 's/"kind":"files"/"kind":"headers"/' study.json > clean/study.json
rm -rf text.txt locant-lab study.json
cd clean
$LOCANT study import study.json --dir there > command; echo "$?"
cat command
rm study.json
quiet sh -c "$(sed "s|^locant|$LOCANT|" command) --json -o b.html" > repeated
echo "$?"
losses < ../first > one
losses < repeated > two
cmp one two; echo "$?"
$LOCANT study list --dir there | sed 's/20[^ ]*Z/TIME/'
# what is changed on the way is found
$LOCANT study export --with-text -o study.json --dir there 2> /dev/null
python3 -c "
import json
study = json.load(open('study.json'))
text = study['text']
study['text'] = text[:50000] + ('B' if text[50000] == 'A' else 'A') + \
    text[50001:]
json.dump(study, open('bad.json', 'w'))"
$LOCANT study import bad.json --dir bad; echo "$?"
sed 's/"none"/"none; rm"/' study.json > bad.json
$LOCANT study import bad.json --dir bad; echo "$?"
sed 's/"kind":"headers"/"kind":"..\/..\/x"/' study.json > bad.json
$LOCANT study import bad.json --dir bad; echo "$?"
$LOCANT study import b.html --dir bad; echo "$?"
ls
$LOCANT study export 7 --dir there; echo "$?"
$LOCANT study export --dir none; echo "$?"
