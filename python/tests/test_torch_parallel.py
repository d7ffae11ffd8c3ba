"""locant.torch.parallel: 1, 2 and 4 processes against calls of one process.

Equal means every bit.  The one process computes by public functions that know
no mesh: out and the gradient of q by locant.torch.attention() on the sequence
in its order; sums over queries by locant.attention_backward(leaves=) on the
queries in the order of pairs of leaves.
"""
import os
import tempfile
import unittest

import locant
import numpy as np

try:
    import torch
    import torch.distributed as dist
    import torch.multiprocessing
except ImportError:
    raise unittest.SkipTest("torch is not installed") from None
if not dist.is_available() or not dist.is_gloo_available():
    raise unittest.SkipTest("torch has no gloo")
from locant import torch as lt
from locant.torch import parallel
from torch.distributed.device_mesh import init_device_mesh

B, H, G, T, D = 2, 4, 2, 1024, 16
LEAVES = 8
TILES = T // LEAVES
PAIRS = [0, 7, 1, 6, 2, 5, 3, 4]
ORDER = np.concatenate([np.arange(i * TILES, (i + 1) * TILES) for i in PAIRS])
CASES = {
    "rope": {}, "t5": {}, "alibi": {}, "shaw": {}, "fox": {"x": True},
    "alibi+rope": {"documents": True, "window": 200, "softcap": 3.0,
                   "sinks": True},
}


def encoding(spec, dtype=torch.float32):
    return lt.Encoding(spec, heads=H, kv_heads=G, head_dim=D, width=H * D,
                       length=T, seed=3, dtype=dtype)


def given(dtype=torch.float32):
    """q, k, v, x, and the gradient of out, of the whole sequence."""
    g = torch.Generator().manual_seed(5)
    return [torch.randn(shape, generator=g, dtype=torch.float64).to(dtype)
            for shape in ((B, H, T, D), (B, G, T, D), (B, G, T, D),
                          (B, T, H * D), (B, H, T, D))]


def options(spec, dtype=torch.float32):
    """Of the whole sequence, and the tensors with a gradient among them."""
    o = dict(CASES[spec])
    if o.pop("x", False):
        o["x"] = given(dtype)[3].requires_grad_()
    if o.pop("sinks", False):
        o["sinks"] = torch.linspace(-1, 1, H).requires_grad_()
    if o.pop("documents", False):
        documents = (torch.arange(T) >= 300).to(torch.int64)
        documents[-5:] = -1
        o["documents"] = documents.expand(B, T)
    return o


def of_process(mesh, spec, dtype=torch.float32, leaves=LEAVES):
    """By name: rows of out and gradients, as one process of the mesh has
    them."""
    def cut(x, dim):
        return parallel.shard(x, dim, mesh, leaves=leaves)[0]

    q, k, v, _, dout = given(dtype)
    e, o = encoding(spec, dtype), options(spec, dtype)
    for name, dim in (("x", 1), ("documents", 1)):
        if name in o:
            o[name] = cut(o[name].detach(), dim)
    parts = {name: cut(x, 2).requires_grad_()
             for name, x in (("q", q), ("k", k), ("v", v))}
    if "x" in o:
        parts["x"] = o["x"].requires_grad_()
    out, lse = parallel.attention(
        parts["q"], parts["k"], parts["v"], e, causal=True, return_lse=True,
        mesh=mesh, leaves=leaves, **o)
    out.backward(cut(dout, 2))
    made = {"out": out.detach(), "lse": lse,
            **{"d" + name: x.grad for name, x in parts.items()}}
    made = {name: parallel.unshard(x, 1 if name == "dx" else 2, mesh,
                                   leaves=leaves)
            for name, x in made.items()}
    made.update({"d" + name: x.grad for name, x in e.named_parameters()})
    if "sinks" in o:
        made["dsinks"] = o["sinks"].grad
    return made


