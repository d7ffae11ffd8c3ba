#!/usr/bin/env python3
"""The limits of docs/STYLE.md that a program can judge.

usage: check_style.py [--soft] [FILE...]

Each violation is one line, FILE:LINE: RULE: what.  Exit 1 if there is any.
--soft also prints what passes the soft limits; those never fail.
"""
import os
import re
import sys

import layers

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SKIP = {".git", "__pycache__", "locant-lab"}
TEXT = (".c", ".h", ".inc", ".def", ".py", ".sh", ".md", ".txt", ".cmake",
        ".in", ".js", ".css", ".html")
PLAIN = {"Makefile", "LICENSE", "setup", "test", "run"}

FILE_LINES = {".c": (400, 600), ".inc": (400, 600), ".h": (400, 500)}
FUNCTION_LINES, KERNEL_LINES = (40, 60), (40, 80)
COMPLEXITY, ARGUMENTS, NESTING, MACRO = (10, 15), (6, 8), (3, 4), (1, 5)
COLUMNS = 80

BANNED = re.compile(r"\b(alloca|strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|"
                    r"atof|rand|srand|exit|_exit|abort|printf|puts|fprintf|"
                    r"getenv|system)\s*\(")
BRANCH = re.compile(r"\b(?:if|for|while|case)\b|&&|\|\||\?")
CONTROL = re.compile(r"(?:\} )?(?:if|for|while|do|switch|else)\b")
TODO = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b(?!.*#\d)")
DEAD = re.compile(r"^\s*(?://|/\*)\s*(?:[\w>.\[\]*-]+\s*[-+*|&]?=[^=].*|"
                  r"\w+\([^()]*\));\s*(?:\*/)?\s*$")
PATHS = re.compile(r"(?<![\w.])/(?:tmp|work|home/\w+)/")
FAST_MATH = re.compile(r"-(?:ffast-math|Ofast|march=native|fopenmp)\b")


class Report:
    def __init__(self, soft):
        self.soft, self.count = soft, 0

    def hard(self, path, line, rule, what):
        self.count += 1
        print(f"{path}:{line}: {rule}: {what}")

    def limit(self, path, line, rule, what, found, limits):
        if found > limits[1]:
            self.hard(path, line, rule, f"{what}: {found}, at most {limits[1]}")
        elif self.soft and found > limits[0]:
            print(f"{path}:{line}: {rule} (soft): {what}: {found}, better "
                  f"{limits[0]}")


def blank_out(text):
    """The text with its comments and literals replaced by blanks."""
    def blanks(match):
        s = match.group(0)
        if s[0] in "\"'":
            return s[0] + " " * (len(s) - 2) + s[0]
        return re.sub(r"[^\n]", " ", s)
    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'",
                  blanks, text, flags=re.S)


def count_arguments(signature):
    start = signature.find("(")
    depth, commas, inside = 0, 0, ""
    for c in signature[start:]:
        depth += (c == "(") - (c == ")")
        if depth == 0:
            break
        commas += c == "," and depth == 1
        inside += c
    inside = inside[1:].strip()
    return 0 if inside in ("", "void") else commas + 1


def functions(code):
    """Of each function, the lines of its signature, '{' and '}', from 0."""
    opened = None
    for i, line in enumerate(code):
        if line.startswith("{") and i > 0:
            first = i - 1
            while first > 0 and re.match(r"[\s)]", code[first] or ";"):
                first -= 1
            opened = (first, i)
        elif line.startswith("}") and opened:
            yield opened + (i,)
            opened = None


def check_functions(report, path, code):
    kernel = path.endswith(".inc") or "/kernel/" in path
    for first, top, end in functions(code):
        body = code[top:end + 1]
        signature = " ".join(code[first:top])
        name = re.search(r"(\w+)\s*\(", signature)
        name = name.group(1) if name else "?"
        line = first + 1
        report.limit(path, line, "lines per function", name, len(body),
                     KERNEL_LINES if kernel else FUNCTION_LINES)
        report.limit(path, line, "complexity", name,
                     1 + len(BRANCH.findall("\n".join(body))), COMPLEXITY)
        report.limit(path, line, "arguments", name, count_arguments(signature),
                     ARGUMENTS)
        deepest = max([(len(t) - len(t.lstrip())) // 4 for t in body
                       if CONTROL.match(t.lstrip())], default=0)
        report.limit(path, line, "nesting", name, deepest, NESTING)


