"""locant.torch against scaled_dot_product_attention and its gradients.

The judge computes in double with an explicit bias, so the difference is ours:
float32 sums keep 1e-6 (include/locant/attention.h), a gradient is made of three
such products, 4e-6; float64 turns by angles exact to float32, 2^-24 of each
channel, and else rounds 2^-53 a few hundred times.
"""
import unittest

import formulas
import locant
import numpy as np

try:
    import torch
except ImportError:
    raise unittest.SkipTest("torch is not installed") from None
from locant import torch as lt
from torch.nn.functional import scaled_dot_product_attention as sdpa


def tensors(dtype=torch.float32, b=2, h=4, hkv=2, t=19, s=23, d=16, seed=0):
    g = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=g, dtype=torch.float64).to(dtype)
            .requires_grad_()
            for shape in ((b, h, t, d), (b, hkv, s, d), (b, hkv, s, d))]


def wide(*given):
    """Leaves in double of the same values."""
    return [x.detach().double().requires_grad_() for x in given]


def rope(x, positions, base=10000.0):
    """Su et al. 2021, pairs (c, c + D/2), in the dtype of x."""
    half = x.shape[-1] // 2
    f = base ** (-torch.arange(half, dtype=torch.float64) / half)
    angle = torch.as_tensor(positions).double()[..., None] * f
    a, b = x[..., :half], x[..., half:]
    return torch.cat((a * angle.cos() - b * angle.sin(),
                      a * angle.sin() + b * angle.cos()), -1)


def judge(q, k, v, **options):
    """SDPA; heads of k and v repeated."""
    n = q.shape[1] // k.shape[1]
    return sdpa(q, k.repeat_interleave(n, 1), v.repeat_interleave(n, 1),
                **options)


class Case(unittest.TestCase):
    def close(self, found, wanted, tolerance=1e-6, what=""):
        self.assertLess(formulas.unlike(found.detach().float()
                                        if found.dtype == torch.bfloat16
                                        else found.detach(),
                                        wanted.detach()), tolerance, what)

    def same(self, found, wanted, leaves, wide_leaves, tolerance=1e-6,
             grad_tolerance=4e-6):
        """Outputs, and gradients of one random weighting of both."""
        self.close(found, wanted, tolerance)
        weights = torch.randn(wanted.shape, dtype=torch.float64,
                              generator=torch.Generator().manual_seed(9))
        got = torch.autograd.grad(found, leaves, weights.to(found.dtype))
        want = torch.autograd.grad(wanted, wide_leaves, weights)
        for i, (x, y) in enumerate(zip(got, want)):
            self.assertEqual(x.dtype, leaves[i].dtype)
            self.close(x, y, grad_tolerance, f"gradient {i}")


AT = np.arange(23)
VISIBLE = torch.from_numpy(AT[4:, None] >= AT)


