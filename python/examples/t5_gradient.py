"""The gradient of a T5 bias without the array of T x S.

usage: t5_gradient.py [TOKENS]       8192 if left out

One training step of T5's self-attention, forward and backward with gradients
of q, k, v and the bias table, in two fresh processes: by PyTorch's
scaled_dot_product_attention with a bias tensor, as T5 does it, and by
locant.torch.  Printed are the seconds of the step, the peak memory of each
process (all of it, PyTorch's own included), and how far apart the gradients of
the table are.
"""
import json
import math
import subprocess
import sys
import time

HEADS, DIM, BUCKETS, DISTANCE = 8, 64, 32, 128


def buckets(tokens):
    """Bucket of each query and key, as T5 computes it, [T, T]."""
    import torch
    at = torch.arange(tokens)
    away = at[None, :] - at[:, None]
    n, half = away.abs(), BUCKETS // 2
    exact = half // 2
    far = exact + (torch.log(n.float() / exact) / math.log(DISTANCE / exact) *
                   (half - exact)).long().clamp(max=half - exact - 1)
    return (away > 0) * half + torch.where(n < exact, n, far)


def by_sdpa(q, k, v, table):
    from torch.nn.functional import scaled_dot_product_attention as sdpa
    bias = table[buckets(q.shape[2])].permute(2, 0, 1)[None]
    return sdpa(q, k, v, attn_mask=bias, scale=1.0)


def by_locant(q, k, v, table):
    from locant import torch as lt
    return lt.attention(q, k, v, "t5(bidirectional=yes)", scale=1.0,
                        params={"table": table})


def step(attend, tokens):
    """Seconds of a step, and the gradient of the table."""
    import torch
    g = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, HEADS, tokens, DIM, generator=g) / DIM ** 0.25
               for _ in range(3))
    table = torch.randn(BUCKETS, HEADS, generator=g)
    for x in (q, k, v, table):
        x.requires_grad_()
    start = time.perf_counter()
    out = attend(q, k, v, table)
    out.backward(v.detach())
    return time.perf_counter() - start, table.grad.flatten().tolist()


def peak():
    """Bytes of memory that this process had at most."""
    with open("/proc/self/status", encoding="utf-8") as f:
        for line in f:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    raise OSError("no VmHWM in /proc/self/status")


def child(name, tokens):
    attend = {"sdpa": by_sdpa, "locant": by_locant}[name]
    step(attend, 64)  # loads what is loaded on first use
    seconds, gradient = step(attend, tokens)
    print(json.dumps([seconds, peak(), gradient]))


def main(tokens=8192):
    print(f"T = {tokens}, {HEADS} heads of {DIM}")
    print("           seconds  peak MB")
    found = {}
    for name in ("sdpa", "locant"):
        done = subprocess.run([sys.executable, __file__, name, str(tokens)],
                              check=True, stdout=subprocess.PIPE)
        found[name] = json.loads(done.stdout)
        print(f"{name:8s}  {found[name][0]:8.2f}  {found[name][1] / 1e6:7.0f}")
    (t0, m0, usual), (t1, m1, ours) = found["sdpa"], found["locant"]
    print(f"ratio     {t0 / t1:8.2f}  {m0 / m1:7.1f}")
    apart = max(abs(a - b) for a, b in zip(usual, ours)) / \
        max(abs(a) for a in usual)
    print(f"gradients of the table differ by {apart:.1e} of the largest")
    return t0 / t1, m0 / m1, apart


if __name__ == "__main__":
    if sys.argv[1:2] in (["sdpa"], ["locant"]):
        child(sys.argv[1], int(sys.argv[2]))
    else:
        main(*map(int, sys.argv[1:2]))
