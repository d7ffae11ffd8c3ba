"""src/families/classes.def says what the classes of transformers assume."""
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
ROW = re.compile(r'CLASS\("([^"]+)", ([^,]+), [^,]+, (\d+), (\d+), ([^,]+),')
# Types whose class came with remote code, or is not in transformers 5.
OUTSIDE = {"deepseek", "kimi_k2"}


def rows():
    path = os.path.join(ROOT, "src", "families", "classes.def")
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"\s+", " ", f.read())
    return [(m[1], float(m[2]), int(m[3]), int(m[4]), float(m[5]))
            for m in ROW.finditer(text)]


def settings(found):
    """The RoPE settings of full layers."""
    parameters = found.get("rope_parameters") or {}
    full = parameters.get("full_attention")
    return full if isinstance(full, dict) else parameters


class Classes(unittest.TestCase):
    def setUp(self):
        try:
            from transformers import CONFIG_MAPPING, __version__
        except ImportError:
            self.skipTest("transformers is missing")
        if int(__version__.split(".")[0]) < 5:
            self.skipTest("transformers is older than 5")
        self.mapping = CONFIG_MAPPING

    def check(self, name, base, length, head_dim, partial):
        found = self.mapping[name]().to_dict()
        rope = settings(found)
        if rope and base > 0:
            self.assertEqual(rope["rope_theta"], base)
            self.assertEqual(rope.get("partial_rotary_factor") or 1, partial)
        if "max_position_embeddings" in found:
            self.assertEqual(found["max_position_embeddings"] or 0, length)
        if head_dim:
            self.assertEqual(found["head_dim"], head_dim)

    def test_rows_are_those_of_the_classes(self):
        self.assertGreater(len(rows()), 100)
        for row in rows():
            if row[0] in self.mapping:
                with self.subTest(row[0]):
                    self.check(*row)
            else:
                self.assertIn(row[0], OUTSIDE)

    def test_rows_stand_in_order(self):
        names = [row[0] for row in rows()]
        self.assertEqual(names, sorted(names))


if __name__ == "__main__":
    unittest.main()