class AgainstSdpa(Case):
    def test_plain_causal_in_every_dtype(self):
        # Halves round their outputs, 2^-11 and 2^-8, and products of bfloat16
        # their weights too; of three such products a gradient is made.
        for dtype, bound in ((torch.float32, 1e-6), (torch.float64, 1e-13),
                             (torch.float16, 2.0 ** -11),
                             (torch.bfloat16, 2.0 ** -7)):
            given = tensors(dtype)
            double = wide(*given)
            self.same(lt.attention(*given, causal=True),
                      judge(*double, attn_mask=VISIBLE), given, double, bound,
                      4 * bound)

    def test_values_of_another_width(self):
        for width in (5, 32):
            q, k, _ = tensors(torch.float32)
            v = torch.randn((*k.shape[:3], width), requires_grad=True)
            double = wide(q, k, v)
            self.same(lt.attention(q, k, v, causal=True),
                      judge(*double, attn_mask=VISIBLE), (q, k, v), double)

    def test_values_that_are_a_view_of_keys(self):
        q, k, _ = tensors(torch.float32)
        double = wide(q, k)
        self.same(lt.attention(q, k, k[..., :9], causal=True),
                  judge(*double, double[1][..., :9], attn_mask=VISIBLE),
                  (q, k), double)

    def test_values_that_rotate_like_keys(self):
        given = tensors(torch.float32)
        double = wide(*given)
        out = judge(rope(double[0], AT[4:]), rope(double[1], AT),
                    rope(double[2], AT), attn_mask=VISIBLE)
        self.same(lt.attention(*given, "rope", causal=True,
                               rotate_values=True),
                  rope(out, -AT[4:]), given, double)

    def test_t5_bias_and_its_gradient(self):
        bucket = torch.from_numpy(formulas.t5_bucket(AT[4:, None] - AT))
        for dtype, bound in ((torch.float32, 1e-6), (torch.float64, 1e-13)):
            e = lt.Encoding("t5", heads=4, seed=3, dtype=dtype)
            given = [*tensors(dtype), e.table]
            double = wide(*given)
            bias = double[3][bucket].permute(2, 0, 1)
            bias = bias.masked_fill(~VISIBLE, -torch.inf)
            self.same(e(*given[:3], causal=True, scale=1.0),
                      judge(*double[:3], attn_mask=bias[None], scale=1.0),
                      given, double, bound, 40 * bound)

    def test_alibi_with_rope(self):
        given = tensors()
        double = wide(*given)
        bias = torch.from_numpy(formulas.alibi(4, AT[4:], AT))
        self.same(lt.attention(*given, "alibi+rope", causal=True),
                  judge(rope(double[0], AT[4:]), rope(double[1], AT),
                        double[2],
                        attn_mask=bias.masked_fill(~VISIBLE, -torch.inf)),
                  given, double)

    def test_dense_bias_does_what_attn_mask_does(self):
        for shape in ((2, 4, 19, 23), (19, 23), (1, 4, 19, 23), (2, 1, 1, 23)):
            bias = torch.randn(shape, requires_grad=True)
            given = [*tensors(), bias]
            double = wide(*given)
            self.same(lt.attention(*given[:3], bias=bias),
                      judge(*double[:3], attn_mask=double[3]), given, double)

    def test_mask_does_what_a_bool_attn_mask_does(self):
        given = tensors()
        double = wide(*given)
        self.same(lt.attention(*given, mask=VISIBLE),
                  judge(*double, attn_mask=VISIBLE), given, double)

    def test_window_softcap_sinks(self):
        given = [*tensors(), torch.linspace(-1, 1, 4).requires_grad_()]
        double = wide(*given)
        q, k, v, sinks = double
        s = q @ k.repeat_interleave(2, 1).transpose(-1, -2) * 0.3
        s = 2 * torch.tanh(s / 2)
        away = torch.from_numpy(AT[4:, None] - AT)
        s = s.masked_fill((away < 0) | (away >= 6), -torch.inf)
        column = sinks[None, :, None, None].expand(2, 4, 19, 1)
        p = torch.softmax(torch.cat((s, column), -1), -1)[..., :-1]
        self.same(lt.attention(*given[:3], causal=True, window=6, scale=0.3,
                               softcap=2.0, sinks=given[3]),
                  p @ v.repeat_interleave(2, 1), given, double)

    def test_left_padded_rows_are_as_if_alone(self):
        given = tensors(t=23)
        double = wide(*given)
        mask = torch.ones(2, 23, dtype=torch.bool)
        mask[1, :9] = False
        at = (mask.cumsum(1) - 1).clamp(min=0)
        found = lt.attention(*given, "rope", causal=True, q_positions=at,
                             k_positions=at, key_mask=mask)
        rows = [judge(*(rope(x[b:b + 1, :, n:], torch.arange(23 - n))
                        for x in double[:2]), double[2][b:b + 1, :, n:],
                      is_causal=True) for b, n in ((0, 0), (1, 9))]
        wanted = torch.cat((rows[0], torch.nn.functional.pad(
            rows[1], (0, 0, 9, 0))))
        self.same(found[:, :, 9:], wanted[:, :, 9:], given, double)

    def test_packed_documents_are_as_if_alone(self):
        given = tensors(b=1, t=23)
        double = wide(*given)
        ends = ((0, 7), (7, 15), (15, 23))
        docs = torch.repeat_interleave(torch.tensor([e - s for s, e in ends]))
        at = torch.cat([torch.arange(e - s) for s, e in ends])
        found = lt.attention(*given, "rope", causal=True, q_positions=at,
                             k_positions=at, q_documents=docs,
                             k_documents=docs)
        wanted = torch.cat([judge(
            *(rope(x[:, :, s:e], torch.arange(e - s)) for x in double[:2]),
            double[2][:, :, s:e], is_causal=True) for s, e in ends], 2)
        self.same(found, wanted, given, double)

    def test_cached_steps_are_rows_of_the_whole(self):
        q, k, v = tensors(t=23)
        double = wide(q, k, v)
        wanted = judge(rope(double[0], AT), rope(double[1], AT), double[2],
                       is_causal=True)
        rotated = lt.rotate(k, "rope", key=True)
        with torch.no_grad():
            for t in range(23):
                step = lt.attention(q[:, :, t:t + 1], rotated[:, :, :t + 1],
                                    v[:, :, :t + 1], "rope", causal=True,
                                    keys_rotated=True)
                self.close(step, wanted[:, :, t:t + 1])
        found = lt.attention(q, rotated, v, "rope", causal=True,
                             keys_rotated=True)
        self.same(found, wanted, [q, k, v], double)


