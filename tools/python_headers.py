#!/usr/bin/env python3
"""Write python/locant/_c.py and _c_positions.py (liblocant), _c_lab.py,
_c_models.py and _c_report.py (all three liblocant_lab) from include/locant:
enums, structs, prototypes.

usage: python_headers.py

The headers are plain C11 in one style, so a few regular expressions read them;
python/tests/test_headers.py compares the files with new output, and their
sizes, offsets and values with a compiler.
"""
import os
import re
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORE = ("core", "angles", "encoding", "rotate", "frequencies", "resize",
        "cache", "attention", "ragged")
POSITIONS = ("positions", "multimodal")
LAB = ("files", "graph", "group", "lab", "evaluate")
MODELS = ("model_plan", "model_check", "model_convert", "model_run",
          "identify", "vectors")  # and then all others
NOT_READ = ("mpi",)  # Python programs have torch.distributed
NUMBERS = {"void": None, "int": "c_int", "unsigned": "c_uint",
           "char": "c_char", "size_t": "c_size_t", "double": "c_double",
           "float": "c_float", "int32_t": "c_int32", "int64_t": "c_int64",
           "uint32_t": "c_uint32", "uint64_t": "c_uint64"}
HEAD = '''"""What include/locant declares of {library}, for ctypes.

Written by tools/python_headers.py; do not edit.
"""
from __future__ import annotations

'''


def camel(name):
    """locant_run_info -> RunInfo"""
    return "".join(w.capitalize() for w in name.split("_")[1:])


def macros(text):
    """{name: body} of the macros that have a body and no arguments"""
    joined = re.sub(r"\\\n", " ", text)
    return dict(re.findall(r"^#\s*define (LOCANT_\w+)[ \t]+(\S.*)$", joined,
                           re.M))


def declarations(text):
    """The texts between top-level semicolons, with single blanks."""
    text = re.sub(r"\\\n", " ", text)
    text = re.sub(r"^[ \t]*#.*$|^LOCANT_(BEGIN|END)_DECLS$", "", text,
                  flags=re.M)
    depth, start = 0, 0
    for i, c in enumerate(text):
        depth += (c == "{") - (c == "}")
        if c == ";" and depth == 0:
            yield " ".join(text[start:i].split())
            start = i + 1


def split(text, by=","):
    """Parts of a list; commas inside parentheses and braces do not count."""
    parts, depth = [""], 0
    for c in text:
        depth += (c in "({") - (c in ")}")
        if c == by and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts if p.strip()]


