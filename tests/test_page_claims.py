#!/usr/bin/env python3
"""page_claims.py finds the claims of a page supported, and altered ones not.

usage: test_page_claims.py LOCANT STORE FOLDER

STORE is that of the report of preset smoke, with one seed.  FOLDER is made
anew; it gets a store of nine seeds (more_seeds.py), the report on it, and its
exports.
"""
import copy
import json
import os
import re
import shutil
import subprocess
import sys

import page_claims

HERE = os.path.dirname(os.path.abspath(__file__))


def other_word(page, a, b):
    """The page with the first a replaced."""
    assert a in page, a
    return page.replace(a, b, 1)


def unbold(page):
    """The first difference that is bold is no more."""
    return re.sub(r"<td><strong>(<span data-number=\"pairs.*?)</strong></td>",
                  r"<td>\1</td>", page, count=1)


def add(document, path, what):
    """Add to the number at a path; turn what is true to false."""
    *steps, last = path.split("/")
    for step in steps:
        document = document[int(step) if isinstance(document, list) else step]
    last = int(last) if isinstance(document, list) else last
    old = document[last]
    assert old is not None, path
    document[last] = not old if isinstance(old, bool) else old + what


# What each alteration is of: a number of the document.
NUMBERS = [
    ("rows/3/loss/128/mean", 1e-6), ("rows/3/change/2048/mean", -1),
    ("rows/3/change/2048/half", 1e-3), ("rows/3/change/2048/corrected", 1e-4),
    ("rows/3/change/2048/sign", -2), ("rows/3/change/2048/high", 0.5),
    ("rows/2/lengths/256/half_width", 1e-5), ("rows/6/rank", 1),
    ("rows/2/declared/p", 0.004), ("rows/2/declared/holm", 0.03),
    ("rows/4/declared/power", 0.01), ("rows/2/declared/seeds", 1),
    ("rows/5/behind/128/p", 1e-4), ("rows/0/context/uses", 0),
    ("rows/1/context/replaced/low", -0.1), ("rows/0/gain", 1e-3),
    ("pairs/loss/128/pairs/5/corrected", -1e-3),
    ("pairs/gain/2048/pairs/5/mean", 1e-3), ("claims/comparisons", -5),
    ("order/power", 0.01), ("declared/seeds", 1), ("gates/1/values/1", 0.1),
    ("gates/2/values/1", 1), ("gates/3/passed", 0), ("gates/5/passed", 0),
    ("gates/6/values/0", 1),
]
# A word of the page, and another that takes its place.
WORDS = [
    ("loss higher than", "loss lower than"), ("rises for", "falls for"),
    ("distinguishable from each other", "distinguishable from all others"),
    ("not distinguishable from unchanged", "changed by less than 0.02 nats"),
    ("<code>rope</code>", "<code>t5</code>"),
    ("<td class=\"text\"><span class=\"en\">loss rises",
     "<td class=\"text\"><span class=\"en\">loss falls"),
]


def make(locant, source, folder):
    """The report of nine seeds: its page, its numbers."""
    shutil.rmtree(folder, ignore_errors=True)
    store, page = folder + "/lab", folder + "/page.html"
    subprocess.run([sys.executable, HERE + "/more_seeds.py", source, store],
                   check=True)
    done = subprocess.run(
        [locant, "report", "--preset", "smoke", "--seeds", "9", "--dir", store,
         "-o", page, "--json"], stdout=subprocess.PIPE, check=True)
    for table in ("runs", "evaluations", "losses", "plans"):
        with open(f"{folder}/{table}.csv", "wb") as file:
            subprocess.run([locant, "runs", "export", "--table", table, "--dir",
                            store], stdout=file, check=True)
    with open(page, encoding="utf-8") as file:
        return file.read(), json.loads(done.stdout)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    page, document = make(*sys.argv[1:])
    folder, missed = sys.argv[3], []
    losses = page_claims.Losses(document, folder)
    parsed = page_claims.Page(page)
    numbers, made = page_claims.check(parsed, document, losses)
    print(*numbers.faults, sep="\n")
    altered = [(f"{a} - {b}", page_claims.Page(other_word(page, a, b)),
                document) for a, b in WORDS]
    altered.append(("bold", page_claims.Page(unbold(page)), document))
    for path, what in NUMBERS:
        altered.append((path, parsed, copy.deepcopy(document)))
        add(altered[-1][2], path, what)
    for name, text, other in altered:
        if not page_claims.check(text, other, losses)[0].faults:
            missed.append(name)
            print(f"not noticed: {name}")
    print(f"{numbers.compared} numbers and sentences, {made} claims of the "
          f"verdict, {len(numbers.faults)} faults; {len(altered)} alterations, "
          f"{len(missed)} not noticed")
    sys.exit(1 if numbers.faults or missed or made < 10 else 0)


if __name__ == "__main__":
    main()
