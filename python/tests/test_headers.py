"""The generated mirrors agree with the headers and with a compiler."""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from locant import _c, _c_lab, _c_models, _c_positions, _c_report

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tools"))
import python_headers  # noqa: E402

HEADERS = sorted(os.listdir(os.path.join(ROOT, "include", "locant")))
COMPILER = os.environ.get("CC") or shutil.which("cc")
READ = python_headers.Headers()
WRITTEN = python_headers.modules(READ)
PARTS = (_c, _c_positions, _c_lab, _c_models, _c_report)


def mirrors():
    """Name in C and mirror of every struct."""
    for name in READ.structs:
        own = python_headers.camel(name)
        yield name, next(getattr(module, own) for module in PARTS
                         if hasattr(module, own))


def program():
    """C that prints every size, offset and value the mirrors claim."""
    lines = ["#include <locant.h>",
             *(f"#include <locant/{name}>" for name in HEADERS),
             "#include <stdio.h>", "int main(void) {"]
    for name, mirror in mirrors():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        for field in mirror._fields_:
            lines.append(f'printf("{name}.{field[0]} %zu %zu\\n", '
                         f"offsetof({name}, {field[0]}), "
                         f"sizeof((({name} *)0)->{field[0]}));")
    for name in READ.constants:
        lines.append(f'printf("{name} %d\\n", (int){name});')
    return "\n".join(lines + ["return 0; }"])


def claims():
    for name, mirror in mirrors():
        yield f"{name} {ctypes.sizeof(mirror)}"
        for field in mirror._fields_:
            place = getattr(mirror, field[0])
            yield f"{name}.{field[0]} {place.offset} {place.size}"
    for name, value in READ.constants.items():
        yield f"{name} {value}"


class Headers(unittest.TestCase):
    maxDiff = None

    def test_generated_files_are_current(self):
        for name, text in WRITTEN.items():
            path = os.path.join(ROOT, "python", "locant", name)
            with open(path, encoding="utf-8") as f:
                self.assertEqual(f.read(), text, name)

    @unittest.skipUnless(COMPILER, "no C compiler")
    def test_sizes_offsets_and_values(self):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "sizes.c")
            with open(source, "w", encoding="utf-8") as f:
                f.write(program())
            subprocess.run([COMPILER, "-std=c11", "-I",
                            os.path.join(ROOT, "include"), source, "-o",
                            source[:-2]], check=True)
            said = subprocess.run([source[:-2]], check=True,
                                  capture_output=True, text=True).stdout
        self.assertEqual(said.split("\n")[:-1], list(claims()))

    def test_every_exported_function_has_a_prototype(self):
        names = {name for part in PARTS for name in part.FUNCTIONS}
        nm = shutil.which("nm")
        if nm is None:
            self.skipTest("no nm")
        for library in ("liblocant.so", "liblocant_lab.so"):
            path = os.path.join(os.environ["LOCANT_LIBRARY"], library)
            if not os.path.exists(path):
                continue
            said = subprocess.run([nm, "-D", "--defined-only", path],
                                  check=True, capture_output=True,
                                  text=True).stdout
            exported = {line.split()[-1].split("@")[0]
                        for line in said.splitlines()}
            self.assertEqual(exported - names, set(), library)
