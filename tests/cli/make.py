#!/usr/bin/env python3
"""Small .npy files for the tests of the command, without NumPy.

make.py write FILE DTYPE SHAPE VALUE...   DTYPE f2 f4 f8 i4 i8 u1; SHAPE 2,3; one
                                          VALUE fills; "count" is 0, 1, 2, ..
make.py show FILE                         dtype, shape, then a line per row
make.py near FILE TOLERANCE VALUE...      exit 1 unless FILE holds these
make.py data FILE                         SHA-256 of a safetensors file's data
"""
import ast
import hashlib
import math
import struct
import sys

CODES = {"f2": "e", "f4": "f", "f8": "d", "i4": "i", "i8": "q", "u1": "B"}


def write(path, dtype, shape, *values):
    shape = tuple(int(n) for n in shape.split(",") if n)
    n = math.prod(shape)
    if values == ("count",):
        values = range(n)
    elif len(values) == 1:
        values = values * n
    kind = float if dtype[0] == "f" else int
    header = repr({"descr": "|<"[dtype != "u1"] + dtype, "fortran_order": False,
                   "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        f.write(struct.pack(f"<{n}{CODES[dtype]}", *map(kind, values)))


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + size].decode())
    shape, dtype = header["shape"], header["descr"].lstrip("<")
    assert not header["fortran_order"] and data[:8] == b"\x93NUMPY\x01\x00"
    values = struct.unpack(f"<{math.prod(shape)}{CODES[dtype]}",
                           data[10 + size:])
    return dtype, shape, values


def show(path):
    dtype, shape, values = read(path)
    print(dtype, list(shape))
    row = shape[-1] if shape else 1
    for i in range(0, len(values), row):
        # + 0.0: a zero has no sign here
        print(*(f"{round(x, 6) + 0.0:.6g}" for x in values[i:i + row]))


def near(path, tolerance, *wanted):
    _, _, values = read(path)
    wanted = [float(w) for w in wanted]
    worst = max(abs(a - b) for a, b in zip(values, wanted))
    if len(values) != len(wanted) or not worst <= float(tolerance):
        print(f"{path}: {list(values)}\nexpected {wanted}")
        sys.exit(1)


def data(path):
    with open(path, "rb") as f:
        f.seek(struct.unpack("<Q", f.read(8))[0] + 8)
        print(hashlib.sha256(f.read()).hexdigest())


if __name__ == "__main__":
    {"write": write, "show": show, "near": near,
     "data": data}[sys.argv[1]](*sys.argv[2:])
