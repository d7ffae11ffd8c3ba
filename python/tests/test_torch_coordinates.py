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
        out = lt.add(rows(5, 16), "sincos2d", rows(5, 2))
        with self.assertRaisesRegex(locant.Error, "detach"):
            out.sum().backward()
