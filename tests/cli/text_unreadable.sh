# Unreadable files of a text are reported and left out; root gives up its right
drop=-dac_override,-dac_read_search
as=
[ "$(id -u)" = 0 ] && as="setpriv --bounding-set $drop --inh-caps=$drop"
mkdir -p text/locked
for i in 1 2 3 4 5 6 7 8 9; do seq "${i}0000" "${i}2000" > text/$i; done
chmod 0 text/locked
$as $LOCANT train --encoding none --text text --steps 1 --layers 1 --width 8 \
    --heads 1 --ff 8 --batch 1 --length 16 --dir lab 2>&1 | grep -v '^100%\|^run\|keeps this text'
touch text/0
chmod 0 text/0
$as $LOCANT train --encoding none --text text --steps 2 --layers 1 --width 8 \
    --heads 1 --ff 8 --batch 1 --length 16 --dir lab 2>&1 | grep -c '^locant: left out 2 unreadable files or folders of'
chmod 700 text/locked
