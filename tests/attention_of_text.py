"""Compare 'locant figure attention RUN --text --csv' with the softmax of layer
0 of an ALiBi model, computed from its checkpoint.

usage: attention_of_text.py CHECKPOINT TEXT HEADS < CSV
"""
import csv
import json
import math
import struct
import sys


def tensors(path):
    with open(path, "rb") as f:
        size, = struct.unpack("<Q", f.read(8))
        head = json.loads(f.read(size))
        data = f.read()
    for name, t in head.items():
        if name != "__metadata__" and t["dtype"] == "F32":
            first, last = t["data_offsets"]
            yield name, list(struct.unpack(f"<{(last - first) // 4}f",
                                           data[first:last]))


def times(x, matrix):
    n = len(matrix) // len(x)
    return [sum(a * matrix[i * n + j] for i, a in enumerate(x))
            for j in range(n)]


def norm(x, gain):
    mean = sum(x) / len(x)
    variance = sum((a - mean) ** 2 for a in x) / len(x)
    return [(a - mean) / math.sqrt(variance + 1e-5) * g
            for a, g in zip(x, gain)]


def weights(t, tokens, heads):
    """[head][query][key]"""
    width = len(t["layer0.norm1"])
    dim = width // heads
    x = [norm(t["embedding"][i * width:(i + 1) * width], t["layer0.norm1"])
         for i in tokens]
    q, k = ([times(row, t["layer0." + w]) for row in x] for w in ("wq", "wk"))
    for h in range(heads):
        slope = 2 ** (-8 * (h + 1) / heads)
        part = slice(h * dim, (h + 1) * dim)
        rows = []
        for i, qi in enumerate(q):
            e = [math.exp(sum(a * b for a, b in zip(qi[part], kj[part]))
                          / math.sqrt(dim) - slope * (i - j))
                 for j, kj in enumerate(k[:i + 1])]
            rows.append([a / sum(e) for a in e])
        yield rows


def main(checkpoint, text, heads):
    tokens = text.encode("utf-8", "surrogateescape")
    want = list(weights(dict(tensors(checkpoint)), tokens, int(heads)))
    worst, n = 0, 0
    for row in csv.DictReader(sys.stdin):
        layer, head = (int(w.split()[1]) for w in row["panel"].split(","))
        i, j = int(row["row"]), int(row["column"])
        if layer == 0 and j <= i:
            worst = max(worst, abs(float(row["value"]) - want[head][i][j]))
            n += 1
        elif j > i and row["value"]:
            print(f"key {j} of query {i} has the weight {row['value']}")
    print(f"{n} weights, expected {len(want) * len(tokens) * (len(tokens) + 1) // 2}")
    # float32 products of width 16
    print("as computed" if worst < 1e-5 else f"they differ by {worst}")


main(*sys.argv[1:])