def check_macros(report, path, code):
    i = 0
    while i < len(code):
        first = i
        while code[i].rstrip().endswith("\\") and i + 1 < len(code):
            i += 1
        if re.match(r"\s*#\s*define\b", code[first]):
            report.limit(path, first + 1, "macro body", "lines",
                         i - first + 1, MACRO)
        i += 1


def check_c(report, path, text):
    lines = text.split("\n")
    code = blank_out(text).split("\n")
    table = path.endswith("_table.c")
    for i, line in enumerate(lines, 1):
        if len(line) > COLUMNS and not table:
            report.hard(path, i, "columns", f"{len(line)}, at most {COLUMNS}")
        if DEAD.match(line):
            report.hard(path, i, "commented-out code", line.strip())
    for i, line in enumerate(code, 1):
        if re.match(r"\s*#\s*if\s+0\b", line):
            report.hard(path, i, "#if 0", "remove the code")
        banned = BANNED.search(line) if path.startswith("src/") else None
        if banned:
            report.hard(path, i, "forbidden in src/", banned.group(1))
    if not table:
        report.limit(path, 1, "lines per file", "lines", len(lines) - 1,
                     FILE_LINES[os.path.splitext(path)[1]])
    check_functions(report, path, code)
    check_macros(report, path, code)


def check_text(report, path, text):
    own = path == "tools/check_style.py"  # it spells what it looks for
    for i, line in enumerate(text.split("\n"), 1):
        if "\t" in line and os.path.basename(path) != "Makefile":
            report.hard(path, i, "tab", "use blanks")
        if line != line.rstrip():
            report.hard(path, i, "trailing blanks", repr(line[-12:]))
        if TODO.search(line) and not own:
            report.hard(path, i, "TODO", "without the number of an issue")
        if PATHS.search(line) and not own and not path.endswith(".md"):
            report.hard(path, i, "path of one machine", line.strip())
        if path.endswith(("CMakeLists.txt", ".cmake", "Makefile")) and \
                FAST_MATH.search(line.split("#")[0]):
            report.hard(path, i, "K7", line.strip())
    if text and not text.endswith("\n"):
        report.hard(path, text.count("\n") + 1, "final newline", "missing")
    if text.endswith("\n\n"):
        report.hard(path, text.count("\n"), "final newline", "more than one")


def tree():
    for folder, names, files in os.walk(ROOT):
        names[:] = sorted(n for n in names
                          if n not in SKIP and not n.startswith("build"))
        for name in sorted(files):
            if name.endswith(TEXT) or name in PLAIN:
                yield os.path.relpath(os.path.join(folder, name), ROOT)


# If fewer than these were judged, the rule looks in the wrong place.
LEAST_INCLUDES, LEAST_CALLS = 250, 800


def check_layers(report, root=ROOT):
    files = {}
    for top in ("src", "cli", "bench", "tests", "include"):
        for folder, names, found in os.walk(os.path.join(root, top)):
            names.sort()
            for name in sorted(found):
                if name.endswith(layers.SOURCE):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8", errors="replace") as f:
                        files[os.path.relpath(path, root)] = f.read()
    violations, includes, calls = layers.judge(files, functions, blank_out)
    for path, line, what in violations:
        report.hard(path, line, "L1", what)
    return includes, calls


def main(arguments):
    report = Report("--soft" in arguments)
    paths = [os.path.relpath(os.path.abspath(a), ROOT)
             for a in arguments if not a.startswith("-")] or list(tree())
    for path in paths:
        try:
            with open(os.path.join(ROOT, path), encoding="utf-8") as f:
                text = f.read()
        except UnicodeDecodeError as e:
            report.hard(path, 1, "UTF-8", str(e))
            continue
        if not path.startswith("tests/cli/") or path.endswith(".sh"):
            check_text(report, path, text)
        if path.endswith((".c", ".h", ".inc")):
            check_c(report, path, text)
    if not [a for a in arguments if not a.startswith("-")]:
        includes, calls = check_layers(report)
        if includes < LEAST_INCLUDES or calls < LEAST_CALLS:
            report.hard("src", 1, "L1", f"only {includes} includes and {calls}"
                        " calls between files were judged")
    return 1 if report.count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
