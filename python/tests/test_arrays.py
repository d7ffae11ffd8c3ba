"""Arrays used in place, arrays that are errors, and copy=True."""
import array
import ctypes
import unittest

import formulas
import locant
import numpy as np
from locant._arrays import consecutive_view, view
from locant._c import Tensor

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None


class Views(unittest.TestCase):
    def test_see_the_array_itself(self):
        x = np.zeros((3, 4, 5), np.float32)
        for y in (x, x[::-1], x[:, 1:3], x.transpose(1, 0, 2), x[..., 2:],
                  np.broadcast_to(x[:1], (6, 4, 5))):
            t = view(y, "y")
            self.assertEqual(t.data, y.__array_interface__["data"][0])
            self.assertEqual(tuple(t.shape[:t.rank]), y.shape)
            self.assertEqual([s * 4 for s in t.stride[:t.rank]],
                             list(y.strides))
        x.flags.writeable = False
        self.assertEqual(view(x, "x").data, x.__array_interface__["data"][0])

    def test_take_what_shares_memory(self):
        x = np.random.default_rng(0).standard_normal((3, 4))
        wanted = locant.rotate(x, "rope")
        for other in (memoryview(x), x.view(np.matrix), np.ma.array(x).data):
            np.testing.assert_array_equal(locant.rotate(other, "rope"), wanted)

    def test_read_only_and_negative_strides(self):
        x = np.random.default_rng(0).standard_normal((5, 4))[::-1]
        wanted = locant.rotate(x.copy(), "rope")
        x.flags.writeable = False
        np.testing.assert_array_equal(locant.rotate(x, "rope"), wanted)
        wide = np.broadcast_to(x[0], (3, 4))
        np.testing.assert_array_equal(locant.rotate(wide, "rope"),
                                      locant.rotate(wide.copy(), "rope"))

    def test_empty(self):
        self.assertEqual(locant.rotate(np.ones((0, 4)), "rope").shape, (0, 4))


class Copies(unittest.TestCase):
    def setUp(self):
        self.x = np.random.default_rng(0).standard_normal((3, 8))

    def refused(self, status, x, **options):
        """Refused as it is, and taken with copy=True."""
        with self.assertRaises(locant.Error) as caught:
            locant.rotate(x, "rope", **options)
        self.assertEqual(caught.exception.status, status)
        return locant.rotate(x, "rope", copy=True, **options)

    def test_refused_unless_asked_for(self):
        S = locant.Status
        wanted = locant.rotate(self.x, "rope")
        big = self.x.astype(">f8")
        np.testing.assert_array_equal(self.refused(S.ERR_DTYPE, big), wanted)
        fortran = np.asfortranarray(self.x)
        np.testing.assert_array_equal(self.refused(S.ERR_LAYOUT, fortran),
                                      wanted)
        packed = np.zeros(3, [("a", "i1"), ("x", "f8", 8)])["x"]
        packed[:] = self.x
        np.testing.assert_array_equal(self.refused(S.ERR_LAYOUT, packed),
                                      wanted)
        np.testing.assert_array_equal(
            self.refused(S.ERR_PARAM, self.x.tolist()), wanted)
        self.refused(S.ERR_DTYPE, np.ones((3, 8), np.int64))
        np.testing.assert_array_equal(
            self.refused(S.ERR_DTYPE, self.x,
                         positions=np.arange(3, dtype=np.int32)), wanted)

    def test_never_taken(self):
        for x in (np.ones((2, 2), complex), np.ones((2, 2), object),
                  np.ones((2, 2), "U3"), np.ones((2,) * 7), np.float64(3),
                  np.ones(4)):
            with self.assertRaises(locant.Error):
                locant.rotate(x, "rope", copy=True)

    def test_outputs(self):
        for out in (np.empty((3, 7)), np.empty((3, 8), np.float32), [1]):
            with self.assertRaisesRegex(locant.Error, "out is"):
                locant.rotate(self.x, "rope", out=out)
        out = np.empty((3, 8))
        out.flags.writeable = False
        with self.assertRaisesRegex(locant.Error, "read-only"):
            locant.rotate(self.x, "rope", out=out)
        out = np.zeros((3, 16))
        with self.assertRaises(locant.Error):
            locant.rotate(self.x, "rope", out=out[:, ::2])
        self.assertFalse(out.any())

    def test_positions_as_lists(self):
        np.testing.assert_array_equal(
            locant.rotate(self.x, "rope", [5, 6, 7]),
            locant.rotate(self.x, "rope", offset=5))
        np.testing.assert_array_equal(
            locant.rotate(self.x, "rope", range(5, 8)),
            locant.rotate(self.x, "rope", offset=5))
        with self.assertRaisesRegex(locant.Error, "64 bits"):
            locant.rotate(self.x, "rope", offset=2 ** 63 - 1)


