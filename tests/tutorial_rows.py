"""Judge what 'locant tutorial --all' wrote: see tutorial_rows.sh.

usage: tutorial_rows.py ROWS.json FOLDER LOG PROGRESS COUNT
"""
import glob
import json
import os
import sys
import xml.etree.ElementTree

import tutorial_chinese
import tutorial_page


def faults(row, folder, log):
    """What is wrong with one row, as sentences."""
    name = os.path.join(folder, row["row"])
    if not row["claim"]:
        yield "has no claim"
    # Never its own word alone: the log, the JSON and the files must agree.
    if not any(line.startswith("ok ") and line.split()[1] == row["row"]
               for line in log):
        yield "did not end well"
    try:
        with open(name + ".json", encoding="utf-8") as f:
            said = json.load(f)
        with open(name + ".txt", encoding="utf-8") as f:
            text = f.read()
    except (OSError, ValueError) as e:
        yield str(e)
        return
    if len(text.splitlines()) < 3:
        yield "says nothing"
    for check in said["checks"]:
        if not check["holds"]:
            yield f"{check['what']}: {check}"
        elif "got" in check and not (abs(check["got"] - check["expected"])
                                     <= check["tolerance"]):
            yield f"{check['what']}: said to hold, but {check}"
    if not said["checks"] and row["kind"] not in ("text", "names"):
        yield "checks nothing"
    if bool(said["wrong"]) != bool(row["wrong"]):
        yield "does not say where the tutorial is wrong"
    drawn = glob.glob(name + ".svg") + glob.glob(name + "-?.svg")
    if len(drawn) != row["figures"]:
        yield f"{len(drawn)} figures, expected {row['figures']}"
    for path in drawn:
        if not xml.etree.ElementTree.parse(path).getroot().tag.endswith("svg"):
            yield f"{path} is no SVG"


def without_chinese(row, progress):
    """The texts of a row that the command could not say in Chinese."""
    for line in progress:
        if line.startswith(f"locant: {row['row']}: no Chinese for"):
            yield line.split(": ", 2)[2].strip()


def main(rows_path, folder, log_path, progress_path, count):
    with open(rows_path, encoding="utf-8") as f:
        rows = json.load(f)
    with open(log_path, encoding="utf-8") as f:
        log = f.read().splitlines()
    with open(progress_path, encoding="utf-8") as f:
        progress = f.read().splitlines()
    failed = 0
    for row in rows:
        wrong = list(faults(row, folder, log)) + list(without_chinese(row, progress))
        failed += bool(wrong)
        for sentence in wrong:
            print(f"FAIL {row['row']}: {sentence}")
    page = list(tutorial_page.faults(rows, os.path.join(folder, "index.html")))
    failed += bool(page)
    for sentence in page:
        print(f"FAIL index.html {sentence}")
    chinese = list(tutorial_chinese.faults())
    failed += bool(chinese)
    for sentence in chinese:
        print(f"FAIL {sentence}")
    if len({row["row"] for row in rows}) != int(count):
        failed += 1
        print(f"FAIL {len(rows)} rows, expected {count}")
    print(f"{len(rows) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
