# Every command of the guide to wrong RoPE runs, and prints what the guide shows.
guide=$(dirname "$0")/../../docs/guide/models/wrong-rope.md
blocks() {
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$guide" | sed '/^```/d'
}
number() { # little-endian, 8 bytes
    printf "$(printf '\\%03o' "$1")\0\0\0\0\0\0\0"
}
text() {
    number ${#1}
    printf %s "$1"
}
{
    printf 'GGUF\3\0\0\0'
    number 0
    number 1
    text general.architecture
    printf '\10\0\0\0'
    text qwen2
} > mine.gguf
mkdir adapter
header='{"q_proj.lora_B":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'
{
    number ${#header}
    printf '%sx' "$header"
} > adapter/adapter_model.safetensors
$MAKE write ids.npy i8 1,4 count
{
    echo 'locant() { "$LOCANT" "$@" || test $? = 1; }'
    blocks sh
} > commands
sh -e commands > out 2> err || echo "exit $?"
cat err
blocks text | grep -vxFf out
sed -n 's/.*`\(locant model check [^`]*\)`.*/\1/p' "$guide" | sort -u > rows
grep -c . rows
while read -r row; do
    sh -c "$(echo "$row" | sed "s|^locant|$LOCANT|")" > out 2> err
    status=$?
    [ $status -le 1 ] || echo "$row: $status $(cat err)"
done < rows
