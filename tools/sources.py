#!/usr/bin/env python3
"""Write cmake/sources.cmake: the lists of files of which the libraries, the
command and the tests are built.

usage: sources.py [--check]     --check: exit 1 if the lists differ from the files

Run it after adding, moving or removing a file.
"""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LISTS = os.path.join(ROOT, "cmake", "sources.cmake")
# variable, folders; files compiled once for each instruction set are left out
GROUPS = (
    ("CORE_SOURCES", ("src/core", "src/angle", "src/positions",
                      "src/encodings", "src/attention", "src/kernel")),
    ("NETWORK_SOURCES", ("src/nn", "src/model")),
    ("LAB_SOURCES", ("src/files", "src/group", "src/graph", "src/families", "src/corpus",
                     "src/store", "src/train", "src/measure", "src/figure",
                     "src/report", "src/vectors")),
    ("COMMAND_SOURCES", ("cli",)),
    ("TUTORIAL_SOURCES", ("tutorials", "tutorials/s0", "tutorials/s1",
                          "tutorials/s2", "tutorials/s3", "tutorials/s4")),
    ("ORACLE_SOURCES", ("src/oracle",)),
    ("JUDGES", ("tests/oracle",)),
    ("TESTS", ("tests",)),
)
PER_ISA = {"kernels.c", "nn_kernels.c"}


def sources(folder):
    names = [name for name in sorted(os.listdir(os.path.join(ROOT, folder)))
             if name.endswith(".c") and name not in PER_ISA]
    if folder == "tests":
        return [name[:-2] for name in names if name.startswith("test_")]
    # Paths begin at src/, cli/ or tests/, whose CMakeLists.txt uses them.
    return ["/".join([*folder.split("/")[1:], name]) for name in names]


def filled(names):
    """Lines of names, as long as fits."""
    line = ""
    for name in names:
        if line and len(line) + len(name) > 76:
            yield line
            line = ""
        line += ("" if line else " ") + " " + name
    yield line


def text():
    out = ["# What is built, written by tools/sources.py."]
    for variable, folders in GROUPS:
        out.append(f"set({variable}")
        for folder in folders:
            out += filled(sources(folder))
        out[-1] += ")"
    return "\n".join(out) + "\n"


def main(check):
    wanted = text()
    with open(LISTS, encoding="utf-8") as f:
        found = f.read()
    if found == wanted:
        return 0
    if check:
        print("cmake/sources.cmake: found other files than the folders have; "
              "run tools/sources.py")
        return 1
    with open(LISTS, "w", encoding="utf-8") as f:
        f.write(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
