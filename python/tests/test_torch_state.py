"""locant.torch: decoding that keeps what it knows of PaTH."""
import unittest

import locant
import numpy as np

try:
    import torch
except ImportError:
    raise unittest.SkipTest("torch is not installed") from None
from locant import _torch
from locant import torch as lt
from test_torch_operators import arguments
from torch.library import opcheck


class States(unittest.TestCase):
    """Decoding with a kept state, whose steps have the bits of the whole."""

    def setUp(self):
        g = torch.Generator().manual_seed(3)
        self.qkv = [torch.randn((2, 4, 270, 16), generator=g)
                    for _ in range(3)]
        self.x = torch.randn((2, 270, 32), generator=g)
        self.e = lt.Encoding("rope+path(rank=4)", heads=4, head_dim=16,
                             width=32, seed=1)

    def steps(self, attention, **options):
        """All tokens in steps around the end of a group of 256."""
        q, k, v = self.qkv
        state = lt.attention_state(q, k, v, self.e, capacity=270, x=self.x)
        first, parts = 0, []
        for end in (200, *range(255, 260), 270):
            parts.append(attention(
                q[:, :, first:end], k[:, :, :end], v[:, :, :end], self.e, True,
                x=self.x[:, :end], state=state, **options))
            first = end
        return parts

    def test_steps_give_the_bits_of_the_whole(self):
        for dtype in (torch.float32, torch.bfloat16):
            self.qkv = [x.to(dtype) for x in self.qkv]
            self.x = self.x.to(dtype)
            with torch.no_grad():
                wanted = lt.attention(*self.qkv, self.e, True, x=self.x,
                                      return_lse=True)
                found = zip(*self.steps(lt.attention, return_lse=True))
                for part, whole in zip(found, wanted):
                    self.assertTrue(torch.equal(torch.cat(part, 2), whole))

    def test_steps_are_those_of_the_plain_door(self):
        params = {n: x.detach().numpy() for n, x in self.e.params().items()}
        wanted = locant.attention(*(x.numpy() for x in self.qkv), self.e.spec,
                                  True, params, x=self.x.numpy())
        with torch.inference_mode():
            found = torch.cat(self.steps(lt.attention), 2)
        np.testing.assert_array_equal(found.numpy(), wanted)

    def test_x_of_long_known_tokens_is_not_read(self):
        q, k, v = self.qkv
        with torch.no_grad():
            wanted = lt.attention(q, k, v, self.e, True, x=self.x)
            state = lt.attention_state(q, k, v, self.e, capacity=300, x=self.x)
            lt.attention(q[:, :, :260], k[:, :, :260], v[:, :, :260], self.e,
                         True, x=self.x[:, :260], state=state)
            x = self.x.clone()
            x[:, :260 - 128] = torch.nan
            found = lt.attention(q[:, :, 260:], k, v, self.e, True, x=x,
                                 state=state)
        self.assertTrue(torch.equal(found, wanted[:, :, 260:]))

    def test_autocast_casts_the_first_call_too(self):
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
            wanted = lt.attention(*self.qkv, self.e, True, x=self.x)
            found = torch.cat(self.steps(lt.attention), 2)
        self.assertTrue(torch.equal(found, wanted))

    def test_compiled(self):
        # A graph may copy the state, write to the copy and copy it back.
        with torch.no_grad():
            wanted = lt.attention(*self.qkv, self.e, True, x=self.x)
            graph = torch.compile(lt.attention, fullgraph=True, dynamic=True,
                                  backend="aot_eager")
            found = torch.cat(self.steps(graph), 2)
        self.assertTrue(torch.equal(found, wanted))

    def test_the_operator_keeps_its_schema_and_fake(self):
        given = [x.detach() if isinstance(x, torch.Tensor) else x
                 for x in arguments("path(rank=4)", t=23, x=torch.randn(
                     2, 23, 64))]
        given[13] = [x.detach() for x in given[13]]
        given[1:3] = [x.repeat_interleave(2, 1) for x in given[1:3]]
        state = lt.attention_state(*given[:3], given[14], dict(zip(
            given[15].split(","), given[13])), capacity=23, x=given[3])
        opcheck(_torch.attention_with_state, (state, *given))

    def test_sentences(self):
        q, k, v = self.qkv
        state = lt.attention_state(q, k, v, self.e, capacity=270, x=self.x)
        self.assertIsNone(lt.attention_state(q, k, v, "alibi", capacity=9))
        self.assertIsNone(lt.attention_state(
            *(x.double() for x in self.qkv), self.e, capacity=9,
            x=self.x.double()))
        for sentence, call in (
                (r"^locant: attention with a state has no gradient, and one is "
                 r"asked for; call it under torch.no_grad\(\)$",
                 lambda: self.e(q, k, v, True, x=self.x, state=state)),
                ("state is a ndarray, expected a torch.Tensor",
                 lambda: lt.attention(q, k, v, state=np.zeros(9, np.uint8))),
                ("attention with alibi keeps nothing",
                 lambda: lt.attention(q, k, v, "alibi", True, state=state)),
                ("state is not one",
                 lambda: lt.attention(q, k, v, self.e.spec, True, {
                     n: x.detach() for n, x in self.e.params().items()},
                     x=self.x, state=torch.zeros_like(state))),
                ("capacity is -1",
                 lambda: lt.attention_state(q, k, v, self.e, capacity=-1,
                                            x=self.x))):
            with self.assertRaisesRegex(locant.Error, sentence):
                call()
