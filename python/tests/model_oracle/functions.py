"""Norms, activations and softmax, as their papers have them, in float64."""
import math

import numpy as np

erf = np.vectorize(math.erf, otypes=[np.float64])


def rms_norm(x, weight, eps):
    y = x / np.sqrt(np.mean(x * x, -1, keepdims=True) + eps)
    return y if weight is None else y * weight


def layer_norm(x, weight, bias, eps):
    centred = x - x.mean(-1, keepdims=True)
    y = centred / np.sqrt(np.mean(centred ** 2, -1, keepdims=True) + eps)
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def softmax(x):
    """Over the last axis; a row of -inf alone gives zeros."""
    top = x.max(-1, keepdims=True)
    e = np.exp(x - np.where(np.isfinite(top), top, 0))
    total = e.sum(-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gelu(x):
    return x / 2 * (1 + erf(x / math.sqrt(2)))


def tanh_gelu(x, root=math.sqrt(2 / math.pi)):
    return x / 2 * (1 + np.tanh(root * (x + 0.044715 * x ** 3)))


def silu(x):
    return x * sigmoid(x)


def relu(x):
    return np.maximum(x, 0)


ACTIVATIONS = {
    "gelu": gelu, "gelu_new": tanh_gelu, "gelu_pytorch_tanh": tanh_gelu,
    "gelu_fast": tanh_gelu, "quick_gelu": lambda x: x * sigmoid(1.702 * x),
    "silu": silu, "swish": silu, "relu": relu, "tanh": np.tanh,
    "relu2": lambda x: relu(x) ** 2}


def split_heads(x, heads):
    """[B, T, heads * d] to [B, heads, T, d]."""
    b, t, n = x.shape
    return x.reshape(b, t, heads, n // heads).transpose(0, 2, 1, 3)


def merge_heads(x):
    b, h, t, d = x.shape
    return x.transpose(0, 2, 1, 3).reshape(b, t, h * d)
