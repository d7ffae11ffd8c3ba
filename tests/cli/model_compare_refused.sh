echo '{"model_type":"nosuch"}' > u.json
echo '{' > broken.json
for args in '' 'rope' 'rope none.json' 'rope u.json' 'rope broken.json' \
    'rope rope --as torch' 'rope rope --length 0'; do
    $LOCANT model compare $args 2> message
    echo $?
    cut -c 1-90 message >&2
done
