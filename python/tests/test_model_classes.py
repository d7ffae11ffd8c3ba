"""classes.def and families.def of src/families say what the classes of
transformers assume."""
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


def families():
    """(type, base or 0, length, head_dim, partial or 1) of families.def."""
    path = os.path.join(ROOT, "src", "families", "families.def")
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"\s+", " ", f.read())
    for block in text.split("LCT_FAMILY(")[1:]:
        name = re.search(r'\.model_type = "([^"]+)"', block)
        sizes = re.search(r"SIZES\(([^)]*)\)", block)
        if name and sizes:
            base, partial = (re.search(rf"\.{key} = ([0-9.e+]+)", block)
                             for key in ("base", "partial"))
            numbers = [int(n) for n in sizes[1].split(",")]
            if ".rope_absent" in block:
                base = None  # a whole dictionary, see test_model_plans
            yield (name[1], float(base[1]) if base else 0, numbers[5],
                   numbers[4], float(partial[1]) if partial else 1)


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
            self.assertEqual(found.get("head_dim", found.get("d_kv")),
                             head_dim)

    def test_rows_are_those_of_the_classes(self):
        self.assertGreater(len(rows()), 50)
        for row in rows():
            if row[0] in self.mapping:
                with self.subTest(row[0]):
                    self.check(*row)
            else:
                self.assertIn(row[0], OUTSIDE)

    def test_families_are_those_of_the_classes(self):
        judged = 0
        for row in families():
            if row[0] in self.mapping:
                with self.subTest(row[0]):
                    self.check(*row)
                    judged += 1
        self.assertGreater(judged, 70)

    def test_rows_stand_in_order(self):
        names = [row[0] for row in rows()]
        self.assertEqual(names, sorted(names))


if __name__ == "__main__":
    unittest.main()
