"""One attention problem, and its implementation in every library."""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F

import lib_ggml
import lib_locant
import lib_onnx
from measure import Work, seeded

SPECS = {("none", False): "none", ("none", True): "none",
         ("alibi", False): "alibi(symmetric=yes)", ("alibi", True): "alibi",
         ("t5", False): "t5(bidirectional=yes)", ("t5", True): "t5"}
BUCKETS = 32


@dataclass(frozen=True)
class Problem:
    """q [1, H, T, D]; k, v [1, Hkv, S, D]; the last query is at the last key."""
    dim: int
    causal: bool
    bias: str = "none"
    dtype: torch.dtype = torch.float32
    heads: int = 8
    kv_heads: int = 8
    tokens: int = 2048
    keys: int = 2048

    def name(self):
        size = f"[1,{self.heads},{self.tokens},{self.dim}]"
        if self.keys != self.tokens:
            size += f" over {self.kv_heads} x {self.keys} keys"
        kind = "causal" if self.causal else "full"
        dtype = {torch.float32: "f32", torch.float16: "f16",
                 torch.bfloat16: "bf16"}[self.dtype]
        return f"{size} {dtype} {kind} {self.bias}"

    def qkv(self):
        cache = (1, self.kv_heads, self.keys, self.dim)
        return (seeded(1, self.heads, self.tokens, self.dim, dtype=self.dtype,
                       seed=1),
                seeded(*cache, dtype=self.dtype, seed=2),
                seeded(*cache, dtype=self.dtype, seed=3))

    def table(self):
        return (seeded(BUCKETS, self.heads, seed=4) if self.bias == "t5"
                else None)

    def flops(self):
        pairs = self.heads * self.tokens * self.keys
        return 4 * self.dim * pairs / (2 if self.causal else 1)

    def scale(self):
        return self.dim ** -.5

    def positions(self):
        """[T, 1] and [1, S]"""
        return (torch.arange(self.keys - self.tokens, self.keys)[:, None],
                torch.arange(self.keys)[None])


def ours(locant, p):
    encoding = lib_locant.Encoding(locant, SPECS[p.bias, p.causal])
    return lib_locant.Problem(locant, p.qkv(), encoding, p.causal, p.table())


# ---------------------------------------------------------------------- torch

def slopes(heads):
    return 2. ** (-8 * torch.arange(1, heads + 1) / heads)


def buckets(p):
    """T5's bucket of each pair [T, S], as transformers computes it."""
    from transformers.models.t5.modeling_t5 import T5Attention
    i, j = p.positions()
    return T5Attention._relative_position_bucket(
        j - i, bidirectional=not p.causal, num_buckets=BUCKETS,
        max_distance=128)


def bias_tensor(p, table=None):
    """The bias [1, H, T, S], -infinity for masked keys."""
    i, j = p.positions()
    if p.bias == "alibi":
        distance = -(i - j).abs().float()
        bias = slopes(p.heads)[:, None, None] * distance
    else:
        table = p.table() if table is None else table
        bias = table[buckets(p)].permute(2, 0, 1)
    if p.causal:
        bias = bias.masked_fill(j > i, -math.inf)
    return bias[None].to(p.dtype)


def sdpa(p, qkv, bias):
    """scaled_dot_product_attention; a bias contains the causal mask."""
    grouped = p.heads != p.kv_heads
    causal = p.causal and bias is None and p.tokens == p.keys
    return F.scaled_dot_product_attention(*qkv, attn_mask=bias,
                                          is_causal=causal, enable_gqa=grouped)


def sdpa_forward(p, made_before=True):
    qkv = p.qkv()
    bias = bias_tensor(p) if p.bias != "none" and made_before else None

    def run():
        with torch.no_grad():
            return sdpa(p, qkv, bias if made_before else bias_tensor(p))
    return Work(run, lambda: [run()])


def score_mod(p, table):
    """The function by which FlexAttention adds the bias to one score; it counts
    queries from 0."""
    past = p.keys - p.tokens
    if p.bias == "alibi":
        slope = slopes(p.heads)
        return lambda s, b, h, i, j: s - slope[h] * (i + past - j).abs()
    if p.bias == "t5":
        bucket = buckets(p)
        return lambda s, b, h, i, j: s + table[bucket[i, j], h]
    return None


