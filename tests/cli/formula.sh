# a score function in the spec: shown, computed, refused by column
"$LOCANT" show 'formula( bias = -m*(log1p((a*n))), a=param(one), m=param(heads,init=slopes) )' |
    sed -n '1p;3,5p;/^parameters/,/^gradient/p;/^check/,$p'
"$LOCANT" show 'formula(gain=a*log(cnt),after=1/(1+n),a=param(heads))' | sed -n '1p;4,5p'
"$LOCANT" show 'formula(bias=c.q-c.k,c=scan(heads, map=linear, law=logsigmoid))' |
    sed -n '1p;4,5p;/^parameters/,/^gradient/p;/^check/,$p'
for spec in 'formula(bias=-n+log1p(n,2))' 'formula(bias=-slop*n,slope=param(one))' \
    'formula(bias=-(n+1)' 'formula(bias=log(n)*0)' 'formula(bais=-n)' \
    'formula(bias=-g*n,g=token(heads))'; do
    "$LOCANT" show "$spec"
    echo "exit $?"
done
