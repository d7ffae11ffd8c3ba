"$LOCANT" figure matrix alibi --length 3 --csv
"$LOCANT" figure matrix alibi --length 2 --json
"$LOCANT" figure bias crossformer+dpb+fire+t5 --length 8 --csv | cut -d, -f1,2 | tail -1 # 27 parameters
"$LOCANT" figure vectors sinusoidal --position 1 --dim 4 --heads 1 --csv
"$LOCANT" figure vectors sinusoidal --position 1 --dim 4 --heads 1 --json
"$LOCANT" figure score rope -o score.svg --json
head -c 5 score.svg; echo
"$LOCANT" figure circle rope --position 20 -o circle.png
