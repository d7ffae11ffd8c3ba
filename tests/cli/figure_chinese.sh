# Titles, axes, legends and captions in Chinese, in the terminal and in files;
# the numbers of a figure do not depend on the language.
export COLUMNS=60
$LOCANT figure --list --lang zh | sed -n '1,2p;/^wavelengths/p'
$LOCANT figure wavelengths rope --lang zh
LC_ALL=zh_CN.UTF-8 $LOCANT figure attention alibi --length 6 | tail -18
$LOCANT similarity rope --length 60 --dim 8 --lang zh | sed -n '1,2p'
$LOCANT similarity rope --length 160 --dim 8 --lang zh | grep 每格
$LOCANT angles --compare hf --lang zh | sed -n '1,4p'
$LOCANT figure bias alibi --lang zh -o bias.svg
LC_ALL=zh_CN.UTF-8 $LOCANT show t5 -o t5.svg
LC_ALL=zh_CN.UTF-8 $LOCANT show t5 -o en.svg --lang en
grep -o '<title>.*</title>' bias.svg t5.svg en.svg
cmp -s t5.svg en.svg || echo other glyphs
for form in --json --csv; do
    $LOCANT figure bias alibi $form > en
    LC_ALL=zh_CN.UTF-8 $LOCANT figure bias alibi $form | cmp - en
done
LC_ALL=zh_CN.UTF-8 $LOCANT figure nonsense rope # error messages are in English
$LOCANT figure bias alibi --lang cn
# without a font that has Chinese, the picture is in English
font=$(find /usr/share/fonts /usr/local/share/fonts -name DejaVuSans.ttf 2> /dev/null | head -1)
echo "<fontconfig><dir>$(dirname "$font")</dir><cachedir>$PWD</cachedir></fontconfig>" \
    > fonts.conf
export FONTCONFIG_FILE=$PWD/fonts.conf
$LOCANT figure bias alibi --lang zh -o english.svg
$LOCANT show t5 --lang zh -o english_too.svg
grep -o '<title>.*</title>' english.svg english_too.svg
