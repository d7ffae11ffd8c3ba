#!/usr/bin/env python3
"""Write src/figure/columns_table.c: the width of characters in a terminal,
from Python's copy of the Unicode character database.

usage: tools/columns_table.py > src/figure/columns_table.c
"""
import unicodedata

HEAD = """/*
 * columns_table.c - how many columns characters of Unicode {} take, made by
 * tools/columns_table.py: first character << 2 | columns; 3: not printable.
 */
#include "columns.h"

const uint32_t lct_columns_table[] = {{"""


def columns(c):
    """0, 1, 2; 3 for controls and formats; None for unassigned characters."""
    kind = unicodedata.category(chr(c))
    if kind in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return 3
    if kind == "Cn":
        return 3 if c & 0xfffe == 0xfffe or 0xfdd0 <= c < 0xfdf0 else None
    # vowels and final consonants of Korean join the previous character
    if kind in ("Mn", "Me") or 0x1160 <= c < 0x1200 or 0xd7b0 <= c < 0xd800:
        return 0
    return 2 if unicodedata.east_asian_width(chr(c)) in "WF" else 1


def main():
    runs = []
    for c in range(0x110000):
        found = columns(c)
        if found is not None and (not runs or found != runs[-1] & 3):
            runs.append(c << 2 | found)
    print(HEAD.format(unicodedata.unidata_version))
    for i in range(0, len(runs), 7):
        print("    " + " ".join(f"0x{run:x}," for run in runs[i:i + 7]))
    print("};")
    print(f"const int lct_columns_rows = {len(runs)};")


main()
