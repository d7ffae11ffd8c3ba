"""Qwen2-VL, Qwen2.5-VL and Qwen3-VL with one image a row.

pixels [B, C, H, W]: the image is both frames of its one step in time.  Patches
come in groups of those that are merged into one token.
"""
import numpy as np

from . import rotary
from .attention import attend
from .decoder import Decoder
from .functions import ACTIVATIONS, gelu, layer_norm, rms_norm, silu

EPS = 1e-6


def in_groups(x, m):
    """[rows, columns, ..] to [tokens, ..], merged ones side by side."""
    h, w = x.shape[:2]
    x = x.reshape((h // m, m, w // m, m) + x.shape[2:])
    return x.swapaxes(1, 2).reshape((h * w,) + x.shape[4:])


def linear_matrix(to, size):
    """Weights [to, size] whose ends meet the ends."""
    place = np.linspace(0, size - 1, to)
    left = np.minimum(np.floor(place).astype(int), size - 1)
    m = np.zeros((to, size))
    m[np.arange(to), left] += 1 - (place - left)
    m[np.arange(to), np.minimum(left + 1, size - 1)] += place - left
    return m


class Tower:
    """Of one image [C, H, W]."""

    def __init__(self, m, c, kind):
        self.m, self.c, self.kind = m, c, kind
        self.group = c.get("spatial_merge_size", 2)

    def norm(self, name, x):
        weight = self.m(f"visual.{name}.weight")
        if self.kind == "qwen2_5_vl":
            return rms_norm(x, weight, EPS)
        return layer_norm(x, weight, self.m(f"visual.{name}.bias"), EPS)

    def linear(self, name, x):
        return self.m.linear("visual." + name, x)

    def begin(self, image):
        w = self.m("visual.patch_embed.proj.weight")  # [D, C, time, P, P]
        p, frames = w.shape[-1], w.shape[2]
        channels, h, wide = image.shape
        self.grid = h // p, wide // p
        x = image.astype(np.float64).reshape(
            channels, self.grid[0], p, self.grid[1], p)
        x = np.repeat(x.transpose(1, 3, 0, 2, 4)[:, :, :, None], frames, 3)
        x = in_groups(x.reshape(self.grid + (-1,)), self.group)
        x = x @ w.reshape(len(w), -1).T
        bias = self.m.find("visual.patch_embed.proj.bias")
        return x if bias is None else x + bias

    def with_table(self, x):
        """Qwen3-VL: a learned square of positions, resized."""
        table = self.m.find("visual.pos_embed.weight")
        if table is None:
            return x
        side = int(len(table) ** 0.5)
        grid = np.einsum("ri,cj,ijd->rcd", linear_matrix(self.grid[0], side),
                         linear_matrix(self.grid[1], side),
                         table.reshape(side, side, -1))
        return x + in_groups(grid, self.group)

    def places(self):
        """[tokens, 2]: row and column of each patch."""
        rows, columns = np.meshgrid(*map(np.arange, self.grid), indexing="ij")
        return in_groups(np.stack([rows, columns], -1), self.group)

    def angles(self, d):
        p = self.c.get("rope_parameters") or {"rope_theta": 1e4}
        f = rotary.plain(p["rope_theta"], d // 2)
        place = self.places()
        return np.concatenate([place[:, :1] * f, place[:, 1:] * f], -1)

    def seen(self, i):
        """Qwen2.5-VL: windows of pixels, except in some blocks."""
        if "window_size" not in self.c or \
                i in self.c["fullatt_block_indexes"]:
            return True
        side = self.c["window_size"] // self.c["patch_size"] // self.group
        window = self.places() // self.group // side
        return (window[:, None] == window[None]).all(-1)

    def attention(self, i, x):
        heads = self.c["num_heads"]
        q, k, v = self.linear(f"blocks.{i}.attn.qkv", x).reshape(
            len(x), 3, heads, -1).transpose(1, 2, 0, 3)[:, None]
        turn = self.angles(q.shape[-1])
        y = attend(rotary.rotate(q, turn), rotary.rotate(k, turn), v,
                   q.shape[-1] ** -0.5, self.seen(i))
        y = y[0].transpose(1, 0, 2).reshape(len(x), -1)
        return self.linear(f"blocks.{i}.attn.proj", y)

    def mlp(self, i, x):
        at = f"blocks.{i}.mlp."
        if self.kind == "qwen2_5_vl":
            return self.linear(at + "down_proj", silu(self.linear(
                at + "gate_proj", x)) * self.linear(at + "up_proj", x))
        first, second = (("fc1", "fc2") if self.kind == "qwen2_vl"
                         else ("linear_fc1", "linear_fc2"))
        act = ACTIVATIONS[self.c["hidden_act"]]
        return self.linear(at + second, act(self.linear(at + first, x)))

    def merged(self, x):
        """[tokens / group^2, width of the text]."""
        if self.kind == "qwen3_vl":
            return self.merged_by("merger", self.norm("merger.norm", x))
        x = self.norm("merger.ln_q", x)
        x = x.reshape(len(x) // self.group ** 2, -1)
        return self.linear("merger.mlp.2", gelu(self.linear(
            "merger.mlp.0", x)))

    def merged_by(self, at, x):
        x = x.reshape(-1, self.m(f"visual.{at}.linear_fc1.weight").shape[1])
        return self.linear(at + ".linear_fc2", gelu(self.linear(
            at + ".linear_fc1", x)))

    def run(self, image):
        """States of the image's tokens, and what the first layers of the
        text add to them."""
        x, deep = self.with_table(self.begin(image)), []
        for i in range(self.c["depth"]):
            x = x + self.attention(i, self.norm(f"blocks.{i}.norm1", x))
            x = x + self.mlp(i, self.norm(f"blocks.{i}.norm2", x))
            if i in self.c.get("deepstack_visual_indexes", []):
                at = f"deepstack_merger_list.{len(deep)}"
                y = x.reshape(len(x) // self.group ** 2, -1)
                deep.append(self.merged_by(at, self.norm(at + ".norm", y)))
        return self.merged(x), deep


def positions_of(ids, mask, image, grid):
    """[3, B, T]: an image takes as many as its longer side has tokens, and
    hidden tokens take none."""
    out = np.zeros((3,) + ids.shape, np.int64)
    for b, row in enumerate(ids):
        shown = np.flatnonzero(np.ones_like(row) if mask is None else mask[b])
        first = np.flatnonzero(row[shown] == image)[0]
        t = np.arange(grid[0] * grid[1])
        rest = np.arange(len(shown) - first - len(t))
        text = np.broadcast_to(np.arange(first), (3, first))
        after = np.broadcast_to(first + max(grid) + rest, (3, len(rest)))
        out[:, b, shown] = np.concatenate(
            [text, first + np.stack([0 * t, t // grid[1], t % grid[1]]),
             after], 1)
    return out


class Seeing(Decoder):
    def __init__(self, m, family, given):
        self.kind = m.outer["model_type"]
        self.image = m.outer["image_token_id"]
        self.places, self.deep = given["ids"] == self.image, []
        tower = Tower(m, m.outer["vision_config"], self.kind)
        runs = [tower.run(image) for image in given["pixels"]]
        self.states = np.concatenate([state for state, _ in runs])
        self.deep = [np.concatenate(parts)
                     for parts in zip(*(deep for _, deep in runs))]
        grid = [n // tower.group for n in tower.grid]
        positions = given.get("positions")
        if positions is None:
            positions = positions_of(given["ids"], given.get("mask"),
                                     self.image, grid)
        super().__init__(m, family, given["ids"], given.get("mask"),
                         positions)

    def begin(self):
        x = super().begin()
        x[self.places] = self.states
        return x

    def layer(self, i, x):
        x = super().layer(i, x)
        if i < len(self.deep):
            x[self.places] += self.deep[i]
        return x
