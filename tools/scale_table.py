#!/usr/bin/env python3
"""Print the simulated efficiencies of docs/SCALE.md, and compare them.

usage: tools/scale_table.py MEASURED EXPECTED

Both are files of lines "case;net;ranks;simulated;model", as bench/scale/scale.c
prints them. Exit status 1 when a line is in one file alone, or an efficiency
of MEASURED is at least 0.02 below that of EXPECTED.
"""
import re
import sys

ROW = re.compile(r"([^;]+);([^;]+);(\d+);([01]\.\d{3});([01]\.\d{3})")
RANKS = [2, 4, 8, 16, 32]
NETS = {"25gbe": "25 GbE", "200g": "200G InfiniBand"}
FALL = 0.02


def read(path):
    """{(case, net, ranks): (simulated, model)}, as texts"""
    rows = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            row = ROW.fullmatch(line.rstrip("\n"))
            if row is None or row[2] not in NETS:
                sys.exit(f"{path}:{number}: {line.rstrip()!r}, expected "
                         "case;net;ranks;simulated;model")
            rows[row[1], row[2], int(row[3])] = row[4], row[5]
    return rows


def print_table(rows, net):
    print(f"{NETS[net]}, simulated (model):\n")
    print("| | " + " | ".join(map(str, RANKS)) + " |")
    print("|---" * (1 + len(RANKS)) + "|")
    for case in dict.fromkeys(case for case, of, _ in rows if of == net):
        cells = [rows.get((case, net, ranks)) for ranks in RANKS]
        texts = [f" {c[0][1:]} ({c[1][1:]}) |" if c else " |" for c in cells]
        print(f"| {case} |" + "".join(texts))
    print()


def complaints(measured, expected):
    for key in sorted(measured.keys() ^ expected.keys()):
        where = "not simulated" if key in expected else "not in the table"
        yield f"{key[0]}, {NETS[key[1]]}, {key[2]} ranks: {where}"
    for key in sorted(measured.keys() & expected.keys()):
        now, then = measured[key][0], expected[key][0]
        # Both have three decimals: half of the last is added for rounding.
        if float(now) < float(then) - FALL + 0.0005:
            yield (f"{key[0]}, {NETS[key[1]]}, {key[2]} ranks: efficiency "
                   f"{now}, expected {then}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    measured, expected = read(sys.argv[1]), read(sys.argv[2])
    for net in NETS:
        print_table(measured, net)
    found = list(complaints(measured, expected))
    for text in found:
        print("scale_table: " + text, file=sys.stderr)
    return 1 if found else 0


sys.exit(main())
