# Values of the papers: ALiBi's slopes 1/4, 1/16, .. of 4 heads; rows of the
# sinusoidal table; a vector rotated; the command beside them writes the same.
$LOCANT show alibi | sed -n '/^check/,$p'
$LOCANT show sinusoidal | sed -n '/^check/,$p'
$LOCANT show 'rope(pairing=interleaved,dim=2)' | sed -n '/^check/,$p'
eval "$($LOCANT show alibi | sed -n 's/^ *locant bias/$LOCANT bias/p')"
$MAKE show B.npy | sed -n '1p;9p'
