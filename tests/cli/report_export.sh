$LOCANT report --preset smoke --generated --seeds 1 --encodings 'rope; alibi' \
    --dir lab -o page.html --export paper > out 2> log
echo "exit $?"
tail -n 1 out
ls paper
grep -c cite paper/table.tex
grep -o '^@misc{[^,]*' paper/references.bib
grep -o 'fact" data-copy' page.html
# again over its own files, not over another's, nor into a file
$LOCANT report --preset smoke --generated --seeds 1 --encodings 'rope; alibi' \
    --dir lab -o page.html --export paper > /dev/null 2>&1
echo "exit $?"
echo '@book{mine}' > paper/references.bib
$LOCANT report --preset smoke --generated --dir none --export paper
echo "exit $?"
$LOCANT report --preset smoke --generated --dir none --export out
echo "exit $?"
cat paper/references.bib
ls