def flex(p):
    """A function of q, k, v: compiled FlexAttention."""
    from torch.nn.attention.flex_attention import (create_block_mask,
                                                   flex_attention)
    compiled = torch.compile(flex_attention, dynamic=False)
    modify = score_mod(p, p.table())
    mask = None
    if p.causal and p.tokens == p.keys:
        mask = create_block_mask(lambda b, h, i, j: i >= j, None, None,
                                 p.tokens, p.keys, device="cpu")
    grouped = p.heads != p.kv_heads
    return lambda q, k, v: compiled(q, k, v, score_mod=modify, block_mask=mask,
                                    enable_gqa=grouped)


def flex_forward(p):
    attend, qkv = flex(p), p.qkv()

    def run():
        with torch.no_grad():
            return attend(*qkv)
    return Work(run, lambda: [run()])


# ---------------------------------------------------------------- onnxruntime

def by_token(x):
    """[B, H, T, D] -> [B, T, H D]"""
    return x.transpose(1, 2).flatten(2).contiguous()


def grouped_query(p, threads):
    """com.microsoft GroupQueryAttention, which is causal and appends the T new
    keys in place to a cache of S - T keys."""
    q, k, v = p.qkv()
    past = p.keys - p.tokens
    cache = [x.clone() if past else x.new_empty(x.shape) for x in (k, v)]
    tensors = {"q": by_token(q), "k": by_token(k[:, :, past:]),
               "v": by_token(v[:, :, past:]), "past_k": cache[0],
               "past_v": cache[1],
               "last": torch.tensor([p.keys - 1], dtype=torch.int32),
               "total": torch.tensor([p.keys], dtype=torch.int32)}
    names = list(tensors)
    if p.bias != "none":
        tensors["bias"] = bias_tensor(p).masked_fill(
            torch.isinf(bias_tensor(p)), torch.finfo(p.dtype).min)
        names += ["", "", "", "bias"]
    out = {"out": torch.empty_like(tensors["q"]), "now_k": cache[0],
           "now_v": cache[1]}
    made = lib_onnx.node("GroupQueryAttention", names, list(out),
                         num_heads=p.heads, kv_num_heads=p.kv_heads,
                         scale=p.scale())
    run = lib_onnx.bound([made], tensors, out, threads)
    return Work(run, lambda: tensors and [
        out["out"].unflatten(2, (p.heads, p.dim)).transpose(1, 2)])


# ----------------------------------------------------------------------- ggml

def ggml_mask(p):
    """A mask in f16 with T5's bias, or with the distances that ggml multiplies
    by ALiBi's slopes."""
    i, j = p.positions()
    if p.bias == "t5":
        return bias_tensor(p).half()
    mask = torch.zeros(p.tokens, p.keys)
    if p.bias == "alibi":
        mask = -(i - j).abs().float()
    if p.causal:
        mask = mask.masked_fill(j > i, -math.inf)
    return mask[None, None].half()


def ggml_flash(p, threads, dtype):
    """ggml_flash_attn_ext with k and v of 'dtype'; it takes q in f32 only."""
    q, k, v = p.qkv()
    q, k, v = q.float(), k.to(dtype), v.to(dtype)
    # one query sees all keys and needs no mask
    masked = p.bias != "none" or (p.causal and p.tokens > 1)
    mask = ggml_mask(p) if masked else None
    sizes = [t.nbytes for t in (q, q, k, v)]
    graph = lib_ggml.Graph(threads, sum(sizes) + (mask.nbytes if masked else 0))
    node = graph.flash(graph.tensor(q), graph.tensor(k), graph.tensor(v),
                       graph.tensor(mask) if masked else None, p.scale(),
                       8. if p.bias == "alibi" else 0.)
    graph.plan(node)
    shape = (1, p.tokens, p.heads, p.dim)
    return Work(graph.compute,
                lambda: [graph.read(node, shape).transpose(1, 2)])
