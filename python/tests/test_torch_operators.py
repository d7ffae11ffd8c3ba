"""What PyTorch asks of operators; refusals of locant.torch."""
import shutil
import subprocess
import sys
import unittest

import locant

try:
    import torch
except ImportError:
    raise unittest.SkipTest("torch is not installed") from None
from locant import _torch, _torch_doors
from locant import torch as lt
from test_torch import Case, tensors
from torch.autograd import gradcheck
from torch.library import opcheck


def arguments(spec="none", dtype=torch.float32, sinks=None, x=None, bias=None,
              mask=None, leaves=0, **sizes):
    """Of the operator attention, with an encoding's own parameters."""
    q, k, v = tensors(dtype, **sizes)
    e = lt.Encoding(spec, heads=4, kv_heads=2, head_dim=16, width=64,
                    length=8)
    return (q, k, v, x, sinks, bias, None, None, None, None, None, None, mask,
            list(e.params().values()), e.spec, ",".join(e.params()), True,
            False, 0, None, 0.0, False, leaves)


class Operators(unittest.TestCase):
    def test_attention_keeps_its_schema_and_fake(self):
        sinks = torch.zeros(4, requires_grad=True)
        bias = torch.zeros(1, 4, 19, 23, requires_grad=True)
        mask = torch.ones(19, 23, dtype=torch.bool)[None, None]
        for given in (arguments(), arguments("t5", sinks=sinks),
                      arguments(bias=bias, mask=mask),
                      arguments("t5", leaves=2),
                      arguments("fox", t=23, x=torch.randn(
                          2, 23, 64, requires_grad=True))):
            opcheck(_torch.attention, given)

    def test_values_of_another_width_keep_the_fake(self):
        given = list(arguments())
        given[2] = torch.randn((*given[1].shape[:3], 5), requires_grad=True)
        opcheck(_torch.attention, tuple(given))

    def test_of_transposed_bfloat16(self):
        given = list(arguments(dtype=torch.bfloat16))
        given[:3] = [x.detach().transpose(1, 2).contiguous().transpose(1, 2)
                     .requires_grad_() for x in given[:3]]
        opcheck(_torch.attention, tuple(given))

    def test_backward_keeps_its_schema_and_fake(self):
        bias = torch.zeros(1, 1, 19, 23)
        given = [x.detach() if isinstance(x, torch.Tensor) else x
                 for x in arguments("t5", bias=bias)]
        given[13] = [x.detach() for x in given[13]]
        out, lse = _torch.attention(*given)
        for wanted in (
                [True, False, True, False, False, False, True, False, False],
                [False, True, False, False, False, True, False, False, False]):
            opcheck(_torch.attention_backward,
                    (wanted, torch.ones_like(out), out, lse, *given))

    def test_doors_keep_their_schema_and_fake(self):
        x = torch.randn(2, 4, 5, 16, requires_grad=True)
        at = torch.arange(5)
        phase = lt.Encoding("pope", heads=4, head_dim=16).phase
        table = lt.Encoding("learned(length=8)", width=16).table
        opcheck(_torch_doors.rotate, (x, [], None, None, "rope", "", 7, 0))
        opcheck(_torch_doors.rotate, (x, [phase], at, None, "pope", "phase", 0,
                                       2))
        opcheck(_torch_doors.rotate, (
            x, [], None, torch.full((x.shape[0],), 9),
            "rope(scaling=dynamic(factor=2,original=8))", "", 0, 0))
        opcheck(_torch_doors.add, (x, [table], at, None, "learned(length=8)",
                                   "table", 0, 0))


class Gradients(unittest.TestCase):
    def check(self, spec, x=None, **options):
        q, k, v = tensors(torch.float64, b=1, h=2, hkv=1, t=3, s=4, d=4)
        sinks = torch.tensor([0.3, -0.2], dtype=torch.float64,
                             requires_grad=True)
        e = lt.Encoding(spec, heads=2, kv_heads=1, head_dim=4, width=8,
                        length=4, dtype=torch.float64, seed=1)
        rest = [*([] if x is None else [x]), *e.parameters()]
        self.assertTrue(gradcheck(
            lambda q, k, v, sinks, *_: lt.attention(
                q, k, v, e, True, sinks=sinks, x=x, **options),
            (q, k, v, sinks, *rest)), spec)

    def test_of_doors_rotate_and_score(self):
        self.check("rope", softcap=2.0, window=3)
        for spec in ("t5(buckets=4,distance=4)", "alibi+rope", "kerple",
                     "fire(hidden=4)"):
            self.check(spec)

    def test_of_door_content(self):
        for spec in ("cope", "shaw", "transformer-xl"):
            self.check(spec)

    def test_of_the_input_of_the_layer(self):
        self.check("fox", torch.randn(1, 4, 8, dtype=torch.float64,
                                      requires_grad=True))


