"""Paged caches and packed sequences against attention() of each sequence."""
import unittest

import locant
import numpy as np


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


class Paged(unittest.TestCase):
    def setUp(self):
        self.q = numbers(2, 4, 3, 16)
        self.k, self.v = numbers(9, 2, 5, 16, seed=1), numbers(9, 2, 5, 16, seed=2)
        self.table = np.array([[7, 2, 5], [1, 8, 0]], np.int32)
        self.lengths = [13, 4]

    def test_rows_in_order_give_the_same_bits(self):
        for spec in (None, "rope", "alibi+rope"):
            out = locant.cached_attention(self.q, self.k, self.v, self.table,
                                         self.lengths, spec)
            for b, n in enumerate(self.lengths):
                k, v = (np.concatenate(list(x[self.table[b]]), axis=1)[None, :, :n]
                        for x in (self.k, self.v))
                alone = locant.attention(self.q[b:b + 1], k, v, spec, True)
                np.testing.assert_array_equal(out[b:b + 1], alone)

    def test_pool_by_token(self):
        k, v = (np.ascontiguousarray(x.transpose(0, 2, 1, 3))
                .transpose(0, 2, 1, 3) for x in (self.k, self.v))
        rest = self.table, self.lengths, "rope"
        np.testing.assert_array_equal(
            locant.cached_attention(self.q, k, v, *rest),
            locant.cached_attention(self.q, self.k, self.v, *rest))

    def test_a_wrong_block_is_named(self):
        self.table[1, 0] = 9
        with self.assertRaisesRegex(locant.Error, "block 0 of sequence 1 is 9, "
                                    "expected 0 to 8"):
            locant.cached_attention(self.q, self.k, self.v, self.table,
                                   self.lengths)


class Quantised(unittest.TestCase):
    def test_attention_is_that_of_the_floats(self):
        q, k, v = numbers(2, 4, 3, 32), numbers(2, 2, 20, 32), numbers(2, 2, 20, 32)
        for quant in ("int8", "q8_0", "e4m3", "e5m2"):
            rows = [locant.quantize(x, quant) for x in (k, v)]
            floats = [locant.dequantize(x, 32, quant) for x in rows]
            self.assertLess(np.abs(floats[0] - k).max(), 0.4)
            np.testing.assert_array_equal(
                locant.cached_attention(q, *rows, encoding="rope", quant=quant),
                locant.attention(q, *floats, "rope", True))

    def test_rotation_moves_keys(self):
        k, at = numbers(2, 6, 32), np.arange(6)
        rope = locant.Encoding("rope")
        rows = locant.quantize(k, "q8_0")
        locant.quant_rerotate(rows, 32, "q8_0", rope, at, rope, at + 100)
        moved = locant.dequantize(rows, 32, "q8_0")
        want = locant.rotate(k[None], "rope", np.full(6, 100), key=True)[0]
        # two errors of a / 127, with a below 5
        self.assertLess(np.abs(moved - want).max(), 2 * 5 / 127)

    def test_wrong_kinds_are_named(self):
        with self.assertRaisesRegex(locant.Error, "quant is 'q4'"):
            locant.quantize(numbers(2, 32), "q4")


class Options(unittest.TestCase):
    """What attention() takes besides, on a cache."""

    def test_a_paged_cache_has_the_bits_of_one_piece(self):
        q, x = numbers(2, 4, 3, 16), numbers(2, 12, 64)
        k, v = numbers(2, 2, 12, 16), numbers(2, 2, 12, 6)
        pools = [np.stack([a[b, :, 4 * n:4 * n + 4] for b in range(2)
                           for n in range(3)]) for a in (k, v)]
        table = [[0, 1, 2], [3, 4, 5]]
        params = locant.Encoding("fox").init(1, heads=4, width=64)
        options = dict(
            x=x, bias=numbers(1, 4, 1, 12), sinks=numbers(4),
            mask=np.arange(12) % 5 != 1, key_mask=np.arange(12) != 2)
        got = locant.cached_attention(q, *pools, table, [12, 12], "fox", True,
                                      params, True, **options)
        want = locant.attention(q, k, v, "fox", True, params, True, **options)
        self.assertEqual(got[0].shape, (2, 4, 3, 6))
        for a, b in zip(got, want):
            np.testing.assert_array_equal(a, b)

    def test_latent_rows_in_blocks(self):
        q, k = numbers(1, 4, 1, 16), numbers(3, 1, 4, 16)
        out = locant.cached_attention(q, k, 12, [[2, 0]], [7], scale=0.1)
        rows = np.concatenate(k[[2, 0]], 1)[None, :, :7]
        np.testing.assert_array_equal(
            out, locant.attention(q, rows, 12, causal=True, scale=0.1))


