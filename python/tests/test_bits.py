"""Every encoding has the same bits for every division of the work.

At 70 tokens, more than one tile of 64: for 1, 2, 3 and 7 threads, for each row
of a batch alone, for queries in pieces against all keys, and for a cache that
grows piece by piece.  The last is not asked of schedules that depend on the
length of the call.
"""
import unittest

import formulas
import locant
import numpy as np

T, B, HEADS, KV_HEADS, D, WIDTH = 70, 2, 4, 2, 16, 64

# Encodings that want a size, or another encoding beside them.
SPECS = {
    "learned2d": "learned2d(height=9,width=8)",
    "swin": "swin(height=9,width=8)", "swinv2": "swinv2(height=9,width=8)",
    "crossformer": "crossformer(height=9,width=8)",
    "beit": "beit(height=9,width=8)", "longlora": "longlora(group=32)+rope",
    "window": "window(size=20)+rope", "mrope": "mrope(sections=2:3:3)",
    "temperature": "temperature(kind=logn)+rope",
    "randomized": "randomized(length=512)+alibi", "pose": "pose(length=512)+rope",
    "learned": "learned(length=128)", "fire": "fire(length=150)",
    "fope": "fope(length=512)", "dual-chunk": "dual-chunk(chunk=40,local=8)+rope",
}
MORE = ("rope(pairing=interleaved)", "rope(scaling=yarn(factor=4,original=32))",
        "rope(scaling=dynamic(factor=4,original=32))", "rope+t5",
        "rerope(window=16)", "selfextend(group=4,window=16)",
        "streaming(sinks=4,window=30)")
APART = ("layers",)  # not of one layer
EQUAL_HEADS = ("carope", "cosine", "path", "repo", "rope-mixed",
               "selective-rope")  # as many of keys as of queries
OF_LENGTH = ("rope(scaling=dynamic(factor=4,original=32))",)


class Call:
    """One encoding with parameters that matter, in one dtype."""

    def __init__(self, spec, bfloat16):
        rng = np.random.default_rng(5)
        kv_heads = HEADS if spec in EQUAL_HEADS else KV_HEADS
        arrays = [rng.standard_normal((B, h, T, D)).astype(np.float32)
                  for h in (HEADS, kv_heads, kv_heads)]
        x = rng.standard_normal((B, T, WIDTH)).astype(np.float32)
        self.options = {}
        if bfloat16:
            *arrays, x = formulas.bfloat16_bits(*arrays, x)
            self.options = {"dtype": "bfloat16"}
        self.q, self.k, self.v = arrays
        self.e = locant.Encoding(spec).resolve(T)
        self.x = x if "reads_x" in self.e.traits else None
        self.params = self.e.init(3, heads=HEADS, kv_heads=kv_heads,
                                  head_dim=D, width=WIDTH)
        for name, p in self.params.items():
            self.params[name] = p + 0.3 * rng.standard_normal(
                p.shape).astype(p.dtype)
        self.e.project(self.params)

    def __call__(self, batch=slice(None), queries=slice(None), keys=T):
        at = np.arange(T)
        x = None if self.x is None else self.x[batch, :keys]
        return locant.attention(
            self.q[batch, :, queries], self.k[batch, :, :keys],
            self.v[batch, :, :keys], self.e, True, self.params or None,
            q_positions=at[queries], k_positions=at[:keys], x=x,
            return_lse=True, **self.options)

    def backward(self, out, lse, batch=slice(None)):
        x = None if self.x is None else self.x[batch]
        g = locant.attention_backward(
            out[batch], self.q[batch], self.k[batch], self.v[batch],
            out[batch], lse[batch], self.e, True, self.params or None, x=x,
            **self.options)
        return [g.q, g.k, g.v, *(g.params or {}).values()]


class Bits(unittest.TestCase):
    def same(self, got, want, why):
        for a, b in zip(got, want, strict=True):
            self.assertEqual(np.ascontiguousarray(a).tobytes(),
                             np.ascontiguousarray(b).tobytes(), why)

    def shared(self, call):
        out, lse = call()
        self.assertTrue(np.isfinite(lse).all())
        gradients = call.backward(out, lse)
        try:
            for n in (1, 2, 3, 7):
                locant.set_threads(n)
                self.same(call(), (out, lse), f"{n} threads")
                self.same(call.backward(out, lse), gradients,
                          f"backward, {n} threads")
        finally:
            locant.set_threads(0)
        for b in range(B):
            row = slice(b, b + 1)
            self.same(call(row), (out[row], lse[row]), f"row {b} alone")
            self.same(call.backward(out, lse, row)[:3],
                      [g[row] for g in gradients[:3]],
                      f"backward of row {b} alone")
        return out, lse

    def test_every_encoding(self):
        names = [n for n in locant.encodings() if n not in APART]
        for spec in [*(SPECS.get(n, n) for n in names), *MORE]:
            for bfloat16 in (False, True):
                with self.subTest(spec=spec, bfloat16=bfloat16):
                    call = Call(spec, bfloat16)
                    out, lse = self.shared(call)
                    for size in (1, 7, 64):
                        for grows in (False, True):
                            if grows and spec in OF_LENGTH:
                                continue
                            for at in range(0, T, size):
                                piece = slice(at, min(at + size, T))
                                self.same(
                                    call(queries=piece,
                                         keys=piece.stop if grows else T),
                                    (out[:, :, piece], lse[:, :, piece]),
                                    f"queries {at} and on by {size}, "
                                    f"{'growing cache' if grows else 'all'}")

    def test_tiles_that_the_mask_cuts_in_bfloat16(self):
        """At positions twice as far apart as many keys are hidden, but no
        tile is cut; results may differ in the sign of a zero."""
        rng = np.random.default_rng(7)
        for off in range(0, 70, 3):
            keys = T + off
            q, k, v = formulas.bfloat16_bits(*(
                rng.standard_normal((1, h, n, D)).astype(np.float32)
                for h, n in ((HEADS, T), (KV_HEADS, keys), (KV_HEADS, keys))))
            results = []
            for step in (1, 2):
                at = step * np.arange(keys)
                given = {"q_positions": at[off:], "k_positions": at,
                         "dtype": "bfloat16"}
                out, lse = locant.attention(q, k, v, "none", True,
                                            return_lse=True, **given)
                g = locant.attention_backward(out, q, k, v, out, lse, "none",
                                              True, **given)
                results.append([lse, *formulas.widened(out, g.q, g.k, g.v)])
            for a, b in zip(*results, strict=True):
                self.assertTrue(np.array_equal(a, b), f"offset {off}")


if __name__ == "__main__":
    unittest.main()
