#!/usr/bin/env python3
"""The table of docs/SPEED.md: its cases exist, its goals are judged.

usage: test_speed_table.py LOCANT    one line per claim; exit 1 if one fails
"""
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "tools"))
import speed_table  # noqa: E402

FAILED = []
ON = "[1, 32, 1, 128] on [1, 8, 32768, 128]"
HEAD = {"date": "2026-01-02T03:04:05Z", "cpu": "a CPU", "isa": "avx2",
        "threads": 2, "commit": "abc", "compiler": "cc", "stream_gbps": 9.6,
        "read_gbps": 20, "fma_gflops": 30, "bf16_gflops": None}


def claim(what, holds):
    print(("ok   " if holds else "FAIL ") + what)
    if not holds:
        FAILED.append(what)


def result(case, isa="avx2", subject="decode", **more):
    return {"subject": subject, "case": case, "isa": isa, **more}


def decode(dtype, isa, fastest):
    return result(f"decode none {dtype} {ON}", isa, of_peak=fastest,
                  of_peak_median=fastest / 2)


def lines(*results):
    """The table of these results."""
    found = {(r["case"], r["isa"]): r for r in results}
    return list(speed_table.table(found, results[0]["isa"]))[2:]


def ends(line, text):
    return len(line) == 1 and line[0].endswith(text)


def printed(*objects):
    """What the command prints of a folder with a file of these objects."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "run.json"), "w", encoding="utf-8") as f:
            f.writelines(json.dumps(o) + "\n" for o in objects)
        return subprocess.run([sys.executable, speed_table.__file__, folder],
                              check=True, capture_output=True, text=True).stdout


def main(locant):
    listed = subprocess.run([locant, "bench", "--list"], check=True,
                            capture_output=True, text=True).stdout.splitlines()
    names = {line.split(None, 1)[1] for line in listed}
    for avx512 in True, False:
        lost = [case for row in speed_table.rows(avx512) for case in row.cases
                if case not in names]
        claim(f"every case is a row of bench, {'AVX-512' if avx512 else 'AVX2'}"
              f" {lost}", not lost)

    claim("what is printed as the goal holds",
          ends(lines(decode("f16", "avx2", .746)), ">= 0.75 | 0.75 (0.37) | holds |"))
    claim("what is printed below it is short",
          ends(lines(decode("f16", "avx2", .744)), "| 0.74 (0.37) | short |"))
    claim("AVX-512 has goals of its own",
          ends(lines(decode("f16", "avx512", .75)), ">= 0.85 | 0.75 (0.38) | short |"))
    place = "rotate to another place rope%s [1, 32, 32768, 128]"
    claim("a time should be at most so; each case counts",
          ends(lines(result(place % "", of_baseline=1 / 1.2,
                            of_baseline_median=.5),
                     result(place % " bf16", of_baseline=.8,
                            of_baseline_median=.8)),
               "<= 1.2 | 1.20 (2.00), 1.25 (1.25) | 1 of 2 hold |"))
    claim("what could not be measured is not held",
          ends(lines(result(place % "", of_baseline=1, of_baseline_median=1),
                     result(place % " bf16", cannot="no memory")),
               "| 1.00 (1.00), - | 1 of 2 hold |"))
    angles = result("table [64, 128]", subject="angles", tokens=64, dim=128,
                    min_ns=4096, median_ns=8192)
    claim("angles are told per pair",
          ends(lines(angles), "<= 2 | 1.00 (2.00) | holds |"))

    text = printed(HEAD, decode("f16", "avx2", .8), dict(HEAD, stream_gbps=11.4),
                   decode("f16", "avx512", .9), dict(angles, isa="base"))
    claim("a table for each set of the runs, none for angles alone",
          text.count("| work |") == 2 and "a CPU, avx2, " in text and
          "a CPU, avx512, " in text)
    claim("peaks span the runs", "in place 10 to 11 GB/s, reading 20 GB/s" in text
          and "dot products none." in text)
    return 1 if FAILED else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
