"""The Python beside the rows of the tutorials runs, one piece for each row."""
import os
import re
import unittest
from contextlib import redirect_stdout
from io import StringIO

TUTORIALS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__)))), "tutorials")
LONGEST = 14  # lines of one row; "a few lines"


def pieces(document):
    """The imports of tutorials/sN/rows.py, and [(row, code)]."""
    path = os.path.join(TUTORIALS, f"s{document}", "rows.py")
    with open(path, encoding="utf-8") as f:
        parts = re.split(r"^# (S\d\.\d+): ", f.read(), flags=re.M)
    return parts[0], list(zip(parts[1::2], parts[2::2]))


def rows():
    """The rows of tutorials/rows.def, in order."""
    with open(os.path.join(TUTORIALS, "rows.def"), encoding="utf-8") as f:
        found = re.findall(r"^ROW\((\d), (\d+),", f.read(), flags=re.M)
    return [f"S{document}.{number}" for document, number in found]


def homework(language):
    """[(code, answer)] of docs/guide/learn; the code has a blank, ____."""
    with open(os.path.join(os.path.dirname(TUTORIALS), "docs", "guide", "learn",
                           f"README{language}.md"), encoding="utf-8") as f:
        text = f.read()
    return re.findall(r"```python\n([^`]*____[^`]*)```.*?`____` = `([^`]+)`",
                      text, flags=re.S)


class Learn(unittest.TestCase):
    def test_answers_fill_the_blanks(self):
        for n, (code, answer) in enumerate(homework("")):
            with self.subTest(n + 1):
                code = "import numpy as np\nimport locant\n" + code
                exec(code.replace("____", answer), {})
                for wrong in ("None", "0"):
                    with self.assertRaises(Exception):
                        exec(code.replace("____", wrong), {})

    def test_both_languages_have_the_same_homework(self):
        self.assertEqual(len(homework("")), 8)
        self.assertEqual(homework(""), homework(".zh"))


class Tutorials(unittest.TestCase):
    def test_every_row_has_a_piece(self):
        self.assertEqual([row for n in range(5) for row, _ in pieces(n)[1]],
                         rows())

    def test_pieces_are_short_and_check_something(self):
        for n in range(5):
            for row, code in pieces(n)[1]:
                with self.subTest(row):
                    self.assertLessEqual(code.strip().count("\n"), LONGEST)
                    self.assertRegex(code, r"(?m)^ *assert ")
                    self.assertIn("locant.", code)

    def test_pieces_run(self):
        for n in range(5):
            imports, codes = pieces(n)
            for row, code in codes:
                with self.subTest(row), redirect_stdout(StringIO()):
                    exec(compile(imports + "# " + code, row, "exec"), {})
