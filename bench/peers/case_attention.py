"""Attention forward, and decoding with one query."""
import torch

import attention as peer
from attention import Problem
from measure import Case, Contender, Work

# some libraries have keys, values or sums in f16 or bf16
TOLERANCE = 2e-2


def ours(locant, p):
    problem = peer.ours(locant, p)
    return Work(problem.forward, lambda: [problem.out])


def torch_contenders(p):
    if p.bias == "none":
        yield Contender("SDPA", lambda: peer.sdpa_forward(p),
                        1.5 if p.tokens > 1 else 0)
    else:
        yield Contender("SDPA, bias made before", lambda: peer.sdpa_forward(p),
                        3 if p.tokens > 1 else 0)
        yield Contender("SDPA and making the bias",
                        lambda: peer.sdpa_forward(p, False))
    yield Contender("FlexAttention compiled", lambda: peer.flex_forward(p))


def onnx_contenders(p, threads):
    if p.causal:
        yield Contender("onnxruntime GroupQueryAttention",
                        lambda: peer.grouped_query(p, threads))


def ggml_contenders(p, threads):
    goal = 1.5 if p.bias == "alibi" and p.tokens > 1 else 0
    dtypes = {"f16": torch.float16, "f32": torch.float32}
    if p.dtype == torch.bfloat16:
        dtypes = {"bf16": torch.bfloat16}
    for name, dtype in dtypes.items():
        yield Contender(f"ggml flash attention, k and v {name}",
                        lambda dtype=dtype: peer.ggml_flash(p, threads, dtype),
                        goal, True)


def forward(locant, threads, p):
    return Case(f"forward {p.name()}", "GFLOP/s", p.flops() / 1e9, TOLERANCE, [
        Contender("locant", lambda: ours(locant, p)),
        *torch_contenders(p),
        *onnx_contenders(p, threads),
        *ggml_contenders(p, threads)],
        quick=p.dim == 64 and p.causal and p.dtype == torch.float32)


def decode(locant, threads, p):
    case = forward(locant, threads, p)
    case.name = case.name.replace("forward", "decode")
    read = 2 * p.kv_heads * p.keys * p.dim * p.dtype.itemsize
    case.unit, case.amount = "GB/s", read / 1e9
    case.quick = p.bias == "none" and p.dtype == torch.float32
    return case


def cases(locant, threads):
    for bias in ("none", "alibi", "t5"):
        for dim in (64, 128):
            for causal in (False, True):
                yield forward(locant, threads, Problem(dim, causal, bias))
    for dim in (64, 128):
        yield forward(locant, threads,
                      Problem(dim, True, dtype=torch.bfloat16))
    for dtype in (torch.float32, torch.bfloat16):
        for bias in ("none", "alibi"):
            yield decode(locant, threads,
                         Problem(128, True, bias, dtype, 32, 8, 1, 8192))
