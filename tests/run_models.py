#!/usr/bin/env python3
"""Run the models of tests/models/fixtures by 'locant model logits'.

usage: tests/run_models.py LOCANT [NAME...]

Each folder is a tiny random model that transformers made, with its inputs and
the logits of an oracle in float64 (python/tests/model_oracle).  float64 must
agree within 1e-9, float32 within 3e-5 of the largest logit: a model of two
layers has some 100 operations in a row, each of which rounds by 2^-53 or 2^-24,
and roots, exponentials and angles of 13 positions amplify that less than tenfold
a layer.  Tokens that mask.npy hides are not compared.  Needs no package of
Python.
"""
import array
import ast
import os
import struct
import subprocess
import sys
import tempfile

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models",
                        "fixtures")
OPTIONS = {"ids": "-i", "mask": "--mask", "types": "--types",
           "decoder_ids": "--decoder-ids", "pixels": "--pixels",
           "grid": "--grid", "positions": "--positions"}
LIMITS = {"f64": 1e-9, "f32": 3e-5}


def read_npy(path):
    """(shape, values) of an array in the order of C."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + size].decode())
    kind = {"<f8": "d", "<f4": "f", "<i8": "q"}[header["descr"]]
    return header["shape"], array.array(kind, data[10 + size:])


def command(locant, folder, dtype, out, model=None):
    """Words that run a folder, or another model with the inputs of a folder."""
    line = [locant, "model", "logits", model or folder, "--dtype", dtype, "-o",
            out]
    for name, option in OPTIONS.items():
        path = os.path.join(folder, name + ".npy")
        if os.path.exists(path):
            line += [option, path]
    return line + (["--hidden"] if headless(folder) else [])


def headless(folder):
    """Whether the truth is what the last norm gives."""
    return os.path.exists(os.path.join(folder, "hidden.npy"))


def compared(folder, shape):
    """For each row of logits, whether it counts."""
    path = os.path.join(folder, "mask.npy")
    if os.path.exists(path):
        mask_shape, mask = read_npy(path)
        if mask_shape == shape[:2]:
            return mask
    count = 1
    for n in shape[:-1]:
        count *= n
    return [1] * count


def error(folder, out):
    """The largest difference, relative to the largest logit."""
    name = "hidden.npy" if headless(folder) else "logits.npy"
    shape, truth = read_npy(os.path.join(folder, name))
    got_shape, got = read_npy(out)
    if got_shape != shape:
        raise ValueError(f"shape {got_shape}, expected {shape}")
    n, worst = shape[-1], 0.0
    for row, counts in enumerate(compared(folder, shape)):
        for i in range(row * n, row * n + n if counts else row * n):
            difference = abs(got[i] - truth[i])
            worst = max(worst, difference if difference == difference
                        else float("inf"))
    return worst / max(map(abs, truth))


def judge(locant, name, work):
    """A line with the errors of all dtypes, and whether all are small."""
    folder, words, good = os.path.join(FIXTURES, name), [], True
    for dtype, limit in LIMITS.items():
        out = os.path.join(work, "out.npy")
        done = subprocess.run(command(locant, folder, dtype, out),
                              stderr=subprocess.PIPE, text=True, check=False,
                              stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            return f"exit {done.returncode}: {done.stderr.strip()}", False
        try:
            found = error(folder, out)
        except ValueError as mistake:
            return str(mistake), False
        words.append(f"{dtype} {found:.1e}")
        good = good and found <= limit
    return ", ".join(words), good


def main(locant, names):
    helped = subprocess.run([locant, "model", "logits", "--help"],
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, check=False)
    if helped.returncode != 0:
        print(f"skip: {locant} has no 'model logits'")
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        for name in names or sorted(os.listdir(FIXTURES)):
            line, good = judge(locant, name, work)
            failed += not good
            print(f"{'ok  ' if good else 'FAIL'} {name:20} {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
