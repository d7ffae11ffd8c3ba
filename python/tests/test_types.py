"""Type hints: complete, and what they say of a caller's code."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
CALLER = """
import locant
import numpy as np
x = np.ones((1, 1, 2, 4))
reveal_type(locant.attention(x, x, x, "rope"))
reveal_type(locant.attention(x, x, x, "rope", return_lse=True)[1])
reveal_type(locant.attention_backward(x, x, x, x, x, x).params["table"])
reveal_type(locant.encodings()["rope"].keys[0].name)
locant.rotate(x, 3)
locant.table("rope", 3)
"""


def mypy(*arguments):
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict",
                           "--cache-dir", os.devnull, *arguments], cwd=ROOT,
                          capture_output=True, text=True)
    return done.stdout.splitlines()


@unittest.skipUnless(importlib.util.find_spec("mypy"), "no mypy")
class Types(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("torch") and
                         importlib.util.find_spec("transformers"),
                         "mypy needs torch and transformers")
    def test_strict(self):
        said = mypy("python/locant")
        self.assertEqual(said[-1][:7], "Success", said)

    def test_of_a_caller(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "caller.py")
            with open(path, "w", encoding="utf-8") as f:
                f.write(CALLER)
            said = "\n".join(mypy(path))
        array = 'numpy.ndarray[tuple[Any, ...], numpy.dtype[Any]]'
        self.assertEqual(said.count(array), 3, said)
        self.assertIn('"str"', said)
        self.assertIn('Argument 2 to "rotate" has incompatible type "int"',
                      said)
        self.assertIn('Missing positional argument "dim"', said)
