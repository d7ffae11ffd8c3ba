# Sizes of what is shown follow the spec: heads as wide as it turns, in every
# part and layer; weights are weights, whatever an encoding adds to values.
for spec in 'rope(dim=32)+fox' 'rope(dim=100)+shaw' \
    'layers(local=rope(dim=96)+fox,global=alibi)' \
    'layers(local=none,global=rope(dim=64))'; do
    echo "$spec"
    $LOCANT show "$spec" | sed -n 's/^check/     /;s/^ *\(the query 1\|attention\)/\1/p' |
        sed 's/:.*identity/: ../'
    $LOCANT show "$spec" -o picture.svg
done
$LOCANT show shaw -o shaw.png
python3 -c '
import struct, zlib
data = open("shaw.png", "rb").read()
at, packed = 8, b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    body = data[at + 8:at + 8 + size]
    if kind == b"IHDR":
        width, height, depth, color = struct.unpack(">IIBB", body[:10])
    packed += body if kind == b"IDAT" else b""
    at += 12 + size
raw, bytes_ = zlib.decompress(packed), {2: 3, 6: 4}[color]
last, rows = bytearray(width * bytes_), []
for y in range(height):
    start = y * (width * bytes_ + 1)
    line = bytearray(raw[start + 1:start + 1 + width * bytes_])
    for i in range(len(line)):
        a = line[i - bytes_] if i >= bytes_ else 0
        b, c = last[i], last[i - bytes_] if i >= bytes_ else 0
        p = a + b - c
        near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))
        line[i] = (line[i] + [0, a, b, (a + b) // 2, near[2]][raw[start]]) % 256
    rows.append(line)
    last = line
# a piece of the map that is above the diagonal: one color, that of no weight
colors = {bytes(rows[y][x * bytes_:x * bytes_ + 3])
          for y in range(height // 4, height // 3)
          for x in range(width // 2, width * 2 // 3)}
print("above the diagonal:", len(colors), "color")'
