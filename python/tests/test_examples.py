"""Each example runs, and its numbers show what it claims."""
import importlib
import importlib.util
import math
import os
import sys
import unittest
from contextlib import redirect_stdout
from io import StringIO

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))), "examples"))


def run(name, *arguments):
    """What main() of the example returns; its prints are dropped."""
    with redirect_stdout(StringIO()) as said:
        found = importlib.import_module(name).main(*arguments)
    assert said.getvalue()
    return found


class Examples(unittest.TestCase):
    def test_far_positions(self):
        for far, angles, moved, still in run("far_positions"):
            # Rows and angles are rounded to float32 once each, 2^-24 of
            # components whose products sum to |q| |k| / sqrt(D), about 8.
            self.assertLess(still, 8 * 2.0 ** -22, far)
            # An angle of 'far' radians has a step of far 2^-24 in float32.
            self.assertGreater(angles, min(1, far * 2.0 ** -26), far)
            if far >= 10 ** 6:
                self.assertGreater(moved, 1000 * still, far)

    @unittest.skipUnless(importlib.util.find_spec("torch"),
                         "torch is not installed")
    def test_t5_gradient(self):
        # Each weight is rounded 2^-24; a bucket adds up 1024 rows of them.
        _, memory, apart = run("t5_gradient", 1024)
        self.assertLess(apart, 1024 * 2.0 ** -24)
        self.assertGreater(memory, 1)

    @unittest.skipUnless(importlib.util.find_spec("transformers"),
                         "transformers is not installed")
    def test_swap_encoding(self):
        import locant
        import torch
        threads = torch.get_num_threads()
        try:
            found = run("swap_encoding", 60, ("none", "rope+t5"))
        finally:
            torch.set_num_threads(threads)
            locant.set_threads(0)
        for spec, (before, after, longer, learned) in found.items():
            self.assertLess(abs(before - math.log(16)), 0.1, spec)
            self.assertLess(after, before - 0.2, spec)
            self.assertEqual(learned, 128 if "t5" in spec else 0)
        # Places are what the task is about.
        self.assertLess(found["rope+t5"][1], found["none"][1] / 4)

    def of_a_readme(self, folder, heads):
        """The Python of README.md there runs, and has a T5 gradient."""
        with open(os.path.join(folder, "README.md"), encoding="utf-8") as f:
            code = f.read().split("```python\n")[1].split("```")[0]
        names = {}
        with redirect_stdout(StringIO()):
            exec(code, names)  # text of our own
        self.assertEqual(names["grads"].params["table"].shape, (32, heads))
        self.assertTrue(names["grads"].params["table"].any())

    def test_of_the_readmes(self):
        folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        self.of_a_readme(folder, 8)
        self.of_a_readme(os.path.dirname(folder), 4)
