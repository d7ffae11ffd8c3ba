# What the registry says, in Chinese; JSON and the catalogue stay English.
$LOCANT show t5 --lang zh
LC_ALL=zh_CN.UTF-8 $LOCANT show 'rope(base=500000)' | sed -n 1,6p
$LOCANT show randomized --lang zh | grep -A 4 验证
$LOCANT list --lang zh | head -6
for verb in 'show rope --json' 'show rope --markdown' 'list --json' \
    'list --markdown'; do
    $LOCANT $verb > en
    LC_ALL=zh_CN.UTF-8 $LOCANT $verb | cmp - en
done
LC_ALL=zh_CN.UTF-8 $LOCANT show rope --lang en | head -1
$LOCANT tasks --lang zh | head -4
