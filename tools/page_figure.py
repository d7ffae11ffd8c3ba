#!/usr/bin/env python3
"""Take one figure out of a report page.

usage: tools/page_figure.py PAGE.html N > FIGURE.svg     the N-th, from 1
"""
import base64
import re
import sys


def main():
    if len(sys.argv) != 3 or not sys.argv[2].isdigit():
        sys.exit(__doc__.strip())
    with open(sys.argv[1], encoding="utf-8") as page:
        figures = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"',
                             page.read())
    n = int(sys.argv[2])
    if not 1 <= n <= len(figures):
        sys.exit(f"{sys.argv[1]}: has figures 1 to {len(figures)}, not {n}")
    sys.stdout.buffer.write(base64.b64decode(figures[n - 1]))


if __name__ == "__main__":
    main()