class Layouts(Case):
    def test_views_of_one_projection_are_taken_as_they_lie(self):
        qkv = torch.randn(2, 19, 3, 4, 16, requires_grad=True)
        views = [x.transpose(1, 2) for x in qkv.unbind(2)]
        found = lt.attention(*views, "rope", causal=True)
        wanted = lt.attention(*(x.contiguous() for x in views), "rope",
                              causal=True)
        self.assertTrue(torch.equal(found, wanted))
        # [B, T, H, D] in memory, as the output projection wants it
        self.assertTrue(found.transpose(1, 2).is_contiguous())
        a, = torch.autograd.grad(found.sum(), qkv)
        b, = torch.autograd.grad(wanted.sum(), qkv)
        self.assertTrue(torch.equal(a, b))

    def test_last_dimension_must_be_dense(self):
        q, k, v = tensors(t=16, d=16)
        with self.assertRaisesRegex(locant.Error, "stride"):
            lt.attention(q.transpose(2, 3), k, v)

    def test_nothing_to_do(self):
        q, k, v = tensors()
        self.assertEqual(lt.attention(q[:, :, :0], k, v).shape, (2, 4, 0, 16))
        self.assertEqual(lt.attention(q[:0], k[:0], v[:0]).shape[0], 0)


class Rotation(Case):
    def test_rotate_and_back(self):
        x = torch.randn(2, 4, 19, 16, requires_grad=True)
        double, = wide(x)
        self.same(lt.rotate(x, "rope", offset=1000),
                  rope(double, torch.arange(1000, 1019)), [x], [double])
        at = torch.arange(19) ** 2
        rotated = lt.rotate(x, "rope", at)
        self.close(lt.rotate(rotated, "rope", at, inverse=True), x)

    def test_rows_of_a_ragged_batch_are_rotated_as_if_alone(self):
        spec = "rope(scaling=dynamic(factor=2,original=8))"
        lengths = (10, 19)
        x = torch.randn(2, 4, 19, 16, requires_grad=True)
        at = torch.arange(19).repeat(2, 1)
        found = lt.rotate(x, spec, at, limits=torch.tensor(lengths))
        dout = torch.randn(found.shape)
        dx, = torch.autograd.grad(found, x, dout)
        for row, n in enumerate(lengths):
            alone = x[row, :, :n].detach().requires_grad_()
            y = lt.rotate(alone, spec)
            self.assertTrue(torch.equal(found[row, :, :n], y))
            self.assertTrue(torch.equal(
                dx[row, :, :n],
                torch.autograd.grad(y, alone, dout[row, :, :n])[0]))
        short = lt.rotate(x, spec, limits=torch.tensor([10, 10]))
        self.assertFalse(torch.equal(short[1], found[1]))
        with self.assertRaisesRegex(locant.Error, "limit of token 0 of row 1 "
                                    "is 0, expected at least 1"):
            lt.rotate(x, spec, limits=torch.tensor([10, 0]))

    def test_long_rows_sit_where_the_offset_says(self):
        # Positions of short rows are pieces of a remembered block, of long
        # ones an array of their own; both must outlive the call.
        for tokens, offset in ((9, 4095), (4096, 1), (4097, 7), (9000, 100)):
            x = torch.randn(1, 2, tokens, 8, requires_grad=True)
            at = torch.arange(offset, offset + tokens)
            y, given = (lt.rotate(x, "rope", offset=offset),
                        lt.rotate(x, "rope", at))
            self.assertTrue(torch.equal(y, given))
            self.assertTrue(torch.equal(*(
                torch.autograd.grad(z, x, torch.ones_like(z))[0]
                for z in (y, given))))
            self.assertTrue(torch.equal(
                lt.add(x[0], "sinusoidal", offset=offset),
                lt.add(x[0], "sinusoidal", at)))

    def test_wider_rows_and_learned_phases(self):
        e = lt.Encoding("pope", heads=4, head_dim=16, dtype=torch.float64)
        x = torch.randn(1, 4, 3, 16, dtype=torch.float64, requires_grad=True)
        self.assertEqual(e.rotate(x).shape, (1, 4, 3, 32))
        self.assertTrue(torch.autograd.gradcheck(
            lambda x, phase: lt.rotate(x, "pope", params={"phase": phase}),
            (x, e.phase)))

    def test_rows_of_a_table_are_added(self):
        e = lt.Encoding("learned(length=9)", width=6)
        x = torch.randn(2, 5, 6, requires_grad=True)
        out = e.add(x, torch.tensor([3, 1, 1, 8, 0]))
        self.close(out, x + e.table[[3, 1, 1, 8, 0]])
        weights = torch.randn(2, 5, 6)
        dx, dtable = torch.autograd.grad(out, [x, e.table], weights)
        self.assertTrue(torch.equal(dx, weights))
        wanted = torch.zeros(9, 6).index_add(
            0, torch.tensor([3, 1, 1, 8, 0]), weights.sum(0))
        self.close(dtable, wanted)
        sines = torch.from_numpy(formulas.sinusoidal(5, 6))
        self.close(lt.add(x, "sinusoidal"), x + sines)


