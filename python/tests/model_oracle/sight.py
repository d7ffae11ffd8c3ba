"""Qwen2-VL, Qwen2.5-VL and Qwen3-VL, with images in their texts.

pixels [N, C, H, W]: an image is both frames of its one step in time; or patches
[.., C * time * P * P] with the grid [N, 3] of their images.  Patches come in
groups of those that are merged into one token.
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


def patches_of(image, p, frames, m):
    """[tokens, C * frames * P * P] of an image [C, H, W]."""
    channels, h, w = image.shape
    x = image.reshape(channels, h // p, p, w // p, p).transpose(1, 3, 0, 2, 4)
    x = np.repeat(x[:, :, :, None], frames, 3)
    return in_groups(x.reshape(h // p, w // p, -1), m)


class Tower:
    """Of one image: its patches and its grid of frames, rows, columns."""

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

    def begin(self, patches):
        w = self.m("visual.patch_embed.proj.weight")  # [D, C, time, P, P]
        x = patches.astype(np.float64) @ w.reshape(len(w), -1).T
        bias = self.m.find("visual.patch_embed.proj.bias")
        return x if bias is None else x + bias

    def with_table(self, x):
        """Qwen3-VL: a learned square of positions, resized."""
        table = self.m.find("visual.pos_embed.weight")
        if table is None:
            return x
        side = int(len(table) ** 0.5)
        grid = np.einsum("ri,cj,ijd->rcd", linear_matrix(self.grid[1], side),
                         linear_matrix(self.grid[2], side),
                         table.reshape(side, side, -1))
        return x + np.tile(in_groups(grid, self.group), (self.grid[0], 1))

    def places(self):
        """[tokens, 2]: row and column of each patch."""
        rows, columns = np.meshgrid(*map(np.arange, self.grid[1:]),
                                    indexing="ij")
        return np.tile(in_groups(np.stack([rows, columns], -1), self.group),
                       (self.grid[0], 1))

    def angles(self, d):
        p = self.c.get("rope_parameters") or {"rope_theta": 1e4}
        f = rotary.plain(p["rope_theta"], d // 2)
        place = self.places()
        return np.concatenate([place[:, :1] * f, place[:, 1:] * f], -1)

    def seen(self, i):
        """The patches of a frame; of Qwen2.5-VL windows of pixels, except in
        some blocks."""
        frame = np.arange(np.prod(self.grid)) // np.prod(self.grid[1:])
        frame = frame[:, None] == frame[None]
        if "window_size" not in self.c or \
                i in self.c["fullatt_block_indexes"]:
            return frame
        side = self.c["window_size"] // self.c["patch_size"] // self.group
        window = self.places() // self.group // side
        return frame & (window[:, None] == window[None]).all(-1)

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

    def run(self, patches, grid):
        """States of the image's tokens, and what the first layers of the
        text add to them."""
        self.grid = grid
        x, deep = self.with_table(self.begin(patches)), []
        for i in range(self.c["depth"]):
            x = x + self.attention(i, self.norm(f"blocks.{i}.norm1", x))
            x = x + self.mlp(i, self.norm(f"blocks.{i}.norm2", x))
            after = self.c.get("deepstack_visual_indexes", [])
            if i in after:
                at = f"deepstack_merger_list.{after.index(i)}"
                y = x.reshape(len(x) // self.group ** 2, -1)
                deep.append(self.merged_by(at, self.norm(at + ".norm", y)))
        return self.merged(x), deep


def images_of(given, tower):
    """(patches, grid) of each image."""
    pixels, p = given["pixels"], tower.c["patch_size"]
    if pixels.ndim == 4:
        grid = 1, pixels.shape[2] // p, pixels.shape[3] // p
        frames = tower.c.get("temporal_patch_size", 2)
        return [(patches_of(image, p, frames, tower.group), grid)
                for image in pixels]
    ends = np.cumsum([np.prod(g) for g in given["grid"]])
    return list(zip(np.split(pixels, ends[:-1]), map(tuple, given["grid"])))


def positions_of(ids, mask, image, grids):
    """[3, B, T]: an image takes as many as its longer side has tokens, and
    hidden tokens take none; grids are those of merged patches."""
    out, grids = np.zeros((3,) + ids.shape, np.int64), iter(grids)
    for b, row in enumerate(ids):
        shown = np.flatnonzero(np.ones_like(row) if mask is None else mask[b])
        at, i = 0, 0
        while i < len(shown):
            if row[shown[i]] != image:
                out[:, b, shown[i]] = at
                at, i = at + 1, i + 1
                continue
            grid = next(grids)
            n = int(np.prod(grid))
            out[:, b, shown[i:i + n]] = at + np.stack(
                np.unravel_index(np.arange(n), grid))
            at, i = at + max(grid[1:]), i + n
    return out


class Seeing(Decoder):
    def __init__(self, m, family, given):
        self.kind = m.outer["model_type"].removesuffix("_moe")
        self.image = m.outer["image_token_id"]
        self.places, self.deep = given["ids"] == self.image, []
        tower = Tower(m, m.outer["vision_config"], self.kind)
        images = images_of(given, tower)
        runs = [tower.run(*image) for image in images]
        self.states = np.concatenate([state for state, _ in runs])
        self.deep = [np.concatenate(parts)
                     for parts in zip(*(deep for _, deep in runs))]
        positions = given.get("positions")
        if positions is None:
            positions = positions_of(
                given["ids"], given.get("mask"), self.image,
                [(t, h // tower.group, w // tower.group)
                 for _, (t, h, w) in images])
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