def refusals(mesh):
    """What the functions say: (found, expected)."""
    q, k, v, x, _ = given()
    part = q[:, :, :T // 2]
    two = init_device_mesh("cpu", (2, 1), mesh_dim_names=("dp", "cp"))
    meta = init_device_mesh("meta", (2,))

    def attend(q, k, v, **more):
        return lambda: parallel.attention(q, k, v, mesh=mesh, **more)

    calls = (
        ("the sequence has 100 tokens, expected a multiple of 256: 4 leaves of "
         "64 tokens or more for 2 processes",
         lambda: parallel.shard(q[:, :, :100], 2, mesh)),
        ("the sequence has 256 tokens, expected a multiple of 512: 8 leaves",
         attend(*[x[:, :, :128] for x in (q, k, v)], leaves=8)),
        ("the sequence has 200 tokens",
         lambda: parallel.unshard(q[:, :, :100], 2, mesh)),
        ("leaves is 2, expected a power of two, 4 to 256 for 2 processes",
         lambda: parallel.shard(q, 2, mesh, leaves=2)),
        ("leaves is 12, expected", lambda: parallel.shard(q, 2, mesh,
                                                          leaves=12)),
        ('mesh has 2 axes, expected one: pass mesh["cp"]',
         lambda: parallel.shard(q, 2, two)),
        ("mesh is a str, expected a DeviceMesh",
         lambda: parallel.unshard(q, 2, "cp")),
        ("mesh has the device meta, expected cpu",
         lambda: parallel.shard(q, 2, meta)),
        ("q is on device meta, expected cpu",
         attend(q.to("meta"), k, v)),
        ("x is on device meta, expected cpu",
         lambda: parallel.shard(q.to("meta"), 2, mesh)),
        ("balance is 'none', expected 'head-tail'",
         lambda: parallel.shard(q, 2, mesh, "none")),
        ("dim is 4, expected an axis of x, which has 4",
         lambda: parallel.shard(q, 4, mesh)),
        ("k has shape [2, 2, 1024, 16], expected 512 tokens along axis -2",
         attend(part, k, v[:, :, :T // 2])),
        ("q has rank 3", attend(q[0], k, v)),
        ("k has dtype torch.bfloat16, expected float32 or float64 where a "
         "gradient",
         attend(*[x.bfloat16().requires_grad_() for x in (q, k, v)])),
    )
    said = []
    for expected, call in calls:
        try:
            call()
            said.append(("no error", expected))
        except locant.Error as error:
            said.append((str(error), expected))
    return said


def work(rank, size, folder):
    """All that a process of the mesh does; results go to a file."""
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    locant.set_threads(1)
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=size,
                            init_method=f"file://{folder}/meet-{size}")
    try:
        mesh = init_device_mesh("cpu", (1, size), mesh_dim_names=("dp", "cp"))
        mesh = mesh["cp"]
        found = {spec: of_process(mesh, spec) for spec in CASES}
        found["t5, float64"] = of_process(mesh, "t5", torch.float64)
        found["rope, usual leaves"] = of_process(mesh, "rope", leaves=None)
        part, found["positions"] = parallel.shard(given()[0], -2, mesh)
        found["whole"] = parallel.unshard(part, -2, mesh)
        half = [parallel.shard(x.bfloat16(), 2, mesh)[0] for x in given()[:3]]
        found["half"] = parallel.unshard(parallel.attention(
            *half, "rope", causal=True, mesh=mesh), 2, mesh)
        with torch.autocast("cpu", torch.bfloat16):
            parts = [parallel.shard(x, 2, mesh)[0] for x in given()[:3]]
            found["autocast"] = parallel.unshard(parallel.attention(
                *parts, "rope", causal=True, mesh=mesh), 2, mesh)
        x = torch.ones(T, requires_grad=True)
        part, _ = parallel.shard(x, 0, mesh)
        part.sum().backward()
        found["shard"] = x.grad
        if size == 1:
            parts = [parallel.shard(x[:, :, :100], 2, mesh)[0]
                     for x in given()[:3]]
            found["any length"] = parallel.attention(*parts, "t5", mesh=mesh,
                                                     params=encoding("t5")
                                                     .params())
        if size == 2:
            found["refusals"] = refusals(mesh)
        torch.save(found, f"{folder}/{size}-{rank}")
    finally:
        dist.destroy_process_group()


class Parallel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = {}
        with tempfile.TemporaryDirectory() as folder:
            for size in (1, 2, 4):
                torch.multiprocessing.spawn(work, (size, folder), size)
                cls.found[size] = [torch.load(f"{folder}/{size}-{rank}")
                                   for rank in range(size)]

    def equal(self, found, wanted, what):
        self.assertEqual(found.dtype, wanted.dtype, what)
        self.assertTrue(torch.equal(found, wanted), what)

    def cases(self):
        return [*CASES, "t5, float64", "rope, usual leaves"]

    def test_processes_have_the_bits_of_one(self):
        # A parameter's gradient is the sum over processes, by the same tree.
        for case in self.cases():
            one = self.found[1][0][case]
            for size in (2, 4):
                ranks = [found[case] for found in self.found[size]]
                for name, wanted in one.items():
                    parts = [found[name] for found in ranks]
                    if name in ("out", "lse", "dq", "dk", "dv", "dx"):
                        for found in parts:
                            self.equal(found, wanted, (case, name, size))
                        continue
                    while len(parts) > 1:
                        parts = [parts[i] + parts[i + 1]
                                 for i in range(0, len(parts), 2)]
                    self.equal(parts[0], wanted, (case, name, size))

    def whole(self, spec):
        """One call of locant.torch.attention() for the whole sequence."""
        q, k, v, _, dout = given()
        q.requires_grad_()
        e, o = encoding(spec), options(spec)
        if "documents" in o:
            o["q_documents"] = o["k_documents"] = o.pop("documents")
        out, lse = lt.attention(q, k, v, e, True, return_lse=True, **o)
        out.backward(dout)
        return {"out": out.detach(), "lse": lse, "dq": q.grad}

    def tree(self, spec):
        """Sums over queries in the order of pairs of leaves."""
        q, k, v, _, dout = given()
        e, o = encoding(spec), options(spec)
        o = {name: x.detach().numpy() if isinstance(x, torch.Tensor) else x
             for name, x in o.items()}
        if "documents" in o:
            o["k_documents"] = o.pop("documents")
            o["q_documents"] = np.ascontiguousarray(
                o["k_documents"][:, ORDER])
            o["k_documents"] = np.ascontiguousarray(o["k_documents"])
        params = {name: x.detach().numpy() for name, x in e.params().items()}
        q, dout = q[:, :, ORDER].numpy(), dout[:, :, ORDER].numpy()
        common = dict(encoding=e.spec, causal=True, params=params,
                      q_positions=ORDER, k_positions=np.arange(T), **o)
        out, lse = locant.attention(q, k.numpy(), v.numpy(), return_lse=True,
                                    **common)
        g = locant.attention_backward(dout, q, k.numpy(), v.numpy(), out, lse,
                                      leaves=LEAVES, **common)
        made = {"dk": g.k, "dv": g.v, "dx": g.x, "dsinks": g.sinks,
                **{"d" + own: g.params[name] for name, own in
                   e._names.items() if name in g.params}}
        return {name: torch.from_numpy(x) for name, x in made.items()
                if x is not None}

    def test_rows_are_those_of_one_call(self):
        for spec in CASES:
            for name, wanted in self.whole(spec).items():
                for size in (1, 2, 4):
                    self.equal(self.found[size][0][spec][name], wanted,
                               (spec, name, size))

    def test_sums_are_the_tree_of_one_call(self):
        for spec in CASES:
            wanted = self.tree(spec)
            one = self.found[1][0][spec]
            names = one.keys() - {"out", "lse", "dq"}
            self.assertLessEqual({"dk", "dv"}, names)
            for name in names:
                self.equal(one[name], wanted[name], (spec, name))

    def test_sums_are_the_gradients(self):
        # Sums of at most T terms in another order, in float32: the tree has 3
        # additions more and its chains are shorter, so both are within
        # T 2^-24 of the exact sum relative to the sum of magnitudes, which
        # for random terms is sqrt(T) of the result's norm at most: 2 T 2^-24
        # sqrt(T) = 4e-3 at worst; half of it a bound that wrong keys (1) break.
        q, k, v, _, dout = given()
        for x in (q, k, v):
            x.requires_grad_()
        lt.attention(q, k, v, "rope", True).backward(dout)
        for name, x in (("dk", k), ("dv", v)):
            found = self.found[2][1]["rope"][name]
            unlike = (found - x.grad).norm() / x.grad.norm()
            self.assertLess(unlike, 2e-3, name)
            self.assertFalse(torch.equal(found, x.grad))  # another order

    def test_leaves_are_pairs_from_both_ends(self):
        for size in (1, 2, 4):
            found = [x["positions"] for x in self.found[size]]
            leaf = T // 16
            usual = [i // 2 if i % 2 == 0 else 15 - i // 2 for i in range(16)]
            wanted = torch.cat([torch.arange(i * leaf, (i + 1) * leaf)
                                for i in usual])
            self.equal(torch.cat(found), wanted, size)
            for x in self.found[size]:
                self.equal(x["whole"], given()[0], size)

    def test_gradient_of_a_part(self):
        for size in (1, 2, 4):
            for x in self.found[size]:
                own = torch.zeros(T)
                own[x["positions"]] = 1
                self.equal(x["shard"], own, size)

    def test_one_process_takes_any_length(self):
        q, k, v = [x[:, :, :100] for x in given()[:3]]
        self.equal(self.found[1][0]["any length"].detach(),
                   encoding("t5")(q, k, v).detach(), "100 tokens")

    def test_autocast_does_not_act(self):
        wanted = lt.attention(*given()[:3], "rope", True)
        for size in (1, 2, 4):
            self.equal(self.found[size][0]["autocast"], wanted, size)

    def test_half_precision_without_gradients(self):
        wanted = lt.attention(*[x.bfloat16() for x in given()[:3]], "rope",
                              True)
        for size in (1, 2, 4):
            self.equal(self.found[size][0]["half"], wanted, size)

    def test_refusals(self):
        for ranks in self.found[2]:
            for said, expected in ranks["refusals"]:
                self.assertIn(expected, said)
                self.assertNotIn("\n", said)
