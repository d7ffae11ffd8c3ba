"""A wrong argument is a locant.Error that names it, never another exception."""
import unittest

import locant
import numpy as np

PARAM, SHAPE = locant.Status.ERR_PARAM, locant.Status.ERR_SHAPE
NOMEM, DTYPE = locant.Status.ERR_NOMEM, locant.Status.ERR_DTYPE
x = np.ones((1, 2, 8, 16), np.float32)
T5 = locant.Encoding("t5")


class Refusals(unittest.TestCase):
    def test_sentences(self):
        for status, sentence, call in (
                (PARAM, "dim is 7, expected an even number",
                 lambda: locant.angles([1, 2], 7)),
                (PARAM, "dim is 8.0, expected a whole number",
                 lambda: locant.angles([1, 2], 8.0)),
                (PARAM, "base is 'x', expected a number",
                 lambda: locant.angles([1, 2], 8, base="x")),
                (PARAM, "positions is a list that makes no array",
                 lambda: locant.angles([1, [2, 3]], 8)),
                (PARAM, "positions is a list that makes no array",
                 lambda: locant.angles([2**70], 8)),
                (PARAM, "length is 4.5, expected a whole number",
                 lambda: locant.table("sinusoidal", 4.5, 8)),
                (PARAM, "length is -4, expected at least 0",
                 lambda: locant.table("sinusoidal", -4, 8)),
                (PARAM, "dim is 8.5, expected a whole number",
                 lambda: locant.table("sinusoidal", 4, 8.5)),
                (NOMEM, "no memory for 4611686018427387904 positions",
                 lambda: locant.table("sinusoidal", 2**62, 8)),
                (NOMEM, "no memory for out, float32 .9, 2305843009213693952.",
                 lambda: locant.table("sinusoidal", 9, 2**61)),
                (DTYPE, "dtype is 'banana'",
                 lambda: locant.table("sinusoidal", 4, 8, dtype="banana")),
                (PARAM, "params is a int, expected values by name",
                 lambda: locant.table("learned", 4, 8, params=5)),
                (PARAM, "isa is 5, expected a string",
                 lambda: locant.set_isa(5)),
                (PARAM, "threads is 1.5, expected a whole number",
                 lambda: locant.set_threads(1.5)),
                (PARAM, "threads is 1099511627776, expected at most",
                 lambda: locant.set_threads(2**40)),
                (PARAM, "offset is 1.5, expected a whole number",
                 lambda: locant.rotate(x, "rope", offset=1.5)),
                (PARAM, "heads is 2.5, expected a whole number",
                 lambda: locant.bias("alibi", 2.5, 8, 8)),
                (PARAM, "keys is 8.5, expected a whole number",
                 lambda: locant.bias("alibi", 2, 8, 8.5)),
                (PARAM, "dim is 8.5, expected a whole number",
                 lambda: locant.similarity("rope", 8, 8.5)),
                (PARAM, "window is 'a', expected a whole number",
                 lambda: locant.attention(x, x, x, window="a")),
                (PARAM, "scale is 'a', expected a number",
                 lambda: locant.attention(x, x, x, scale="a")),
                (PARAM, "softcap is None, expected a number",
                 lambda: locant.attention(x, x, x, softcap=None)),
                (PARAM, "spec is 5, expected a string",
                 lambda: locant.Encoding(5)),
                (PARAM, "layer is 'a', expected a whole number",
                 lambda: T5.layer("a")),
                (PARAM, "length is 4.5, expected a whole number",
                 lambda: T5.resolve(4.5)),
                (PARAM, "head_dim is 4.5, expected a whole number",
                 lambda: T5.rotated_width(4.5)),
                (PARAM, "batch is -2, expected at least 0",
                 lambda: T5.ids(-2, 3)),
                (PARAM, "seed is 'a', expected a whole number",
                 lambda: T5.init("a", heads=8)),
                (PARAM, "heads is 8.5, expected a whole number",
                 lambda: T5.init(heads=8.5)),
                (PARAM, "params is a int", lambda: T5.project(5)),
                (PARAM, r"params\['table'\] is a int",
                 lambda: T5.project({"table": 5}))):
            with self.subTest(sentence):
                with self.assertRaisesRegex(locant.Error, sentence) as caught:
                    call()
                self.assertEqual(caught.exception.status, status)

    def test_numbers_of_numpy(self):
        np.testing.assert_array_equal(
            locant.table("sinusoidal", np.int32(4), np.uint8(8)),
            locant.table("sinusoidal", 4, 8))
        np.testing.assert_array_equal(
            locant.attention(x, x, x, scale=np.float32(0.5),
                             window=np.int64(3)),
            locant.attention(x, x, x, scale=0.5, window=3))


class Names(unittest.TestCase):
    def test_what_a_star_imports(self):
        for module in (locant, locant.plot):
            for name in module.__all__:
                self.assertTrue(hasattr(module, name), name)
        self.assertLessEqual({"hf", "plot", "torch", "rotate"},
                             set(dir(locant)))
        self.assertNotIn("np", locant.plot.__all__)