class Headers:
    """Everything read so far, and the lines of Python for it."""

    def __init__(self):
        self.structs, self.enums, self.callbacks = [], set(), set()
        self.constants = {}
        self.begin()

    def begin(self):
        """Begin a new module, which can use everything read before."""
        self.lines, self.functions, self.inits = [], [], {}

    def assign(self, name, value):
        if not self.lines or not re.match(r"\w+ = ", self.lines[-1]):
            self.lines.append("")
        self.lines.append(f"{name} = {value}")

    # Types

    def ctype(self, text, argument=False):
        """'const char *const *paths[3]' -> (ctypes expression, 'paths')"""
        dims = re.findall(r"\[(\w+)\]", text)
        text = re.sub(r"\[\w+\]", "", text)
        stars = text.count("*")
        words = re.findall(r"\w+", text)
        const = "const" in words
        words = [w for w in words if w not in ("const", "struct", "enum")]
        base, name = words[0], words[1] if len(words) > 1 else ""
        if dims and argument:
            stars, dims = stars + 1, dims[1:]
        found = self.pointer(base, stars, const)
        for dim in reversed(dims):
            size = dim if dim.isdigit() else str(self.constants[dim])
            found += f" * {size}"
        return found, name

    def pointer(self, base, stars, const):
        if base == "char" and stars == 1:
            return "c_char_p"
        if base == "char" and stars == 2 and const:
            return "POINTER(c_char_p)"
        opaque = base not in NUMBERS and not self.known(base)
        if stars and (base in ("void", "char") or opaque):
            found, stars = "c_void_p", stars - 1
        elif base in NUMBERS:
            found = NUMBERS[base]
        elif base in self.enums:
            found = "c_int"
        elif opaque:
            raise ValueError(f"unknown type {base}")
        else:
            found = camel(base)
        for _ in range(stars):
            found = f"POINTER({found})"
        return found if found else "None"

    def known(self, base):
        return (base in self.structs or base in self.enums or
                base in self.callbacks)

    def arguments(self, text):
        return [self.ctype(a, argument=True)[0] for a in split(text)
                if a not in ("void", "...")]

    def callback(self, result, arguments):
        types = [self.ctype(result)[0]] + self.arguments(arguments)
        return f"CFUNCTYPE({', '.join(types)})"

    # Declarations

    def value(self, text):
        if re.fullmatch(r"-?\w+", text) and not re.match(r"-?\d", text):
            return self.constants[text]
        return int(text, 0)

    def enum(self, name, body):
        members, next_value = {}, 0
        for part in split(body):
            key, _, text = part.partition("=")
            next_value = self.value(text.strip()) if text else next_value
            members[key.strip()] = next_value
            next_value += 1
        self.constants.update(members)
        if name is None:
            self.lines.append("")
            for key, value in members.items():
                self.assign(key[7:], value)
            return
        self.enums.add(name)
        words = [m.split("_") for m in members]
        same = os.path.commonprefix(words) if len(words) > 1 else ["LOCANT"]
        if any(w[len(same)][0].isdigit() for w in words):
            same = same[:1]
        cut = len("_".join(same)) + 1
        self.lines += ["", "", f"class {camel(name)}(IntEnum):",
                       f'    """{name}"""',
                       *(f"    {key[cut:]} = {value}"
                         for key, value in members.items())]

    def struct(self, name, body):
        fields = []
        for member in split(body, ";"):
            function = re.match(r"(.*?)\(\*(\w+)\)\((.*)\)$", member)
            if function:
                fields.append((function[2],
                               self.callback(function[1] + " x", function[3])))
                continue
            first, *rest = split(member)
            base = re.match(r"(.*?)[\s*]*\w+(?:\[\w+\])*$", first)[1]
            for one in [first] + [f"{base} {r}" for r in rest]:
                kind, field = self.ctype(one)
                fields.append((field, kind))
        self.structs.append(name)
        self.lines += ["", "", f"class {camel(name)}(Structure):",
                       f'    """{name}"""', "    _fields_ = [",
                       *(f'        ("{f}", {k}),' for f, k in fields), "    ]"]

    def function(self, text):
        found = re.match(r"(.*?)(\blocant_\w+)\((.*)\)$", text)
        result = self.ctype(found[1] + " x")[0]
        status = "locant_status" in found[1].split()
        checked = status and found[2] != "locant_fail"
        self.functions.append((found[2], '"status"' if checked else result,
                               self.arguments(found[3])))

    def declaration(self, text):
        text = re.sub(r"\b(LOCANT_API|LOCANT_MUST_CHECK)\b", "", text)
        text = re.sub(r"\bLOCANT_PRINTF\(.*?\)", "", text).strip()
        enum = re.match(r"(?:typedef )?enum (?:(\w+) )?\{(.*)\}", text)
        struct = re.match(r"typedef struct (\w+) \{(.*)\} \w+$", text)
        callback = re.match(r"typedef (.*?)\(\*(\w+)\)\((.*)\)$", text)
        if enum:
            self.enum(enum[1], enum[2])
        elif struct:
            self.struct(struct[1], struct[2])
        elif callback:
            made = self.callback(callback[1] + " x", callback[3])
            self.callbacks.add(callback[2])
            self.assign(camel(callback[2]), made)
        elif "(" in text:
            self.function(text)

    def macro(self, key, body):
        if body.startswith("{"):
            self.inits[key] = body
        elif re.fullmatch(r"\d+", body):
            self.constants[key] = int(body)
        if re.match(r'\d+$|"', body):
            self.assign(key[7:], body)

    def read(self, name):
        path = os.path.join(ROOT, "include", "locant", name + ".h")
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)
        for key, body in macros(text).items():
            self.macro(key, body)
        for text in declarations(text):
            self.declaration(text)

    # Initialisers

    def init(self, body):
        values = []
        for part in split(body.strip()[1:-1]):
            key, _, text = (w.strip() for w in part.partition("="))
            if key == ".struct_size":
                continue
            if text == "LOCANT_SCALE_AUTO":
                text = "math.inf"
            elif text.startswith("{"):
                text = "(" + text[1:-1].strip() + ")"
            elif text.startswith('"'):
                text = "b" + text
            elif text in self.constants:
                text = str(self.constants[text])
            values.append(f'"{key[1:]}": {text}')
        name = re.search(r"sizeof\((\w+)\)", body)[1]
        return f"    {camel(name)}: {{{', '.join(values)}}},"


