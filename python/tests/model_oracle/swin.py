"""Swin (arXiv:2103.14030) and Swin v2 (2111.09883): attention in windows that
shift by half of their size in every second block."""
import math

import numpy as np

from .attention import attend
from .functions import (ACTIVATIONS, layer_norm, merge_heads, relu, sigmoid,
                        split_heads)
from .vision import patches


def windows(x, size):
    """[B, H, W, C] to [B * windows, size * size, C]."""
    b, h, w, c = x.shape
    x = x.reshape(b, h // size, size, w // size, size, c)
    return x.transpose(0, 1, 3, 2, 4, 5).reshape(-1, size * size, c)


def whole(x, size, h, w):
    """The inverse of windows()."""
    x = x.reshape(-1, h // size, w // size, size, size, x.shape[-1])
    return x.transpose(0, 1, 3, 2, 4, 5).reshape(-1, h, w, x.shape[-1])


def shift_mask(h, w, size, shift):
    """[windows, size^2, size^2]: -100 between parts that were no neighbours."""
    def region(n):
        i = np.arange(n)
        return (i >= n - size).astype(int) + (i >= n - shift)
    parts = region(h)[:, None] * 3 + region(w)[None]
    parts = windows(parts[None, ..., None], size)[..., 0]
    return np.where(parts[:, :, None] != parts[:, None], -100.0, 0.0)


def offsets(size):
    """[size^2, size^2, 2] of query minus key, from 0."""
    place = np.stack(np.meshgrid(np.arange(size), np.arange(size),
                                 indexing="ij"), -1).reshape(-1, 2)
    return place[:, None] - place[None] + size - 1


def merged(x):
    """[B, H / 2, W / 2, 4 C]; odd sides are filled with zeros."""
    _, h, w, _ = x.shape
    x = np.pad(x, ((0, 0), (0, h % 2), (0, w % 2), (0, 0)))
    return np.concatenate([x[:, 0::2, 0::2], x[:, 1::2, 0::2],
                           x[:, 0::2, 1::2], x[:, 1::2, 1::2]], -1)


class Swin:
    def __init__(self, m, given):
        self.m, self.c, self.pixels = m, m.c, given["pixels"]

    def norm(self, name, x, eps=None):
        return layer_norm(x, self.m(name + ".weight"), self.m(name + ".bias"),
                          self.c["layer_norm_eps"] if eps is None else eps)

    def window(self, stage, block, grid):
        """Size and shift."""
        size = self.c["window_size"]
        if min(grid) <= size:
            return min(grid), 0
        return size, size // 2 if block % 2 else 0

    def bias(self, at, size, stage):
        """[1, H, size^2, size^2]."""
        table = self.m(at + "relative_position_bias_table")
        o = offsets(size)
        rows = o[..., 0] * (2 * size - 1) + o[..., 1]
        return table[rows].transpose(2, 0, 1)[None]

    def scores(self, at, q, k):
        return q, k, q.shape[-1] ** -0.5

    def attention(self, at, x, heads, size, shift, stage, grid):
        inner = at + "attention.self."
        q, k, v = (split_heads(self.m.linear(inner + n, x), heads)
                   for n in ("query", "key", "value"))
        q, k, scale = self.scores(inner, q, k)
        bias = self.bias(inner, size, stage)
        if shift:
            mask = shift_mask(*grid, size, shift) * self.mask_times
            bias = bias + np.tile(mask, (len(x) // len(mask), 1, 1))[:, None]
        y = attend(q, k, v, scale, True, bias=bias)
        return self.m.linear(at + "attention.output.dense", merge_heads(y))

    mask_times = 1

    def windowed(self, at, x, stage, block):
        """Attention of x [B, H, W, C]."""
        _, h, w, _ = x.shape
        size, shift = self.window(stage, block, (h, w))
        x = np.pad(x, ((0, 0), (0, -h % size), (0, -w % size), (0, 0)))
        grid = x.shape[1:3]
        x = windows(np.roll(x, (-shift, -shift), (1, 2)), size)
        x = self.attention(at, x, self.c["num_heads"][stage], size, shift,
                           stage, grid)
        x = np.roll(whole(x, size, *grid), (shift, shift), (1, 2))
        return x[:, :h, :w]

    def mlp(self, at, x):
        act = ACTIVATIONS[self.c["hidden_act"]]
        return self.m.linear(at + "output.dense", act(
            self.m.linear(at + "intermediate.dense", x)))

    def block(self, at, x, stage, i):
        x = x + self.windowed(at, self.norm(at + "layernorm_before", x),
                              stage, i)
        return x + self.mlp(at, self.norm(at + "layernorm_after", x))

    def reduced(self, at, x):
        return self.m.linear(at + "reduction",
                             self.norm(at + "norm", merged(x), 1e-5))

    def hidden(self):
        at = "embeddings.patch_embeddings.projection."
        x = patches(self.pixels, self.m(at + "weight"), self.m(at + "bias"))
        x = self.norm("embeddings.norm", x)
        for stage, depth in enumerate(self.c["depths"]):
            at = f"encoder.layers.{stage}."
            for i in range(depth):
                x = self.block(f"{at}blocks.{i}.", x, stage, i)
            if at + "downsample.reduction.weight" in self.m:
                x = self.reduced(at + "downsample.", x)
        x = x.reshape(len(x), -1, x.shape[-1])
        return self.norm("layernorm", x)

    def logits(self):
        return self.m.linear("classifier", self.hidden().mean(1))


class SwinV2(Swin):
    """Norms after the branches, cosines, and a bias that a network computes
    from the logarithms of distances; the mask is added twice."""
    mask_times = 2

    def window(self, stage, block, grid):
        side = self.c["image_size"] // self.c["patch_size"] // 2 ** stage
        size = min(side, self.c["window_size"])
        return size, 0 if side <= size or block % 2 == 0 else (
            self.c["window_size"] // 2)

    def bias(self, at, size, stage):
        given = self.c.get("pretrained_window_sizes") or [0] * (stage + 1)
        side = np.arange(1 - size, size, dtype=np.float64)
        if given[stage] > 0:
            side = side / (given[stage] - 1)
        elif size > 1:
            side = side / (size - 1)
        side = np.sign(side) * np.log2(np.abs(8 * side) + 1) / math.log2(8)
        at += "continuous_position_bias_mlp."
        o = offsets(size)
        x = np.stack([side[o[..., 0]], side[o[..., 1]]], -1)
        x = self.m.linear(at + "2", relu(self.m.linear(at + "0", x)))
        return 16 * sigmoid(x.transpose(2, 0, 1)[None])

    def scores(self, at, q, k):
        q, k = (y / np.maximum(np.sqrt((y * y).sum(-1, keepdims=True)), 1e-12)
                for y in (q, k))
        scale = np.exp(np.minimum(self.m(at + "logit_scale"), math.log(100)))
        return q * scale[None], k, 1.0

    def block(self, at, x, stage, i):
        x = x + self.norm(at + "layernorm_before",
                          self.windowed(at, x, stage, i))
        return x + self.norm(at + "layernorm_after", self.mlp(at, x))

    def reduced(self, at, x):
        return self.norm(at + "norm",
                         self.m.linear(at + "reduction", merged(x)), 1e-5)


MODELS = {"swin": Swin, "swinv2": SwinV2}
