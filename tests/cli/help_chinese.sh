# Help in Chinese: by --lang, or by the locale unless --lang says otherwise.
# Every line fits into 80 columns, and every text has its Chinese.
$LOCANT help --lang zh > top
LC_ALL=zh_CN.UTF-8 $LOCANT | cmp - top
LC_ALL= LC_CTYPE= LC_MESSAGES=zh_CN.UTF-8 LANG=C.UTF-8 $LOCANT --help | cmp - top
LC_ALL= LC_CTYPE= LC_MESSAGES= LANG=zh_CN.UTF-8 $LOCANT -h | cmp - top
LC_ALL=zh_CN.UTF-8 $LOCANT --help --lang en | head -3
sed -n 1,12p top
for verb in list show table rotate bias attend angles similarity report figure \
    train eval tasks probe runs tutorial doctor; do
    $LOCANT $verb --help --lang zh > page || exit
    LC_ALL=zh_CN.UTF-8 $LOCANT help $verb | cmp - page
    python3 "$(dirname "$0")/../chinese_help.py" page
done
for verb in inspect check compare convert extend generate identify logits probe \
    score vectors; do
    $LOCANT model $verb --help --lang zh > page || exit
    python3 "$(dirname "$0")/../chinese_help.py" page
done
$LOCANT model --help --lang zh
python3 "$(dirname "$0")/../chinese_help.py" --table
$LOCANT show --lang=zh -h
LC_ALL=zh_CN.UTF-8 $LOCANT bench --help | head -1 # has no Chinese help
$LOCANT show rope --lang fr
$LOCANT help --lang
$LOCANT help nonsense --lang zh
$LOCANT help show list