class Halves(unittest.TestCase):
    def test_counted_positions(self):
        far = 2 ** 63 - 4096
        for first in (0, 1, 4095, 4096, 2 ** 40 + 4095, 2 ** 62 - 1, 2 ** 62,
                      far, -1, -4097, -2 ** 63, np.int64(17)):
            for n in (0, 1, 2, 4095, 4096):
                held, found = consecutive_view(first, n)
                seen = Tensor.from_buffer_copy(found)
                self.assertEqual((seen.dtype, seen.rank, seen.shape[0]),
                                 (5, 1, n))
                if n:
                    at = np.frombuffer(ctypes.string_at(seen.data, 8 * n),
                                       np.int64)
                    self.assertEqual(at[0], first)
                    self.assertTrue((np.diff(at) == 1).all())
        with self.assertRaisesRegex(locant.Error, "do not fit in 64 bits"):
            consecutive_view(far + 1, 4096)

    def test_float16(self):
        x = np.ones((3, 8), np.float16)
        found = locant.rotate(x, "rope", offset=9)
        self.assertEqual(found.dtype, np.float16)
        np.testing.assert_array_equal(
            found, locant.rotate(x.astype(np.float32), "rope", offset=9)
            .astype(np.float16))

    def test_uint16_needs_a_word(self):
        bits = np.full((3, 8), 0x3F80, np.uint16)  # ones
        with self.assertRaisesRegex(locant.Error, "say dtype='bfloat16'"):
            locant.rotate(bits, "rope")
        with self.assertRaisesRegex(locant.Error, "dtype is 'int8'"):
            locant.rotate(bits, "rope", dtype="int8")
        found = locant.rotate(bits, "rope", dtype="bfloat16", offset=9)
        wide = locant.rotate(np.ones((3, 8), np.float32), "rope", offset=9)
        # rounded to 8 bits
        np.testing.assert_allclose(*formulas.widened(found), wide,
                                   rtol=2.0 ** -8)

    @unittest.skipUnless(ml_dtypes, "no ml_dtypes")
    def test_ml_dtypes(self):
        x = np.random.default_rng(0).standard_normal((2, 2, 3, 8)).astype(
            ml_dtypes.bfloat16)
        found = locant.rotate(x, "rope", offset=9)
        self.assertEqual(found.dtype, x.dtype)
        np.testing.assert_array_equal(
            found.view(np.uint16), locant.rotate(
                x.view(np.uint16), "rope", offset=9, dtype="bfloat16"))
        out, lse = locant.attention(x, x, x, "rope", return_lse=True)
        g = locant.attention_backward(out, x, x, x, out, lse, "rope")
        self.assertEqual((out.dtype, lse.dtype, g.q.dtype),
                         (x.dtype, np.float32, x.dtype))

    def test_arrays_of_the_standard_library(self):
        x = array.array("d", range(8))
        found = locant.rotate(memoryview(x).cast("B").cast("d", [2, 4]),
                              "rope")
        np.testing.assert_array_equal(
            found, locant.rotate(np.arange(8.0).reshape(2, 4), "rope"))
