"""locant.frequencies() against rotate(): errors as in tests/test_frequencies.c."""
import unittest

import locant
import numpy as np


class Frequencies(unittest.TestCase):
    def test_rotates_as_rotate_does(self):
        r = np.random.default_rng(1)
        x, at = r.random((5, 24)), r.random((5, 3)) * 50
        for spec, axes in (("rope", 1), ("rope(dim=10,side=trailing)", 1),
                           ("alibi+rope(scaling=yarn(factor=4,original=64))",
                            1), ("axes(widths=4:8:12,pairing=blocks)", 3)):
            f = locant.frequencies(spec, 24)
            self.assertEqual(f.frequencies.shape[0], axes)
            want, (a, b) = x.copy(), f.channels.T
            turn = at[:, :axes] @ f.frequencies
            c, s = f.magnitude * np.cos(turn), f.magnitude * np.sin(turn)
            want[:, a] = x[:, a] * c - x[:, b] * s
            want[:, b] = x[:, a] * s + x[:, b] * c
            got = locant.rotate(x, spec, positions=at[:, :axes].copy())
            np.testing.assert_allclose(got, want, atol=1e-12, err_msg=spec)

    def test_others(self):
        self.assertEqual(locant.frequencies("alibi", 24).channels.shape,
                         (0, 2))
        dynamic = "rope(scaling=dynamic(factor=2,original=64))"
        self.assertTrue(locant.frequencies(dynamic, 24).by_length)
        with self.assertRaisesRegex(locant.Error, "no plain rotation"):
            locant.frequencies("pope", 24)
