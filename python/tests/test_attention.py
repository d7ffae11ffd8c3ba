"""Attention against the formula in double, forward and backward.

Tolerances: float32 sums keep 1e-6 (include/locant/attention.h); a gradient is
made of three such products, so 4e-6; float64 rounds 2^-53 per step, a few
hundred steps: 1e-13; float16 is rounded once, 2^-11; bfloat16 by dot products,
2^-7.
"""
import unittest

import formulas
import locant
import numpy as np

TOLERANCE = {"float32": 1e-6, "float64": 1e-13, "float16": 2.0 ** -11}


def arrays(dtype=np.float32, b=2, h=4, hkv=2, t=19, s=23, d=16, seed=0):
    r = np.random.default_rng(seed)
    return (r.standard_normal((b, h, t, d)).astype(dtype),
            r.standard_normal((b, hkv, s, d)).astype(dtype),
            r.standard_normal((b, hkv, s, d)).astype(dtype))


class Forward(unittest.TestCase):
    def close(self, found, wanted, tolerance=1e-6):
        self.assertLess(formulas.unlike(found, wanted), tolerance)

    def test_plain_in_every_dtype(self):
        for name, tolerance in TOLERANCE.items():
            q, k, v = arrays(np.dtype(name))
            out, lse = locant.attention(q, k, v, return_lse=True)
            judge = formulas.Attention(q, k, v)
            self.assertEqual(out.dtype, q.dtype)
            self.close(out, judge.out, tolerance)
            self.close(lse, judge.lse, max(tolerance, 1e-13))

    def test_bfloat16_as_bits(self):
        bits = formulas.bfloat16_bits(*arrays())
        wide = formulas.widened(*bits)
        out = locant.attention(*bits, "rope", dtype="bfloat16")
        self.assertEqual(out.dtype, np.uint16)
        at = np.arange(23)
        judge = formulas.Attention(formulas.rope(wide[0], at[4:]),
                                   formulas.rope(wide[1], at), wide[2])
        self.close(*formulas.widened(out), judge.out, 2.0 ** -7)

    def test_bfloat16_as_bits_with_an_input(self):
        q, k, v = arrays(np.float32, hkv=4, t=9, s=9)
        x = np.random.default_rng(5).standard_normal((2, 9, 64), np.float32)
        bits = formulas.bfloat16_bits(q, k, v, x)
        wide = formulas.widened(*bits)
        e = locant.Encoding("fox")
        params = e.init(1, width=64, heads=4, head_dim=16)
        out = locant.attention(*bits[:3], e, True, params, x=bits[3],
                               dtype="bfloat16")
        self.close(*formulas.widened(out),
                   locant.attention(*wide[:3], e, True, params, x=wide[3]),
                   2.0 ** -7)

    def test_rope_and_alibi_at_true_positions(self):
        q, k, v = arrays()
        at = np.arange(23)
        visible = at[4:, None] >= at
        judge = formulas.Attention(formulas.rope(q, at[4:]),
                                   formulas.rope(k, at), v, visible=visible)
        self.close(locant.attention(q, k, v, "rope", causal=True), judge.out)
        judge = formulas.Attention(q, k, v, formulas.alibi(4, at[4:], at),
                                   visible)
        self.close(locant.attention(q, k, v, "alibi", causal=True), judge.out)

    def test_positions_decide(self):
        q, k, v = arrays()
        q_at = np.arange(19) * 1000 + 7
        k_at = np.arange(23) * 900
        judge = formulas.Attention(formulas.rope(q, q_at),
                                   formulas.rope(k, k_at), v,
                                   visible=q_at[:, None] >= k_at)
        # The float32 angles' table is exact, so positions cost nothing.
        self.close(locant.attention(q, k, v, "rope", causal=True,
                                    q_positions=q_at, k_positions=k_at),
                   judge.out)

    def test_window_softcap_sinks_scale(self):
        q, k, v = arrays()
        at = np.arange(23)
        away = at[4:, None] - at
        sinks = np.linspace(-1, 1, 4, dtype=np.float32)
        judge = formulas.Attention(q, k, v, 0, (away >= 0) & (away < 6), 0.3,
                                   2.0, sinks)
        out, lse = locant.attention(q, k, v, causal=True, window=6, scale=0.3,
                                    softcap=2.0, sinks=sinks, return_lse=True)
        self.close(out, judge.out)
        self.close(lse, judge.lse)

    def test_values_of_another_width(self):
        for name, tolerance in TOLERANCE.items():
            for width in (1, 7, 32):
                q, k, _ = arrays(np.dtype(name))
                v = np.random.default_rng(2).standard_normal(
                    (2, 2, 23, width)).astype(name)
                out = locant.attention(q, k, v)
                self.assertEqual(out.shape, (2, 4, 19, width))
                self.close(out, formulas.Attention(q, k, v).out, tolerance)

    def test_values_that_are_keys(self):
        q, k, _ = arrays()
        for width in (5, 16):
            self.close(locant.attention(q, k, width),
                       formulas.Attention(q, k, k[..., :width]).out)

    def test_documents_and_key_mask(self):
        q, k, v = arrays(s=19)
        documents = np.array([[0] * 7 + [1] * 12, [0] * 15 + [-1] * 4])
        same = documents[:, None, :, None] == documents[:, None, None, :]
        same = same & (documents >= 0)[:, None, None, :]
        judge = formulas.Attention(q, k, v, visible=same)
        out = locant.attention(q, k, v, q_documents=documents,
                               k_documents=documents)
        self.close(out, judge.out)
        self.assertTrue((out[1, :, 15:] == 0).all())
        mask = documents >= 0
        judge = formulas.Attention(q, k, v, visible=mask[:, None, None, :])
        self.close(locant.attention(q, k, v, key_mask=mask), judge.out)
        both = locant.attention(q, k, v, q_documents=documents * 0,
                                k_documents=documents * 0, key_mask=mask)
        self.close(both, judge.out)

    def test_dense_bias_and_mask(self):
        q, k, v = arrays()
        r = np.random.default_rng(4)
        for shape in ((2, 4, 19, 23), (19, 23), (4, 1, 23), (1, 1, 19, 1)):
            bias = r.standard_normal(shape)
            mask = r.random(shape[-2:]) < 0.8
            judge = formulas.Attention(q, k, v, visible=mask, softcap=2.0,
                                       dense=bias.astype(np.float32))
            self.close(locant.attention(q, k, v, softcap=2.0, mask=mask,
                                        bias=bias.astype(np.float32)),
                       judge.out)
        turned = np.ascontiguousarray(r.standard_normal((23, 19)), np.float32)
        hidden = np.where(turned.T > 0.5, -np.inf, turned.T)
        judge = formulas.Attention(q, k, v, dense=hidden,
                                   visible=hidden > -np.inf)
        self.close(locant.attention(q, k, v, bias=turned.T,
                                    mask=(turned <= 0.5).T), judge.out)

    def test_dense_tensors_are_checked(self):
        q, k, v = arrays()
        with self.assertRaisesRegex(locant.Error, "bias has size 22 in "
                                    "dimension 3, expected 1 or 23"):
            locant.attention(q, k, v, bias=np.zeros((19, 22), np.float32))
        with self.assertRaisesRegex(locant.Error, "mask has dtype int64"):
            locant.attention(q, k, v, mask=np.zeros((19, 23), int))
        with self.assertRaisesRegex(locant.Error, "bias has rank 5"):
            locant.attention(q, k, v, bias=np.zeros((1,) * 5, np.float32))

    def test_a_row_that_sees_nothing_is_zero(self):
        q, k, v = arrays()
        out, lse = locant.attention(q, k, v, return_lse=True,
                                    key_mask=np.zeros((2, 23), bool))
        self.assertTrue((out == 0).all() and np.isneginf(lse).all())

    def test_other_layouts_are_the_same_bits(self):
        q, k, v = arrays()
        wanted = locant.attention(q, k, v, "rope", causal=True)
        bthd = [np.ascontiguousarray(a.transpose(0, 2, 1, 3))
                for a in (q, k, v)]
        out = np.empty_like(bthd[0])
        locant.attention(*(a.transpose(0, 2, 1, 3) for a in bthd), "rope",
                         causal=True, out=out.transpose(0, 2, 1, 3))
        np.testing.assert_array_equal(out.transpose(0, 2, 1, 3), wanted)


