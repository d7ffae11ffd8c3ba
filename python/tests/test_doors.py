"""table, rotate, bias, angles, similarity against their formulas.

float32 results are rounded once from angles exact to float32: 2^-24 of a value
up to 1, twice where two products meet.
"""
import unittest

import formulas
import locant
import numpy as np

ULP = 2.0 ** -24


class Doors(unittest.TestCase):
    def setUp(self):
        self.r = np.random.default_rng(1)

    def test_table(self):
        P = locant.table("sinusoidal", 50, 8)
        self.assertEqual((P.dtype, P.shape), (np.float32, (50, 8)))
        np.testing.assert_allclose(P, formulas.sinusoidal(50, 8), rtol=0,
                                   atol=ULP)
        np.testing.assert_array_equal(
            locant.table("sinusoidal", 0, 8, positions=[3, 49]), P[[3, 49]])
        given = self.r.standard_normal((50, 8))
        np.testing.assert_array_equal(
            locant.table("learned", 50, 8, params={"table": given},
                         dtype=np.float64), given)

    def test_rotate(self):
        x = self.r.standard_normal((2, 3, 7, 10))
        for pairing in (False, True):
            spec = f"rope(pairing={'interleaved' if pairing else 'half'})"
            wanted = formulas.rope(x, np.arange(100, 107), interleaved=pairing)
            found = locant.rotate(x, spec, offset=100)
            # in double throughout
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
            np.testing.assert_array_equal(
                locant.rotate(x, spec, np.arange(100, 107)), found)
        back = locant.rotate(found, spec, offset=100, inverse=True)
        np.testing.assert_allclose(back, x, rtol=0, atol=1e-14)

    def test_rotate_rows_that_are_not_alike(self):
        x = self.r.standard_normal((2, 3, 7, 10)).astype(np.float32)
        spec = "rope(scaling=dynamic(factor=2,original=8))"
        at = np.array([[0, 1, 2, 0, 1, 2, 3], range(100, 107)])
        limits = np.array([[3] * 3 + [4] * 4, [107] * 7])
        for call in (locant.rotate,
                     lambda *a, **k: locant.rotate_backward(*a, **k)[0]):
            found = call(x, spec, at, limits=limits)
            for row, part in ((0, slice(3)), (0, slice(3, 7)),
                              (1, slice(7))):
                np.testing.assert_array_equal(
                    found[row][:, part],
                    call(x[row][:, part], spec, at[row, part]))
            alike = call(x, spec, limits=[7, 100])
            np.testing.assert_array_equal(alike[0], call(x[0], spec))
            self.assertTrue((alike[1] != call(x[1], spec)).any())
            whole = call(x, spec.replace("8)", "8,length=call)"), at)
            np.testing.assert_array_equal(whole[1], found[1])
            self.assertTrue((whole[0] != found[0]).any())
        with self.assertRaisesRegex(locant.Error, "limit of token 0 of row 1 "
                                    "is 0, expected at least 1"):
            locant.rotate(x, spec, limits=[7, 0])

    def test_rope_mixed_is_comrope_in_the_basis_of_its_planes(self):
        # Scores of exp((p . m) A) as a product of matrices, in double.
        skew = 0.5 * np.sin(np.arange(1, 17)).reshape(4, 4)
        turns, planes = np.linalg.eigh(1j * (skew - skew.T))
        planes, turns = planes[:, turns > 0] * 2**.5, turns[turns > 0]
        basis = np.stack([planes.real, planes.imag], 2).reshape(4, 4)
        rates = np.array([1, -0.7])  # of rows and columns
        params = {"x": turns[None] * rates[1], "y": turns[None] * rates[0]}
        q, k = np.sin(0.4 + 0.3 * np.arange(4)), np.cos(0.2 - 0.4 * np.arange(4))

        def rotated(x, at):
            return locant.rotate((basis.T @ x)[None, None], "rope-mixed",
                                 np.array([at]), params=params)[0, 0]
        score = rotated(q, [.25, .75]) @ rotated(k, [.5, .125])
        self.assertLess(abs(score - 2.1053424660), 1e-10)

    def test_rotate_in_place_and_into_strides(self):
        x = self.r.standard_normal((2, 7, 4, 8)).astype(np.float32)
        heads = x.transpose(0, 2, 1, 3)
        wanted = locant.rotate(heads.copy(), "rope")
        self.assertIs(locant.rotate(heads, "rope", out=heads), heads)
        np.testing.assert_array_equal(x.transpose(0, 2, 1, 3), wanted)

    def test_rotate_exact_far_away(self):
        # Pair 0 turns by the position itself; 355/113 is pi to 3e-7, so
        # cos(355 n) is near a peak and tells angles apart.
        x = np.zeros((1, 2), np.float32)
        x[0, 0] = 1
        found = locant.rotate(x, "rope", offset=2 ** 30)
        # cos, sin of 2^30 rad by the C library in double: within an ulp
        np.testing.assert_allclose(found[0], [np.cos(2.0 ** 30),
                                              np.sin(2.0 ** 30)],
                                   rtol=0, atol=ULP)

    def test_pope_widens_rows(self):
        x = self.r.standard_normal((1, 2, 3, 4)).astype(np.float32)
        e = locant.Encoding("pope")
        params = e.init(0, heads=2, head_dim=4)
        self.assertEqual(locant.rotate(x, e, params=params).shape,
                         (1, 2, 3, 8))

    def test_bias(self):
        q, k = np.arange(5, 10), np.arange(12)
        found = locant.bias("alibi", 4, 5, 12, offset=5, dtype=np.float64)
        np.testing.assert_array_equal(found, formulas.alibi(4, q, k))
        table = self.r.standard_normal((32, 2))
        bucket = formulas.t5_bucket(q[:, None] - k)
        np.testing.assert_array_equal(
            locant.bias("t5", 2, 5, 12, 5, {"table": table},
                        dtype=np.float64), table[bucket].transpose(2, 0, 1))
        np.testing.assert_array_equal(
            locant.bias("alibi", 4, 0, 0, q_positions=q, k_positions=k,
                        dtype=np.float64), found)

    def test_angles(self):
        at = np.array([0, 1, 1000, 2 ** 31 - 1])
        found = locant.angles(at, 6, base=100.0)
        f = 100.0 ** (-2 * np.arange(3) / 6)
        # In double f is off by 2^-53 of itself, the angle by 2^-53 * 2^31.
        np.testing.assert_allclose(found[..., 0], np.cos(at[:, None] * f),
                                   rtol=0, atol=1e-6)
        np.testing.assert_array_equal(found[0], [[1, 0]] * 3)
        loose = locant.angles(at, 6, 100.0, "hf")
        self.assertGreater(abs(loose - found).max(), 1e-3)
        with self.assertRaisesRegex(locant.Error, "expected exact, hf, ggml"):
            locant.angles(at, 6, mode="fast")

    def test_similarity(self):
        P = formulas.sinusoidal(9, 6)
        size = np.sqrt((P * P).sum(1))
        np.testing.assert_allclose(locant.similarity("sinusoidal", 9, 6),
                                   P @ P.T / size[:, None] / size, rtol=0,
                                   atol=4 * ULP)
        ones = formulas.rope(np.ones((9, 6)), np.arange(9))
        np.testing.assert_allclose(locant.similarity("rope", 9, 6),
                                   ones @ ones.T / 6, rtol=0, atol=4 * ULP)

    def test_the_wrong_door_is_refused(self):
        for call in (lambda: locant.table("rope", 3, 4),
                     lambda: locant.rotate(np.ones((3, 4)), "alibi"),
                     lambda: locant.bias("rope", 1, 2, 2),
                     lambda: locant.similarity("alibi", 3, 4)):
            with self.assertRaises(locant.Error) as caught:
                call()
            self.assertEqual(caught.exception.status,
                             locant.Status.ERR_UNSUPPORTED)
