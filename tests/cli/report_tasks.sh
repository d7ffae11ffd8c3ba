$LOCANT report --preset smoke --generated --encodings learned --with tasks \
    --tasks T8,T13.4 --dir lab -o page.html > out 2> log
echo "exit $?"
# how long depends on the machine, how much the report trains on the preset
sed -n 's/tasks \(less than a minute\|about .* minutes\),/tasks N,/
        s/itself trains on .*/itself trains on N/; /^locant: /p' log
grep -o 'id="controls"' page.html
$LOCANT tasks --scores --dir lab | grep -o '^T[0-9.]* [^:]*\|^ .*  \(rope\|learned([^)]*)\) *[0-9]*'
# the same options by hand: it is done
$LOCANT train --task T8 --encoding learned --steps 73 --batch 16 --dir lab --json |
    grep '"status"'
$LOCANT runs list --dir lab | wc -l
