"""What bench/peers imports from the package exists: only 'make bench-peers'
runs it, with packages that tests do not install."""
import ast
import glob
import os
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


def defined(module):
    """Names that a module of the package defines or imports at its top."""
    path = os.path.join(ROOT, "python", *module.split("."))
    path = f"{path}.py" if os.path.exists(f"{path}.py") else \
        os.path.join(path, "__init__.py")
    names = set()
    with open(path, encoding="utf-8") as f:
        for node in ast.parse(f.read()).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names.add(node.name)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                names |= {a.asname or a.name for a in node.names}
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = getattr(node, "targets", None) or [node.target]
                names |= {n.id for t in targets for n in ast.walk(t)
                          if isinstance(n, ast.Name)}
    return names


class Peers(unittest.TestCase):
    def test_imported_names_exist(self):
        seen = 0
        for path in glob.glob(os.path.join(ROOT, "bench", "peers", "*.py")):
            with open(path, encoding="utf-8") as f:
                tree = ast.parse(f.read())
            for node in ast.walk(tree):
                if not isinstance(node, ast.ImportFrom) or \
                        not (node.module or "").startswith("locant"):
                    continue
                for name in node.names:
                    seen += 1
                    file = os.path.join(ROOT, "python", "locant",
                                        f"{name.name}.py")
                    self.assertTrue(
                        name.name in defined(node.module) or
                        (node.module == "locant" and os.path.exists(file)),
                        f"{path}: {node.module} has no {name.name}")
        self.assertGreater(seen, 5)
