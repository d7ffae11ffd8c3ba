"""Attention over blocks of keys: the bits of one call, and refusals."""
import unittest

import locant
import numpy as np

KEYS, BLOCK = 2100, 1024


def make(seed, shape, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def blocks():
    """The first key, the keys, and whether they are the last."""
    for first in range(0, KEYS, BLOCK):
        yield first, slice(first, first + BLOCK), first + BLOCK >= KEYS


class Parts(unittest.TestCase):
    def setUp(self):
        self.q, self.dout = make(1, (2, 1, 4, 70, 16))
        self.k, self.v = make(2, (2, 1, 2, KEYS, 16))

    def forward(self, q, encoding, params, **given):
        state = None
        for first, of, last in blocks():
            state, out, lse = locant.attention_part(
                q, self.k[:, :, of], self.v[:, :, of], encoding, True, params,
                first=first, keys=KEYS, last=last, state=state, **given)
            self.assertEqual(out is None, not last)
        return out, lse

    def test_have_the_bits_of_one_call(self):
        sinks = make(4, 4)
        for spec in ("rope", "t5", "pope", "fire",
                     "rope(scaling=dynamic(factor=2,original=100))"):
            e = locant.Encoding(spec).resolve(KEYS)
            params = e.init(3, width=64, heads=4, kv_heads=2, head_dim=16)
            given = {"sinks": sinks, "window": 1500}
            out, lse = locant.attention(self.q, self.k, self.v, e, True,
                                        params, return_lse=True, **given)
            whole = locant.attention_backward(
                self.dout, self.q, self.k, self.v, out, lse, e, True, params,
                **given)
            got = self.forward(self.q, e, params, **given)
            np.testing.assert_array_equal(got[0], out)
            np.testing.assert_array_equal(got[1], lse)
            late = self.forward(
                self.q[:, :, 33:], e, params,
                q_positions=np.arange(KEYS - 37, KEYS), **given)
            np.testing.assert_array_equal(late[0], out[:, :, 33:])
            state, added = None, dict.fromkeys(params, 0)
            for first, of, last in blocks():
                g = locant.attention_part_backward(
                    self.dout, self.q, self.k[:, :, of], self.v[:, :, of], out,
                    lse, e, True, params, first=first, keys=KEYS, last=last,
                    state=state, **given)
                state = g.state
                np.testing.assert_array_equal(g.k, whole.k[:, :, of])
                np.testing.assert_array_equal(g.v, whole.v[:, :, of])
                added = {n: x + g.params[n] for n, x in added.items()}
            np.testing.assert_array_equal(g.q, whole.q)
            np.testing.assert_array_equal(g.sinks, whole.sinks)
            for name, x in added.items():
                np.testing.assert_allclose(
                    x, whole.params[name], rtol=0,
                    atol=1e-6 * max(1, abs(whole.params[name]).max()))

    def test_refuse_what_does_not_go(self):
        part = self.k[:, :, :BLOCK], self.v[:, :, :BLOCK]
        given = {"first": 0, "keys": KEYS, "last": False}
        with self.assertRaisesRegex(locant.Error, "stick-breaking takes keys "
                                    "from the newest to the oldest"):
            locant.attention_part(self.q, *part, "stick-breaking", True,
                                  **given)
        with self.assertRaisesRegex(locant.Error, "first is 5, expected a "
                                    "multiple of 1024"):
            locant.attention_part(self.q, *part, first=5, keys=KEYS,
                                  last=False)
        with self.assertRaisesRegex(locant.Error, "state has size 3 in "
                                    "dimension 3, expected 18"):
            locant.attention_part(self.q, *part, **given,
                                  state=np.zeros((1, 4, 70, 3), np.float32))
        with self.assertRaisesRegex(locant.Error, "q is F64"):
            locant.attention_part(self.q.astype(float),
                                  *(x.astype(float) for x in part), **given)


if __name__ == "__main__":
    unittest.main()
