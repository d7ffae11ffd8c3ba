#!/usr/bin/env python3
"""Extract one figure of a report page as an SVG document.

usage: tools/page_figure.py PAGE.html N > FIGURE.svg     the N-th, from 1
"""
import re
import sys

CLASSES = re.compile(r"<style>(.*?)</style>", re.S)
# The page hides these texts in English; the picture is in English.
CHINESE = re.compile(r'<text class="[^"]*\bzh"[^>]*>.*?</text>\n?', re.S)
FIGURE = re.compile(r'(<svg class="fig".*?</svg>)\n<figcaption', re.S)


def main():
    if len(sys.argv) != 3 or not sys.argv[2].isdigit():
        sys.exit(__doc__.strip())
    with open(sys.argv[1], encoding="utf-8") as file:
        page = file.read()
    figures = FIGURE.findall(page)
    n = int(sys.argv[2])
    if not 1 <= n <= len(figures):
        sys.exit(f"{sys.argv[1]}: has figures 1 to {len(figures)}, not {n}")
    start, rest = CHINESE.sub("", figures[n - 1]).split(">", 1)
    print('<?xml version="1.0" encoding="UTF-8"?>')
    print(start.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg" '
                        'font-family="sans-serif"', 1) + ">")
    print(f"<style>{CLASSES.search(page).group(1)}</style>{rest}")


if __name__ == "__main__":
    main()
