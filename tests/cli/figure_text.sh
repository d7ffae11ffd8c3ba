# What the heads of a model attend to on a text of one's own.
run="--generated --dir lab --steps 6 --width 16 --heads 2 --ff 32 --batch 2"
$LOCANT train --encoding alibi --layers 2 $run 2> /dev/null | sed 's/loss.*//'
$LOCANT train --encoding 'learned(length=16)' --length 16 --layers 1 $run 2> /dev/null |
    sed 's/loss.*//'
$LOCANT train --encoding rope --vocabulary 300 --layers 1 $run 2> /dev/null |
    sed 's/loss.*//'
try() { "$LOCANT" figure "$@" --dir lab; echo "exit $?"; }
here=$(dirname "$0")/..
text='Two cats, 位 too'
$LOCANT figure attention 1 --text "$text" --dir lab --csv > all.csv
python3 "$here/attention_of_text.py" lab/checkpoints/run-1.safetensors "$text" 2 < all.csv
cut -d, -f1,2 all.csv | sort -u | head -n 2
COLUMNS=60 try attention 1 --text 'a b' --layer 1 --head 0 | head -n 7
# The numbers of JSON are those of CSV, and the labels are those of the bytes.
$LOCANT figure attention 1 --text "$(printf '\377 \t位')" --dir lab --json > one.json
$LOCANT figure attention 1 --text "$(printf '\377 \t位')" --dir lab --csv > one.csv
python3 -c 'import csv, json
f, rows = json.load(open("one.json")), list(csv.DictReader(open("one.csv")))
print(f["kind"], f["panels"][0]["row_names"], len(f["panels"]))
cells = [v for p in f["panels"] for row in p["cells"] for v in row]
print(cells == [float(r["value"]) if r["value"] else None for r in rows],
      f["panels"][0]["high"])'
$LOCANT figure attention 3 --text 'a function of ' --dir lab --csv --head 0 |
    cut -d, -f5 | uniq | tr '\n' ' '; echo
# Without training.
try attention none --text 'aaa' --layer 0 --head 0 --csv | sed -n '5,$p' | cut -d, -f3,4,7
for kind in svg png pdf; do try attention 2 --text 'Two cats' -o "map.$kind"; done
try attention 1 --text ''
try attention 2 --text 'a text of 21 letters.'
try attention 1 --text "$(seq 200)"
try attention 1 --text a --layer 2
try attention 1 --text a --head 2
try attention 'learned(length=2)' --text abc
try attention 1 --layer 0
try bias 1 --text a
try attention 9 --text a
try attention alibi --heads 64 --text a