class Compiled(Case):
    def compiled(self, backend, **options):
        e = lt.Encoding("t5", heads=4)
        sinks = torch.zeros(4, requires_grad=True)
        rope = locant.Encoding("rope")

        def f(q, k, v, mask):
            q, k = lt.rotate(q, rope, offset=4), lt.rotate(k, rope)
            return 2 * e(q, k, v, causal=True, sinks=sinks, key_mask=mask)

        graph = torch.compile(f, fullgraph=True, backend=backend, **options)
        for s in (23, 29):
            given = tensors(t=s - 4, s=s)
            mask = torch.arange(s).expand(2, s) > 2
            leaves = [*given, e.table, sinks]
            self.same(graph(*given, mask), f(*given, mask).double(), leaves,
                      leaves)

    def test_in_one_graph(self):
        self.compiled("aot_eager")

    def test_of_any_length(self):
        self.compiled("aot_eager", dynamic=True)

    @unittest.skipUnless(shutil.which("g++"), "there is no g++")
    def test_by_inductor(self):
        self.compiled("inductor")


class Refusals(Case):
    def test_sentences(self):
        q, k, v = tensors()
        for error, sentence, call in (
                (locant.Error, "q is on device meta, expected cpu",
                 lambda: lt.attention(q.to("meta"), k, v)),
                (locant.Error, "k is a ndarray, expected a torch.Tensor",
                 lambda: lt.attention(q, k.detach().numpy(), v)),
                (locant.Error, "v has rank 3",
                 lambda: lt.attention(q, k, v[0])),
                (locant.Error, "learned parameter table",
                 lambda: lt.attention(q, k, v, "t5")),
                (locant.Error, "dtype torch.complex64",
                 lambda: lt.attention(q.to(torch.complex64), k, v)),
                (locant.Error, "locant_attention",
                 lambda: lt.attention(q, k.double(), v)),
                (locant.Error, r"key_mask has shape \[3\]",
                 lambda: lt.attention(q, k, v, key_mask=torch.ones(3))),
                (locant.Error, "leaves is 3, expected 0",
                 lambda: lt.attention(q, k, v, leaves=3)),
                (locant.Error, "both or neither",
                 lambda: lt.attention(q, k, v, q_documents=torch.zeros(
                     19, dtype=torch.int64))),
                (locant.Error, "heads",
                 lambda: lt.Encoding("t5"))):
            with self.assertRaisesRegex(error, sentence):
                call()

    def test_the_gradient_of_a_gradient(self):
        q, k, v = tensors()
        for out in (lt.attention(q, k, v), lt.rotate(q, "rope")):
            dq, = torch.autograd.grad((out ** 2).sum(), q, create_graph=True)
            with self.assertRaisesRegex(locant.Error, "first derivatives"):
                dq.sum().backward()

    def test_autocast_casts_as_sdpa(self):
        q, k, v = tensors(hkv=4)
        e = lt.Encoding("t5", heads=4)
        with torch.autocast("cpu", torch.bfloat16):
            out = e(q, k.to(torch.bfloat16), v)
            wanted = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        self.assertEqual(out.dtype, wanted.dtype)
        out.sum().backward()
        self.assertEqual((q.grad.dtype, e.table.grad.dtype),
                         (torch.float32, torch.float32))

    def test_threads_of_torch_are_its_own(self):
        before = torch.get_num_threads()
        lt.attention(*tensors(t=64, s=64)).sum().backward()
        self.assertEqual(torch.get_num_threads(), before)

    def test_without_torch(self):
        code = ("import sys; sys.modules['torch'] = None\n"
                "import locant\nlocant.torch")
        done = subprocess.run([sys.executable, "-c", code],
                              capture_output=True, text=True)
        self.assertIn("ImportError: locant.torch needs torch", done.stderr)
        self.assertEqual(done.returncode, 1)
