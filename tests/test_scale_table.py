#!/usr/bin/env python3
"""tools/scale_table.py: efficiencies that fell are reported, others are not,
and docs/SCALE.md has those that are kept.

usage: test_scale_table.py    one line per claim; exit 1 if one fails
"""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
TOOL = os.path.join(ROOT, "tools", "scale_table.py")
KEPT = os.path.join(ROOT, "bench", "scale", "efficiencies.csv")
PAGE = os.path.join(ROOT, "docs", "SCALE.md")
EXPECTED = ("S;25gbe;2;0.500;0.510\nS;25gbe;4;0.300;0.310\n"
            "S;200g;2;0.900;0.950\n")
FAILED = []


def run(measured):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("now", "then")]
        for path, text in zip(paths, (measured, EXPECTED)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run([sys.executable, TOOL, *paths], text=True,
                              capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def claim(what, holds, found):
    print(("ok   " if holds else "FAIL ") + what)
    if not holds:
        print(f"     {found}")
        FAILED.append(what)


def main():
    found = run(EXPECTED)
    claim("equal tables are accepted, and printed by net",
          found[0] == 0 and found[2] == "" and
          "25 GbE, simulated (model):\n" in found[1] and
          "| S | .500 (.510) | .300 (.310) | | | |\n" in found[1] and
          "| S | .900 (.950) | | | | |\n" in found[1], found)
    found = run(EXPECTED.replace("0.500", "0.481"))
    claim("a fall of 0.019 is accepted", found[0] == 0, found)
    found = run(EXPECTED.replace("0.500", "0.480"))
    claim("a fall of 0.020 is refused, with case, net and ranks",
          found[0] == 1 and found[2] == "scale_table: S, 25 GbE, 2 ranks: "
          "efficiency 0.480, expected 0.500\n", found)
    found = run(EXPECTED.replace("0.900", "0.990"))
    claim("a rise is accepted", found[0] == 0, found)
    found = run(EXPECTED.replace("S;200g;2;0.900;0.950\n", ""))
    claim("a row that was not simulated is refused",
          found[0] == 1 and found[2] == "scale_table: S, 200G InfiniBand, 2 "
          "ranks: not simulated\n", found)
    found = run(EXPECTED + "T;200g;2;0.900;0.950\n")
    claim("so is one that the table lacks",
          found[0] == 1 and found[2] == "scale_table: T, 200G InfiniBand, 2 "
          "ranks: not in the table\n", found)
    for text, what in ((EXPECTED + "scale: no memory\n", "another line"),
                       (EXPECTED + "S;tcp;2;0.9;0.9\n", "another net"),
                       (EXPECTED.replace("0.900", "nan"), "no number"),
                       (EXPECTED.replace(";4;", ";x;"), "no number of ranks")):
        found = run(text)
        claim(f"{what} is refused with its line",
              found[0] == 1 and "expected case;net;ranks;simulated;model" in
              found[2], found)
    tables = subprocess.run([sys.executable, TOOL, KEPT, KEPT], text=True,
                            capture_output=True, check=True).stdout
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    claim("docs/SCALE.md has the tables of bench/scale/efficiencies.csv",
          tables in page, tables)
    return 1 if FAILED else 0


sys.exit(main())
