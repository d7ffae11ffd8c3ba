for arguments in '' '-o golden --verify golden' '-o golden --angles rounded' \
    '-o golden --only ropes' '--verify none.npy --only ropes' \
    '--verify none.safetensors' '-o none/golden/deep --only angles/32/none'; do
    $LOCANT model vectors $arguments; echo "$?"
done
ls
echo '{"a":1}' > broken.safetensors
$LOCANT model vectors --verify broken.safetensors; echo "$?"
# An empty folder covers nothing, and a tensor that is no case is named.
mkdir empty
$LOCANT model vectors --verify empty --only 'angles/*/none'; echo "$?"
python3 -c "
import struct
header = b'{\"rope/half/f32/q\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}'
header += b' ' * (-len(header) % 8)
open('typo.safetensors', 'wb').write(struct.pack('<Q', len(header)) + header + bytes(4))"
$LOCANT model vectors --verify typo.safetensors --only 'angles/*/none'
echo "$?"