class Append(unittest.TestCase):
    def test_appended_tokens_are_attended_to(self):
        k, v = numbers(2, 2, 9, 16, seed=1), numbers(2, 2, 9, 16, seed=2)
        q = numbers(2, 4, 1, 16)
        cache = [np.zeros((8, 2, 4, 16), np.float32) for _ in range(2)]
        table = np.array([[6, 1, 3], [0, 7, 2]])
        for t in range(9):
            new = [np.ascontiguousarray(x[:, :, t:t + 1]) for x in (k, v)]
            locant.cache_append(*cache, *new, [t, t], None, table, "rope")
        out = locant.cached_attention(q, *cache, table, [9, 9], "rope",
                                      keys_rotated=True)
        want = locant.attention(q, k, v, "rope", True)
        self.assertLess(np.abs(out - want).max(), 1e-5)

    def test_two_tokens_for_one_row(self):
        x = numbers(2, 2, 1, 16)
        cache = [np.zeros((8, 2, 4, 16), np.float32) for _ in range(2)]
        with self.assertRaisesRegex(locant.Error, "two new tokens go to row 0 "
                                    "of block 5"):
            locant.cache_append(*cache, x, x, [0, 0], None, [[5], [5]])


class Ragged(unittest.TestCase):
    def test_single_calls_give_the_same_bits(self):
        q, k, v = numbers(4, 20, 16), numbers(2, 31, 16), numbers(2, 31, 16)
        cu_q, cu_k = [0, 3, 3, 20], np.array([0, 8, 12, 31], np.int32)
        out = locant.ragged_attention(q, k, v, cu_q, cu_k, "rope", True)
        for s in range(3):
            i, j = slice(*cu_q[s:s + 2]), slice(*cu_k[s:s + 2])
            alone = locant.attention(q[None, :, i], k[None, :, j],
                                     v[None, :, j], "rope", True)
            np.testing.assert_array_equal(out[None, :, i], alone)

    def test_gradients_are_those_of_single_calls(self):
        q, k = numbers(4, 20, 16), numbers(2, 31, 16)
        v, dout = numbers(2, 31, 5), numbers(4, 20, 5)
        x, b = numbers(1, 31, 64), numbers(1, 4, 1, 31)
        cu_q, cu_k = [0, 3, 3, 20], [0, 8, 12, 31]
        params = locant.Encoding("fox").init(1, heads=4, width=64)
        rest = cu_q, cu_k, "fox", True, params
        out, lse = locant.ragged_attention(q, k, v, *rest, True, x=x, bias=b)
        g = locant.ragged_attention_backward(dout, q, k, v, out, lse, *rest,
                                             x=x, bias=b)
        sums = {name: np.zeros_like(a) for name, a in params.items()}
        for s in range(3):
            i, j = slice(*cu_q[s:s + 2]), slice(*cu_k[s:s + 2])
            own = q[None, :, i], k[None, :, j], v[None, :, j]
            options = dict(x=x[:, j], bias=b[..., j])
            one, ends = locant.attention(*own, "fox", True, params, True,
                                         **options)
            np.testing.assert_array_equal(out[None, :, i], one)
            np.testing.assert_array_equal(lse[None, :, i], ends)
            want = locant.attention_backward(dout[None, :, i], *own, one, ends,
                                             "fox", True, params, **options)
            for got, wanted in ((g.q[:, i], want.q), (g.k[:, j], want.k),
                                (g.v[:, j], want.v), (g.x[0, j], want.x),
                                (g.bias[..., j], want.bias)):
                np.testing.assert_array_equal(got.squeeze(), wanted.squeeze())
            for name, a in want.params.items():
                sums[name] += a
        for name, a in sums.items():  # one rounding for each sequence
            np.testing.assert_allclose(g.params[name], a, rtol=1e-6, atol=1e-6)

    def test_packed_queries_read_blocks(self):
        q, k, v = numbers(4, 3, 16), numbers(4, 2, 8, 16), numbers(4, 2, 8, 6)
        blocks = dict(block_table=[[3, 0], [1, 2]], lengths=[13, 4])
        out = locant.ragged_attention(q, k, v, [0, 2, 3], None, "rope", True,
                                      **blocks)
        for s, (i, n) in enumerate(((slice(0, 2), 13), (slice(2, 3), 4))):
            rows = [np.concatenate(x[blocks["block_table"][s]], 1)[None, :, :n]
                    for x in (k, v)]
            alone = locant.attention(q[None, :, i], *rows, "rope", True)
            np.testing.assert_array_equal(out[None, :, i], alone)

    def test_unknown_options_are_named(self):
        q = numbers(4, 20, 16)
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument "
                                    "'windows'"):
            locant.ragged_attention(q, q, q, [0, 20], [0, 20], windows=3)

    def test_lengths_must_add_up(self):
        q = numbers(4, 20, 16)
        with self.assertRaisesRegex(locant.Error, "the last entry of cu_k is "
                                    "19, expected the number of tokens, 20"):
            locant.ragged_attention(q, q, q, [0, 20], [0, 19])


if __name__ == "__main__":
    unittest.main()
