"""Gradients of table, rotate and bias: adjoints, counts, and differences."""
import unittest

import formulas
import locant
import numpy as np

STEP = 1e-6  # of central differences in double, whose error is below 1e-8


def difference(f, x):
    """Gradient of a number f() with respect to the array x it reads."""
    found = np.empty_like(x)
    for i in np.ndindex(x.shape):
        before, ends = x[i], []
        for sign in (1, -1):
            x[i] = before + sign * STEP
            ends.append(f())
        x[i] = before
        found[i] = (ends[0] - ends[1]) / (2 * STEP)
    return found


class Gradients(unittest.TestCase):
    def setUp(self):
        self.r = np.random.default_rng(3)

    def test_of_a_table(self):
        e = locant.Encoding("learned(length=9)")
        params, at = e.init(1, width=6), np.array([3, 1, 1, 8])
        dout = self.r.standard_normal((4, 6)).astype(np.float32)
        wanted = np.zeros((9, 6))
        np.add.at(wanted, at, dout)
        found = locant.table_backward(dout, e, positions=at, params=params)
        np.testing.assert_allclose(found["table"], wanted, rtol=0, atol=1e-6)
        first = locant.table_backward(dout, e, params=params)["table"]
        np.testing.assert_array_equal(first[:4], dout)
        self.assertFalse(first[4:].any())
        self.assertEqual(locant.table_backward(dout, "sinusoidal"), {})

    def test_of_a_rotation_is_its_adjoint(self):
        x, d = self.r.standard_normal((2, 2, 3, 5, 8))
        for spec in ("rope", "rope(pairing=interleaved,dim=4)", "xpos"):
            for way in ({}, {"offset": 4093}, {"key": True},
                        {"positions": np.array([7, 7, 0, 2 ** 40, 1])}):
                given = {"x": x} if spec == "xpos" else {}
                if spec == "xpos" and "positions" in way:
                    continue
                dx, params = locant.rotate_backward(d, spec, **way, **given)
                self.assertEqual(params, {})
                np.testing.assert_allclose(
                    (dx * x).sum(), (locant.rotate(x, spec, **way) * d).sum(),
                    rtol=1e-12)
        half = d.astype(np.float16)
        np.testing.assert_array_equal(
            locant.rotate_backward(half, "rope")[0],
            locant.rotate(half, "rope", inverse=True))
        np.testing.assert_array_equal(
            locant.rotate_backward(d, "rope", inverse=True)[0],
            locant.rotate(d, "rope"))

    def test_of_a_map_with_parameters(self):
        e = locant.Encoding("pope")
        x = self.r.standard_normal((1, 2, 3, 4))
        params = e.init(0, np.float64, heads=2, head_dim=4)
        params["phase"][:] = self.r.standard_normal(params["phase"].shape)
        for key in (False, True):
            d = self.r.standard_normal((1, 2, 3, 8))

            def loss():
                rotated = locant.rotate(x, e, key=key, params=params)
                return (rotated * d).sum()

            dx, found = locant.rotate_backward(d, e, key=key, x=x,
                                               params=params)
            np.testing.assert_allclose(dx, difference(loss, x), atol=1e-7)
            np.testing.assert_allclose(
                found["phase"], difference(loss, params["phase"]), atol=1e-7)

    def test_of_a_bias(self):
        q, k = np.arange(5, 10), np.arange(12)
        d = self.r.standard_normal((2, 5, 12))
        table = self.r.standard_normal((32, 2))
        found = locant.bias_backward(d, "t5", 5, {"table": table})["table"]
        bucket = formulas.t5_bucket(q[:, None] - k)
        for h in range(2):
            np.testing.assert_allclose(
                found[:, h], np.bincount(bucket.ravel(), d[h].ravel(), 32),
                rtol=0, atol=1e-12)
        np.testing.assert_array_equal(found, locant.bias_backward(
            d, "t5", params={"table": table}, q_positions=q,
            k_positions=k)["table"])
        self.assertEqual(locant.bias_backward(d, "alibi"), {})

        params = locant.Encoding("kerple").init(1, np.float64, heads=2)
        found = locant.bias_backward(d, "kerple", 5, params)
        for name, value in params.items():
            wanted = difference(lambda: (d * locant.bias(
                "kerple", 2, 5, 12, 5, params, dtype=np.float64)).sum(), value)
            np.testing.assert_allclose(found[name], wanted, atol=1e-6)

    def test_refusals(self):
        d = np.ones((2, 3, 4))
        for call, words in (
                (lambda: locant.table_backward(d, "learned(length=3)"),
                 r"dout has rank 3, expected \[N, D\]"),
                (lambda: locant.bias_backward(d[0], "alibi"),
                 r"dout has rank 2, expected \[H, T, S\]"),
                (lambda: locant.rotate_backward(d[0, 0], "rope"),
                 r"dout has rank 1, expected \[.., T, D\]"),
                (lambda: locant.rotate_backward(d, "xpos"), "x is NULL"),
                (lambda: locant.rotate_backward(
                    d, "xpos", x=d, inverse=True), "no gradient of the inverse"),
                (lambda: locant.rotate_backward(d, "alibi"), "rotate"),
                (lambda: locant.bias_backward(d, "t5"),
                 "learned parameter table"),
                (lambda: locant.bias_backward(d, "rope"), "score"),
                (lambda: locant.table_backward(
                    d[0], "learned(length=2)", positions=[0, 1, 2],
                    params={"table": np.ones((2, 4))}), "position")):
            with self.assertRaisesRegex(locant.Error, words):
                call()
