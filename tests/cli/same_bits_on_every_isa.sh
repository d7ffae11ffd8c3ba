$MAKE write X.npy f4 5,26 count
for isa in $($LOCANT doctor | sed -n 's/.* \([a-z0-9]*\): \(run\|in\) .*/\1/p')
do
    $LOCANT rotate rope --isa "$isa" -i X.npy --offset 77777777 -o "$isa.npy" \
        2> /dev/null
    [ -e first ] || cp "$isa.npy" first
    cmp first "$isa.npy" || exit
done
[ -s first ]