def table(functions):
    lines = []
    for name, result, arguments in functions:
        lines.append(f'    "{name}": ({result}, [{", ".join(arguments)}]),')
    return lines


def others():
    """The headers that are in none of the lists."""
    found = os.listdir(os.path.join(ROOT, "include", "locant"))
    return tuple(sorted({f[:-2] for f in found} -
                        {*CORE, *POSITIONS, *LAB, *MODELS, *NOT_READ}))


def import_from(source, names):
    """'from source import names' in lines of 80 columns."""
    start, names = f"from {source} import ", ", ".join(sorted(names))
    if len(start + names) <= 80:
        return [start + names] if names else []
    return textwrap.wrap(f"{start}({names})", 80,
                         subsequent_indent=" " * (len(start) + 1))


def imports(lines, known):
    """Imports of the lines; 'known': {module: its names}, of earlier modules."""
    used = set(re.findall(r"\w+", "\n".join(lines)))
    kinds = {"CFUNCTYPE", "POINTER", "Structure", "c_char_p", "c_void_p",
             *NUMBERS.values()}
    made = ["import math"] if "math" in used else []
    made += import_from("ctypes", kinds & used)
    made += import_from("enum", {"IntEnum"} & used)
    own = [line for name, names in known.items()
           for line in import_from("." + name, names & used)]
    return made + ["from typing import Any", ""] + own + [""] * bool(own)


def types(headers):
    """The names in Python of all types read so far."""
    return {camel(n) for n in (*headers.structs, *headers.enums,
                               *headers.callbacks)}


def module(headers, library, names, known):
    """The text of a module that mirrors headers of one library; 'known':
    {module: its names}, of the modules before it."""
    first = not known
    headers.begin()
    for name in names:
        headers.read(name)
    lines = headers.lines[1:] + [
        "", "", "# What the _INIT macros set besides struct_size.",
        "INIT: dict[type[Structure], dict[str, Any]] = {" if first else
        "INIT.update({", *map(headers.init, headers.inits.values()),
        "}" if first else "})",
        "", '# Function: result, arguments.  "status": one to be checked.',
        "FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {",
        *table(headers.functions), "}"]
    head = HEAD.format(library=library).splitlines()
    return "\n".join(head + imports(lines, known) + lines) + "\n"


def modules(headers):
    """{file name: text}"""
    known, made, seen = {}, {}, set()
    for name, library, parts in (("_c", "liblocant", CORE),
                                 ("_c_positions", "liblocant", POSITIONS),
                                 ("_c_lab", "liblocant_lab", LAB),
                                 ("_c_models", "liblocant_lab", MODELS),
                                 ("_c_report", "liblocant_lab", others())):
        made[f"{name}.py"] = module(headers, library, parts, known)
        known[name] = types(headers) - seen
        seen |= known[name]
        known["_c"].add("INIT")
    return made


def main():
    for name, text in modules(Headers()).items():
        path = os.path.join(ROOT, "python", "locant", name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