class Module(Case):
    def test_parameters_are_saved_and_restored(self):
        spec = "learned(length=23)+t5"
        e = lt.Encoding(spec, width=64, heads=4, seed=1)
        self.assertEqual(set(dict(e.named_parameters())),
                         {"learned_table", "t5_table"})
        other = lt.Encoding(spec, width=64, heads=4, seed=2)
        other.load_state_dict(e.state_dict())
        q, k, v = tensors()
        self.assertTrue(torch.equal(e(q, k, v), other(q, k, v)))

    def test_names_of_parameters_meet_no_method(self):
        for name in locant.encodings():
            if name in ("layers", "randomized"):  # need an argument
                continue
            e = lt.Encoding(name, heads=4, kv_heads=4, head_dim=8, width=32,
                            length=16)
            self.assertEqual(len(e.params()),
                             len(locant.Encoding(name).known))
            self.assertEqual(set(e.rates()),
                             {n for n, _ in e.named_parameters()})

    def test_training_lowers_the_loss(self):
        e = lt.Encoding("kerple", heads=4)
        q, k, v = (x.detach() for x in tensors(hkv=4))
        target = lt.attention(q, k, v, "alibi", causal=True)
        groups = [{"params": [p], "lr": 0.01 * e.rates()[n]}
                  for n, p in e.named_parameters()]
        optimiser = torch.optim.Adam(groups)
        losses = []
        for _ in range(20):
            loss = ((e(q, k, v, causal=True) - target) ** 2).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            e.project()
            losses.append(loss.item())
        self.assertLess(losses[-1], 0.5 * losses[0])

    def test_a_model_in_bfloat16(self):
        e = lt.Encoding("t5", heads=4).to(torch.bfloat16)
        given = tensors(torch.bfloat16)
        e(*given, causal=True).sum().backward()
        self.assertEqual(e.table.grad.dtype, torch.bfloat16)
        self.assertGreater(e.table.grad.float().norm(), 0)
