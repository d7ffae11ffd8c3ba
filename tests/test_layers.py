#!/usr/bin/env python3
"""Rule L1 of docs/STYLE.md: planted violations are found, others are not.

usage: test_layers.py    one line per claim; exit 1 if one fails
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "tools"))
import check_style  # noqa: E402
import layers  # noqa: E402

FAILED = []


def claim(what, holds):
    print(("ok   " if holds else "FAIL ") + what)
    if not holds:
        FAILED.append(what)


def judged(files):
    found, _, _ = layers.judge(files, check_style.functions,
                               check_style.blank_out)
    return [(path, what) for path, _, what in found]


def function(name, *calls):
    body = "".join(f"    lct_{c}();\n" for c in calls)
    return f"void lct_{name}(void)\n{{\n{body}}}\n"


def main():
    for here, there, allowed in [("store", "corpus", True),
                                 ("corpus", "store", False),
                                 ("core", "kernel", False),
                                 ("measure", "report", False),
                                 ("report", "measure", True)]:
        found = judged({f"src/{here}/a.c": f'#include "../{there}/b.h"\n',
                        f"src/{there}/b.h": ""})
        claim(f"{here} {'may' if allowed else 'may not'} include {there}",
              (not found) == allowed)
    claim("the command sees public headers only",
          judged({"cli/a.c": '#include "../src/core/b.h"\n',
                  "src/core/b.h": ""}) != [] and
          judged({"cli/a.c": '#include "b.h"\n', "cli/b.h": ""}) == [])
    claim("a call upwards is found where no header tells of it",
          judged({"src/corpus/a.c": function("a", "b"),
                  "src/train/b.c": function("b")}) ==
          [("src/corpus/a.c", "calls src/train/b.c")])
    claim("a folder that is in no layer is found",
          judged({"src/attic/a.c": ""}) != [])
    two = {"src/train/a.c": function("a", "b"),
           "src/train/b.c": function("b", "a")}
    three = {"src/train/a.c": function("a", "b"),
             "src/train/b.c": function("b", "c"),
             "src/train/c.c": function("c", "a")}
    claim("two files may call each other", judged(two) == [])
    claim("three files in a circle are found", len(judged(three)) == 1)
    claim("what is static or in a comment is no call",
          judged({**three, "src/train/c.c": function("c") + "/* lct_a() */\n"})
          == [])

    report = check_style.Report(False)
    report.hard = lambda *what: FAILED.append(what)
    includes, calls = check_style.check_layers(report)
    claim(f"in the tree {includes} includes and {calls} calls are judged",
          includes >= check_style.LEAST_INCLUDES and
          calls >= check_style.LEAST_CALLS)
    top = os.path.join(check_style.ROOT, "src")
    folders = {f for f in os.listdir(top)
               if os.path.isdir(os.path.join(top, f)) and
               any(n.endswith(layers.SOURCE)
                   for n in os.listdir(os.path.join(top, f)))}
    claim("every folder of src is in a layer", folders <= set(layers.FOLDERS))
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
