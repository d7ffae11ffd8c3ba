# A page of the catalogue: its sections, and bars escaped in tables.
$LOCANT show rope --markdown > page
sed -n '/^#/p' page
grep -c '^| `' page
grep -o 'half \\| interleaved' page
$LOCANT list --markdown | sed -n '/^#/p;/(rope.md)/p'