class Backward(unittest.TestCase):
    def judged(self, dtype, tolerance, encoding="none", params=None, bias=0.0,
               gather=None, **options):
        q, k, v = arrays(dtype)
        at = np.arange(23)
        visible = at[4:, None] >= at
        judge = formulas.Attention(q, k, v, bias, visible,
                                   softcap=options.get("softcap", 0.0),
                                   sinks=options.get("sinks"))
        options.update(causal=True, params=params)
        out, lse = locant.attention(q, k, v, encoding, return_lse=True,
                                    **options)
        dout = np.random.default_rng(9).standard_normal(q.shape).astype(dtype)
        g = locant.attention_backward(dout, q, k, v, out, lse, encoding,
                                      **options)
        dq, dk, dv, ds, dsinks = judge.backward(dout)
        for found, wanted in ((g.q, dq), (g.k, dk), (g.v, dv)):
            self.assertEqual(found.dtype, dtype)
            self.assertLess(formulas.unlike(found, wanted), tolerance)
        if g.sinks is not None:
            self.assertLess(formulas.unlike(g.sinks, dsinks), tolerance)
        for name, found in g.params.items():
            self.assertLess(formulas.unlike(found, gather(ds)), tolerance,
                            name)
        return g

    def test_dense_bias(self):
        q, k, v = arrays()
        r = np.random.default_rng(5)
        dout = r.standard_normal(q.shape).astype(np.float32)
        for shape in ((2, 4, 19, 23), (19, 23), (4, 19, 23), (2, 1, 1, 23)):
            bias = r.standard_normal(shape).astype(np.float32)
            judge = formulas.Attention(q, k, v, dense=bias, softcap=2.0)
            judge.backward(dout)
            wanted = judge.dense_gradient
            for axis, n in enumerate((1,) * (4 - len(shape)) + shape):
                if n == 1:
                    wanted = wanted.sum(axis, keepdims=True)
            out, lse = locant.attention(q, k, v, bias=bias, softcap=2.0,
                                        return_lse=True)
            g = locant.attention_backward(dout, q, k, v, out, lse, bias=bias,
                                          softcap=2.0)
            self.assertEqual(g.bias.shape, shape)
            self.assertLess(formulas.unlike(g.bias, wanted.reshape(shape)),
                            4e-6)

    def test_plain_softcap_sinks(self):
        for dtype, tolerance in ((np.float32, 4e-6), (np.float64, 1e-12)):
            self.judged(dtype, tolerance)
            g = self.judged(dtype, tolerance, softcap=3.0,
                            sinks=np.linspace(-1, 1, 4).astype(dtype))
            self.assertEqual(g.sinks.shape, (4,))

    def test_leaves_are_a_tree_over_parts_of_the_queries(self):
        q, k, v = arrays(t=200, s=200)
        dout = arrays(t=200, s=200)[0][:, ::-1]
        out, lse = locant.attention(q, k, v, "rope", True, return_lse=True)

        def backward(dout, leaves):
            return locant.attention_backward(dout, q, k, v, out, lse, "rope",
                                             True, leaves=leaves, copy=True)

        parts = [np.where((np.arange(200) // 64 == n)[:, None], dout,
                          np.float32(0)) for n in range(4)]
        alone = [backward(part, 0) for part in parts]
        plain, got = backward(dout, 0), backward(dout, 4)
        self.assertTrue((got.q == plain.q).all())
        for name in ("k", "v"):
            a, b, c, d = (getattr(g, name) for g in alone)
            self.assertTrue((getattr(got, name) == (a + b) + (c + d)).all())
        with self.assertRaisesRegex(locant.Error, "leaves is 3, expected 0"):
            backward(dout, 3)

    def test_values_of_another_width(self):
        for dtype, tolerance in ((np.float32, 4e-6), (np.float64, 1e-12)):
            q, k, _ = arrays(dtype)
            v = np.random.default_rng(2).standard_normal(
                (2, 2, 23, 9)).astype(dtype)
            dout = np.random.default_rng(9).standard_normal(
                (2, 4, 19, 9)).astype(dtype)
            out, lse = locant.attention(q, k, v, return_lse=True)
            g = locant.attention_backward(dout, q, k, v, out, lse)
            wanted = formulas.Attention(q, k, v).backward(dout)
            for found, want in zip((g.q, g.k, g.v), wanted):
                self.assertEqual(found.shape, want.shape)
                self.assertLess(formulas.unlike(found, want), tolerance)

    def test_keys_that_are_values_have_one_gradient(self):
        q, k, _ = arrays(np.float64)
        dout = np.random.default_rng(9).standard_normal((2, 4, 19, 9))
        out, lse = locant.attention(q, k, 9, return_lse=True)
        g = locant.attention_backward(dout, q, k, 9, out, lse)
        _, dk, dv, *_ = formulas.Attention(q, k, k[..., :9]).backward(dout)
        dk[..., :9] += dv
        self.assertIsNone(g.v)
        self.assertLess(formulas.unlike(g.k, dk), 1e-12)

    def test_alibi(self):
        at = np.arange(23)
        self.judged(np.float32, 4e-6, "alibi",
                    bias=formulas.alibi(4, at[4:], at))

    def test_t5_gives_the_gradient_of_its_table(self):
        at = np.arange(23)
        bucket = formulas.t5_bucket(at[4:, None] - at)
        params = locant.Encoding("t5").init(3, heads=4)

        def gather(ds):
            table = np.zeros((32, 4))
            np.add.at(table, bucket, ds.sum(0).transpose(1, 2, 0))
            return table

        g = self.judged(np.float32, 4e-6, "t5", params,
                        params["table"][bucket].transpose(2, 0, 1)
                        .astype(float), gather)
        self.assertEqual(g.params["table"].dtype, np.float32)

    def test_rope_turns_the_gradient_back(self):
        q, k, v = arrays(np.float64)
        at = np.arange(23)
        judge = formulas.Attention(formulas.rope(q, at[4:]),
                                   formulas.rope(k, at), v)
        out, lse = locant.attention(q, k, v, "rope", return_lse=True)
        g = locant.attention_backward(np.ones_like(q), q, k, v, out, lse,
                                      "rope")
        dq, dk, dv, _, _ = judge.backward(np.ones_like(q))
        # The angles' table is exact to float32: 2^-24 of each channel.
        self.assertLess(formulas.unlike(g.q, formulas.rope(dq, -at[4:])), 2e-7)
        self.assertLess(formulas.unlike(g.k, formulas.rope(dk, -at)), 2e-7)
        self.assertLess(formulas.unlike(g.v, dv), 2e-7)

    def test_values_that_rotate_depend_on_differences(self):
        q, k, v = arrays(np.float64)
        at = np.arange(23)
        judge = formulas.Attention(formulas.rope(q, at[4:]),
                                   formulas.rope(k, at), formulas.rope(v, at))
        out, lse = locant.attention(q, k, v, "rope", return_lse=True,
                                    rotate_values=True)
        dout = np.random.default_rng(9).standard_normal(out.shape)
        g = locant.attention_backward(dout, q, k, v, out, lse, "rope",
                                      rotate_values=True)
        dq, dk, dv, *_ = judge.backward(formulas.rope(dout, at[4:]))
        wanted = (formulas.rope(judge.out, -at[4:]), formulas.rope(dq, -at[4:]),
                  formulas.rope(dk, -at), formulas.rope(dv, -at))
        for found, want in zip((out, *g[:3]), wanted):
            self.assertLess(formulas.unlike(found, want), 4e-7)

    def test_path_keeps_a_state(self):
        r = np.random.default_rng(3)
        q, k, v = (r.standard_normal((2, 4, 270, 16), np.float32)
                   for _ in range(3))
        x = r.standard_normal((2, 270, 32), np.float32)
        e = locant.Encoding("rope+path(rank=4)")
        params = e.init(1, heads=4, head_dim=16, width=32)
        want = locant.attention(q, k, v, e, True, params, x=x)
        state = locant.attention_state(q, k, v, e, params, capacity=270, x=x)
        got, first = np.empty_like(q), 0
        for end in (200, *range(255, 260), 270):
            got[:, :, first:end] = locant.attention(
                q[:, :, first:end], k[:, :, :end], v[:, :, :end], e, True,
                params, x=x[:, :end], state=state)
            first = end
        np.testing.assert_array_equal(got, want)
        self.assertIsNone(
            locant.attention_state(q, k, v, "alibi", capacity=270))
        with self.assertRaisesRegex(locant.Error, "attention with alibi keeps"):
            locant.attention(q, k, v, "alibi", True, state=state)

    def test_fox_gives_the_gradient_of_its_input(self):
        q, k, v = arrays(np.float64, hkv=4, t=9, s=9)
        x = np.random.default_rng(5).standard_normal((2, 9, 64))
        e = locant.Encoding("fox")
        params = e.init(1, np.float64, width=64, heads=4, head_dim=16)
        out, lse = locant.attention(q, k, v, e, True, params, x=x,
                                    return_lse=True)
        g = locant.attention_backward(out, q, k, v, out, lse, e, True, params,
                                      x=x)
        self.assertEqual(g.x.shape, x.shape)
        # d |out|^2 / 2 by central differences: error h^2, 1e-10 with h = 1e-5
        step = np.zeros_like(x)
        step[1, 3, 7] = 1e-5
        ends = [0.5 * (locant.attention(q, k, v, e, True, params, x=x + s)
                       ** 2).sum() for s in (step, -step)]
        self.assertAlmostEqual(g.x[1, 3, 7], (ends[0] - ends[1]) / 2e-5, 8)


class Refusals(unittest.TestCase):
    def refused(self, status, sentence, *arguments, **options):
        with self.assertRaises(locant.Error) as caught:
            locant.attention(*arguments, **options)
        self.assertEqual(caught.exception.status, status)
        self.assertIn(sentence, str(caught.exception))

    def test_sentences(self):
        q, k, v = arrays()
        S = locant.Status
        self.refused(S.ERR_SHAPE, "rank 3", q[0], k, v)
        self.refused(S.ERR_SHAPE, "key_mask has shape [3]", q, k, v,
                     key_mask=np.ones(3))
        self.refused(S.ERR_PARAM, "learned parameter table", q, k, v, "t5")
        self.refused(S.ERR_PARAM, "has no parameters", q, k, v, "rope",
                     params={"table": q})
        self.refused(S.ERR_PARAM, "params has 'tabel'", q, k, v, "t5",
                     params={"tabel": q})
        self.refused(S.ERR_DTYPE, "dtype float16, expected float32", q, k, v,
                     "t5", params={"table": np.zeros((32, 4), np.float16)})
        self.refused(S.ERR_SHAPE, "out is float64", q, k, v,
                     out=np.empty(q.shape))
        self.refused(S.ERR_DTYPE, "locant_attention", q, k.astype(float), v)
        self.refused(S.ERR_ALIAS, "locant_attention", q, k, v, out=q)
        self.refused(S.ERR_PARAM, "v is 17, expected an array, or 1 to 16 "
                     "channels of k", q, k, 17)
        self.refused(S.ERR_NULL, "both or neither", q, k, v,
                     q_documents=np.zeros(19, np.int64))
        self.refused(S.ERR_NULL, "both or neither", q, k, v,
                     q_documents=np.zeros(19, np.int64),
                     key_mask=np.ones(23, bool))
