"""Rule L1 of docs/STYLE.md: which folder may include which, and no circles.

A folder includes itself and the folders above it in FOLDERS.  Within a folder
two files may call each other; a circle of more files is a violation.  A file
is a name without its suffix: x.c and x.h are one.
"""
import os
import re

# From top to bottom.
FOLDERS = ["core", "kernel", "angle", "positions", "encodings", "attention",
           "nn", "files", "group", "graph", "model", "families", "corpus",
           "store", "train", "measure", "figure", "report", "oracle", "vectors",
           "mpi"]
# These see public headers only, except those of the folders named here.
OUTSIDE = {"cli": ["bench/", "oracle/"],
           "bench": ["kernel/", "nn/", "group/group.", "train/ranks."]}

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
SOURCE = (".c", ".h", ".inc", ".def")


def stem(path):
    return os.path.splitext(path)[0]


def folder_of(path):
    """src/measure/x.c -> 'measure', cli/x/y.c -> 'cli'"""
    parts = path.split("/")
    return parts[1] if parts[0] == "src" else parts[0]


def included(path, name, files):
    """The file of the tree that this include names, or None."""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
    for candidate in (beside, "src/" + name, "tests/" + name, name):
        if candidate in files:
            return candidate
    return None


def may_include(path, target):
    here, there = folder_of(path), folder_of(target)
    if here == there or target.startswith("include/"):
        return True
    if not path.startswith("src/"):
        return any(target.startswith(("src/" + p, p))
                   for p in OUTSIDE.get(here, []))
    return target.startswith("src/") and \
        FOLDERS.index(there) < FOLDERS.index(here)


def definitions(files, functions, blank_out):
    """{function: file} of all that are not static, and {file: names it uses}."""
    defined, used = {}, {}
    for path, text in files.items():
        if not path.startswith("src/") or not path.endswith(".c"):
            continue
        code = blank_out(text).split("\n")
        for first, top, _ in functions(code):
            signature = " ".join(code[first:top])
            name = re.search(r"(\w+)\s*\(", signature)
            if name and not re.search(r"\bstatic\b", signature):
                defined[name.group(1)] = stem(path)
        names = re.findall(r"(?<!struct )(?<!enum )(?<!\.)(?<!->)"
                           r"\b(?:lct|locant)_\w+", "\n".join(code))
        used[stem(path)] = set(names)
    return defined, used


def circles(graph):
    """Strongly connected groups of more than two (Tarjan 1972)."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            at = stack.index(node)
            if len(stack) - at > 2:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


def judge(files, functions, blank_out):
    """Violations (file, line, what), and how many includes and calls of other
    files were judged; files: {path: text} of src, cli and bench."""
    violations, seen = [], 0
    for path, text in sorted(files.items()):
        if path.split("/")[0] not in ("src", "cli", "bench"):
            continue
        if path.startswith("src/") and folder_of(path) not in FOLDERS:
            violations.append((path, 1, f"{folder_of(path)} is in no layer"))
            continue
        for match in INCLUDE.finditer(text):
            target = included(path, match.group(1), files)
            if target is None or folder_of(target) == folder_of(path):
                continue
            seen += 1
            if not may_include(path, target):
                line = text.count("\n", 0, match.start()) + 1
                violations.append((path, line, f"includes {target}"))
    defined, used = definitions(files, functions, blank_out)
    graph, calls = {}, 0
    for path, names in used.items():
        others = {defined[n] for n in names if n in defined} - {path}
        calls += len(others)
        graph[path] = {o for o in others if folder_of(o) == folder_of(path)}
        for other in sorted(others):
            if not may_include(path, other):
                violations.append((path + ".c", 1, f"calls {other}.c"))
    for group in circles(graph):
        violations.append((group[0] + ".c", 1,
                           "a circle: " + ", ".join(group)))
    return violations, seen, calls
