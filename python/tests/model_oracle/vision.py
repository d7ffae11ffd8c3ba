"""Vision Transformers: ViT, DINOv2, DINOv3.  Pixels are [B, C, H, W]."""
import math

import numpy as np

from . import rotary
from .attention import attend
from .functions import (ACTIVATIONS, layer_norm, merge_heads, silu,
                        split_heads)


def patches(pixels, weight, bias):
    """[B, rows, columns, D]: a convolution whose stride is its size."""
    d, c, p, _ = weight.shape
    b, _, h, w = pixels.shape
    h, w = h // p, w // p
    x = pixels[:, :, :h * p, :w * p].astype(np.float64)
    x = x.reshape(b, c, h, p, w, p).transpose(0, 2, 4, 1, 3, 5)
    return x.reshape(b, h, w, c * p * p) @ weight.reshape(d, -1).T + bias


def cubic(x, a=-0.75):
    x = abs(x)
    if x <= 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return ((x - 5) * x + 8) * x * a - 4 * a if x < 2 else 0.0


def cubic_matrix(to, size):
    """Weights [to, size]: centres of pixels agree, edges repeat."""
    m = np.zeros((to, size))
    for i in range(to):
        place = (i + 0.5) * size / to - 0.5
        left = math.floor(place)
        for j in range(left - 1, left + 3):
            m[i, min(max(j, 0), size - 1)] += cubic(place - j)
    return m


def resized(table, rows, columns):
    """[1 + rows * columns, D] of a table with a first row for CLS."""
    side = math.isqrt(len(table) - 1)
    if (rows, columns) == (side, side):
        return table
    grid = table[1:].reshape(side, side, -1)
    grid = np.einsum("ri,cj,ijd->rcd", cubic_matrix(rows, side),
                     cubic_matrix(columns, side), grid)
    return np.concatenate([table[:1], grid.reshape(rows * columns, -1)])


class Vit:
    norms = ("layernorm_before", "layernorm_after")
    at, final = "encoder.layer.{}.", "layernorm"

    def __init__(self, m, given):
        self.m, self.c, self.pixels = m, m.c, given["pixels"]
        self.b = len(self.pixels)

    def norm(self, name, x):
        return layer_norm(x, self.m(name + ".weight"), self.m(name + ".bias"),
                          self.c["layer_norm_eps"])

    def prefix(self, *names):
        return [np.broadcast_to(self.m("embeddings." + n),
                                (self.b,) + self.m("embeddings." + n).shape[1:])
                for n in names]

    def begin(self):
        at = "embeddings.patch_embeddings.projection."
        x = patches(self.pixels, self.m(at + "weight"), self.m(at + "bias"))
        _, rows, columns, d = x.shape
        x = np.concatenate(self.prefix("cls_token") +
                           [x.reshape(self.b, rows * columns, d)], 1)
        return x + resized(self.m("embeddings.position_embeddings")[0], rows,
                           columns)

    def attention(self, at, x):
        heads = self.c["num_attention_heads"]
        q, k, v = (split_heads(self.m.linear(f"{at}attention.attention.{n}",
                                             x), heads)
                   for n in ("query", "key", "value"))
        y = attend(q, k, v, q.shape[-1] ** -0.5, True)
        return self.m.linear(at + "attention.output.dense", merge_heads(y))

    def mlp(self, at, x):
        act = ACTIVATIONS[self.c["hidden_act"]]
        return self.m.linear(at + "output.dense", act(
            self.m.linear(at + "intermediate.dense", x)))

    def scaled(self, name, x):
        scale = self.m.find(name + ".lambda1")
        return x if scale is None else x * scale

    def layer(self, i, x):
        at = self.at.format(i)
        n = self.norm(at + self.norms[0], x)
        x = x + self.scaled(at + "layer_scale1", self.attention(at, n))
        n = self.norm(at + self.norms[1], x)
        return x + self.scaled(at + "layer_scale2", self.mlp(at, n))

    def hidden(self):
        x = self.begin()
        for i in range(self.c["num_hidden_layers"]):
            x = self.layer(i, x)
        return self.norm(self.final, x)

    def logits(self):
        return self.m.linear("classifier", self.hidden()[:, 0])


class Dinov2(Vit):
    norms = ("norm1", "norm2")

    def mlp(self, at, x):
        if at + "mlp.weights_in.weight" in self.m:
            gate, up = np.split(self.m.linear(at + "mlp.weights_in", x), 2, -1)
            return self.m.linear(at + "mlp.weights_out", silu(gate) * up)
        act = ACTIVATIONS[self.c["hidden_act"]]
        return self.m.linear(at + "mlp.fc2",
                             act(self.m.linear(at + "mlp.fc1", x)))

    def logits(self):
        x = self.hidden()
        return self.m.linear("classifier", np.concatenate(
            [x[:, 0], x[:, 1:].mean(1)], -1))


class Dinov3(Vit):
    """Patches rotate by their centres in -1 .. 1; CLS and registers do not."""
    norms = ("norm1", "norm2")
    at, final = "layer.{}.", "norm"

    def begin(self):
        at = "embeddings.patch_embeddings."
        x = patches(self.pixels, self.m(at + "weight"), self.m(at + "bias"))
        _, self.rows, self.columns, d = x.shape
        return np.concatenate(
            self.prefix("cls_token", "register_tokens") +
            [x.reshape(self.b, self.rows * self.columns, d)], 1)

    def angles(self, d):
        """[rows * columns, d / 2]: of y, then of x."""
        f = self.c["rope_theta"] ** (-4 * np.arange(d // 4) / d)
        y = 2 * (np.arange(self.rows) + 0.5) / self.rows - 1
        x = 2 * (np.arange(self.columns) + 0.5) / self.columns - 1
        y, x = np.meshgrid(y, x, indexing="ij")
        return np.concatenate([2 * math.pi * s.reshape(-1, 1) * f
                               for s in (y, x)], -1)

    def attention(self, at, x):
        heads = self.c["num_attention_heads"]
        q, k, v = (split_heads(self.m.linear(f"{at}attention.{n}_proj", x),
                               heads) for n in "qkv")
        turn = self.angles(q.shape[-1])
        first = q.shape[2] - len(turn)
        q, k = (np.concatenate([y[:, :, :first],
                                rotary.rotate(y[:, :, first:], turn)], 2)
                for y in (q, k))
        y = attend(q, k, v, q.shape[-1] ** -0.5, True)
        return self.m.linear(at + "attention.o_proj", merge_heads(y))

    def mlp(self, at, x):
        act, at = ACTIVATIONS[self.c["hidden_act"]], at + "mlp."
        up = self.m.linear(at + "up_proj", x)
        if at + "gate_proj.weight" in self.m:
            up = act(self.m.linear(at + "gate_proj", x)) * up
        else:
            up = act(up)
        return self.m.linear(at + "down_proj", up)

    def logits(self):
        """The model has no classes."""
        return self.hidden()


MODELS = {"vit": Vit, "dinov2": Dinov2, "dinov3_vit": Dinov3}
