"""Errors of float32 attention against float64's, with every encoding that
turns rows or adds to scores, beside those of plain float32 loops.

float64 attention is judged elsewhere by oracles.  At most twice the error of
plain loops, and 1e-7, for where these happen to hit: the rule by which
FlashAttention's own tests judge.  The sum of n float32 products in order errs
by about n^0.5 2^-24 of their size: 1e-6 for the sizes here, at scores of
deviation 1.
"""
import unittest

import locant
import numpy as np
from test_bits import SPECS

# theirs are no such loops
SPECS = {**SPECS, "graph": "", "pope": "", "scale-invariant": ""}
SHAPES = ((1, 1), (1, 72), (7, 72), (33, 33), (72, 72))  # T, S
H, D = 4, 16


def plain(q, k, v, bias, visible):
    """One float32 sum after another, one addend at a time."""
    s = np.cumsum(q[..., :, None, :] * k[..., None, :, :], axis=-1,
                  dtype=np.float32)[..., -1]
    s = s * np.float32(D ** -0.5) + bias
    s = np.where(visible, s, np.float32(-np.inf))
    p = np.exp(s - s.max(axis=-1, keepdims=True))
    out = np.cumsum(p[..., None] * v[..., None, :, :], axis=-2,
                    dtype=np.float32)[..., -1, :]
    return out / np.cumsum(p, axis=-1, dtype=np.float32)[..., -1:]


def error(got, want):
    return np.linalg.norm(got.astype(np.float64) - want) / np.linalg.norm(want)


class Accuracy(unittest.TestCase):
    def judged(self, spec, doors, T, S, causal):
        rng = np.random.default_rng(T + S)
        q, k, v = (rng.standard_normal((1, H, n, D)).astype(np.float32)
                   for n in (T, S, S))
        at = np.arange(S)
        e = locant.Encoding(spec).resolve(72)
        params = e.init(1, heads=H, kv_heads=H, head_dim=D, width=H * D)
        e.project(params)
        given = {"q_positions": at[S - T:], "k_positions": at}
        want = locant.attention(
            *(a.astype(np.float64) for a in (q, k, v)), e, causal,
            {n: p.astype(np.float64) for n, p in params.items()} or None,
            **given)
        got = locant.attention(q, k, v, e, causal, params or None, **given)
        bias = np.float32(0)
        if "score" in doors:
            bias = locant.bias(e, H, T, S, params=params or None, **given)
        if "rotate" in doors:
            q, k = (locant.rotate(x, e, p, key=key, params=params or None)
                    for x, p, key in ((q, at[S - T:], False), (k, at, True)))
        visible = (at[S - T:, None] >= at) | (not causal)
        loops = error(plain(q, k, v, bias, visible), want)
        self.assertLess(loops, 1e-5)  # they compute the same
        self.assertLessEqual(error(got, want), 2 * loops + 1e-7)
        self.assertLessEqual(error(got, want), 1e-6)

    def test_every_encoding_of_scores_and_rows(self):
        tried = 0
        for name, row in locant.encodings().items():
            spec = SPECS.get(name, name)
            if spec and (name == "none" or {"score", "rotate"} & {*row.doors}):
                tried += 1
                for T, S in SHAPES:
                    for causal in (False, True):
                        with self.subTest(spec=spec, T=T, S=S, causal=causal):
                            self.judged(spec, row.doors, T, S, causal)
        self.assertGreater(tried, 15)


if __name__ == "__main__":
    unittest.main()
