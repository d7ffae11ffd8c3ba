"""Attention backward from a saved forward: dq, dk, dv, and dtable of T5."""
import torch

import attention as peer
import lib_ggml
from attention import Problem
from measure import Case, Contender, Work, seeded


def dout(p):
    return seeded(1, p.heads, p.tokens, p.dim, dtype=p.dtype, seed=5)


def ours(locant, p):
    problem = peer.ours(locant, p)
    problem.prepare_backward(dout(p))
    problem.forward()

    def result():
        if p.bias == "t5":
            problem.gradients[3].zero_()  # backward adds to it
        problem.backward()
        return problem.gradients
    return Work(problem.backward, result)


def through(attend, p):
    """Work of autograd's backward through attend(q, k, v, table)."""
    leaves = [x.clone().requires_grad_() for x in p.qkv()]
    if p.bias == "t5":
        leaves.append(p.table().clone().requires_grad_())
    out = attend(*leaves)
    given = dout(p)

    def run():
        return torch.autograd.grad(out, leaves, given, retain_graph=True)
    return Work(run, lambda: list(run()))


def sdpa(p):
    before = peer.bias_tensor(p) if p.bias == "alibi" else None

    def attend(q, k, v, table=None):
        bias = peer.bias_tensor(p, table) if p.bias == "t5" else before
        return peer.sdpa(p, (q, k, v), bias)
    return through(attend, p)


def flex(p):
    def attend(q, k, v, table=None):
        return peer.flex(p)(q, k, v)
    return through(attend, p)


def ggml(p, threads):
    q, k, v = p.qkv()
    graph = lib_ggml.Graph(threads, 12 * q.nbytes)
    tensors = [graph.tensor(x) for x in (q, k, v.mT.contiguous(), dout(p))]
    graph.plan(graph.flash_back(*tensors, p.causal))
    return Work(graph.compute)


def backward(locant, threads, p):
    return Case(f"backward {p.name()}", "GFLOP/s", 2.5 * p.flops() / 1e9, 1e-3,
                [Contender("locant", lambda: ours(locant, p)),
                 Contender("SDPA", lambda: sdpa(p), 2),
                 Contender("FlexAttention compiled", lambda: flex(p)),
                 Contender("ggml flash attention", lambda: ggml(p, threads), 0,
                           True)], quick=p.dim == 64 and p.causal)


def cases(locant, threads):
    for bias in ("none", "alibi", "t5"):
        for dim, causal in ((64, False), (64, True), (128, True)):
            yield backward(locant, threads, Problem(dim, causal, bias))
