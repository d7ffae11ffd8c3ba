"""Gradients of real positions in locant.torch, against differences in double."""
import unittest

import locant

try:
    import torch
except ImportError:
    raise unittest.SkipTest("torch is not installed") from None
from locant import _torch, _torch_doors
from locant import torch as lt
from torch.autograd import gradcheck
from torch.library import opcheck

SPECS = {"rope(base=100)": 1, "rope2d": 2, "axes(widths=4:6:6,base=50)": 3}


def rows(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


class Coordinates(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    def test_of_rotate(self):
        for spec, axes in SPECS.items():
            for shape in ((5, axes), (2, 5, axes)):
                self.assertTrue(gradcheck(
                    lambda x, at: lt.rotate(x, spec, at),
                    (rows(2, 3, 5, 16), rows(*shape))), spec)
            self.assertTrue(gradcheck(
                lambda x, at: lt.rotate(x, spec, at),
                (rows(2, 3, 5, 16), rows(2, 3, 5, axes))), spec)
        self.assertTrue(gradcheck(
            lambda x, at: lt.rotate(x, "rope", at, inverse=True),
            (rows(3, 5, 16), rows(5))))

    def test_of_attention(self):
        for spec, axes in SPECS.items():
            for shape in ((5, axes), (2, 5, axes)):
                self.assertTrue(gradcheck(
                    lambda q, k, v, a, b: lt.attention(
                        q, k, v, spec, True, q_coords=a, k_coords=b),
                    (rows(2, 4, 5, 16), rows(2, 2, 5, 16), rows(2, 2, 5, 8),
                     rows(*shape), rows(*shape))), spec)

    def test_of_each_head(self):
        for spec, axes in SPECS.items():
            self.assertTrue(gradcheck(
                lambda q, k, v, a, b: lt.attention(
                    q, k, v, spec, True, q_coords=a, k_coords=b),
                (rows(2, 4, 5, 16), rows(2, 2, 5, 16), rows(2, 2, 5, 8),
                 rows(2, 4, 5, axes), rows(2, 2, 5, axes))), spec)

    def test_of_biases(self):
        for spec in ("alibi", "kerple(kind=power)", "fire(hidden=4,length=2)",
                     "sandwich(dim=8)", "scale-invariant",
                     "formula(gain=1+a*n,bias=-sqrt(1+n),after=exp(-d/9),"
                     "a=param(heads,init=0.5))",
                     "rope(base=50)+kerple+alibi"):
            e = lt.Encoding(spec, heads=4, head_dim=16, dtype=torch.float64)
            for q_shape, k_shape in (((5, 1), (6, 1)), ((2, 5, 1), (2, 6, 1)),
                                     ((2, 4, 5, 1), (2, 2, 6, 1))):
                q, k, v = (rows(2, n, t, 16).detach()
                           for n, t in ((4, 5), (2, 6), (2, 6)))
                self.assertTrue(gradcheck(
                    lambda a, b: (e(q, k, v, True, q_coords=a, k_coords=b) *
                                  q.sin()).sum(),
                    (rows(*q_shape), rows(*k_shape))), spec)

    def test_of_parameters_at_coordinates(self):
        e = lt.Encoding("kerple", heads=4, head_dim=16, dtype=torch.float64)
        at = rows(5, 1)

        def attend(p, a):
            q, k, v = (torch.cos(torch.arange(4 * 5 * 16.0,
                                              dtype=torch.float64) * f)
                       .reshape(1, 4, 5, 16) for f in (1, 2, 3))
            return lt.attention(
                q, k, v, "kerple", True, {"p": p, "a": p * p},
                q_coords=a, k_coords=at.detach())
        self.assertEqual(len(list(e.parameters())), 2)
        self.assertTrue(gradcheck(
            attend, (torch.rand(4, dtype=torch.float64,
                                requires_grad=True) + 0.5, rows(5, 1))))

    def test_of_arrays(self):
        q, k, v, a, b = (x.detach().numpy() for x in (
            rows(1, 4, 5, 16), rows(1, 2, 5, 16), rows(1, 2, 5, 16),
            rows(5, 1), rows(5, 1)))
        given = [torch.tensor(x, requires_grad=True) for x in (q, k, v, a, b)]
        options = {"q_coords": a, "k_coords": b}
        spec = "rope+alibi(symmetric=yes)"
        out, lse = locant.attention(q, k, v, spec, return_lse=True, **options)
        made = locant.attention_backward(out, q, k, v, out, lse, spec,
                                         **options)
        # all queries are in one of two leaves
        tree = locant.attention_backward(out, q, k, v, out, lse, spec,
                                         leaves=2, **options)
        self.assertTrue((tree.q_coords == made.q_coords).all())
        self.assertTrue((tree.k_coords == made.k_coords).all())
        dq_at = locant.coordinates_backward(made.q, q, spec, out=made.q_coords)
        dk_at = locant.coordinates_backward(made.k, k, spec, out=made.k_coords)
        same = lt.attention(*given[:3], spec, q_coords=given[3],
                            k_coords=given[4])
        same.backward(same.detach())
        self.assertTrue((dq_at == given[3].grad.numpy()).all())
        self.assertTrue((dk_at == given[4].grad.numpy()).all())
        again = [x.detach().requires_grad_() for x in given]
        same = lt.attention(*again[:3], spec, q_coords=again[3],
                            k_coords=again[4], leaves=2)
        same.backward(same.detach())
        for x, y in zip(again, given):
            self.assertTrue((x.grad == y.grad).all())

    def test_of_positions_alone(self):
        """Where q and k need no gradient of their own."""
        q, k, v = (rows(1, 2, 5, 16).detach() for _ in range(3))
        at = rows(5, 1).detach()
        self.assertTrue(gradcheck(
            lambda a: lt.attention(q, k, v, "rope", q_coords=a, k_coords=at),
            (rows(5, 1),)))

    def test_with_parameters(self):
        e = lt.Encoding("axes(widths=4:6:6)+alibi", heads=4, head_dim=16)
        t5 = lt.Encoding("axes(widths=4:6:6)+t5", heads=4, head_dim=16,
                         dtype=torch.float64)
        for encoding in (e, t5):
            self.assertTrue(gradcheck(
                lambda q, a, b: encoding(q, q, q, True, q_coords=a, k_coords=b),
                (rows(1, 4, 5, 16), rows(5, 3), rows(5, 3))))

    def test_operators_keep_their_fakes(self):
        at = rows(5, 2)
        opcheck(_torch_doors.rotate,
                (rows(2, 3, 5, 16), [], at, None, "rope2d", "", 0, 0))
        q = rows(2, 3, 5, 16)
        opcheck(_torch.attention,
                (q, q, q, None, None, None, None, None, at, at, None, None,
                 None, [], "rope2d", "", False, False, 0, None, 0.0, False,
                 0))

    def test_refusals(self):
        q, at = rows(1, 2, 5, 16), rows(5, 1)
        for more in ({"keys_rotated": True}, {"rotate_values": True}):
            out = lt.attention(q, q, q, "rope", q_coords=at, k_coords=at,
                               **more)
            with self.assertRaisesRegex(locant.Error, "no gradient with"):
                out.sum().backward()
        with self.assertRaisesRegex(locant.Error, "t5 reads whole positions"):
            lt.Encoding("t5", heads=2, head_dim=16, dtype=torch.float64)(
                q, q, q, q_coords=at, k_coords=at)
        out = lt.add(rows(5, 16), "sincos2d", rows(5, 2))
        with self.assertRaisesRegex(locant.Error, "detach"):
            out.sum().backward()
