"""Attention on whole matrices of scores, and what each query sees."""
import numpy as np

from .functions import softmax


def sees(t, mask=None, causal=True, window=None, chunk=None):
    """Boolean [B or 1, 1, T, T]: query i sees key j.

    window: keys with the query itself; chunk: keys of the query's chunk.
    """
    i, j = np.arange(t)[:, None], np.arange(t)[None]
    seen = np.ones((1, 1, t, t), bool)
    if causal:
        seen = seen & (j <= i)
    if window:
        seen = seen & (j > i - window)
    if mask is not None:
        seen = seen & (np.asarray(mask)[:, None, None] != 0)
    if not chunk:
        return seen
    start = np.zeros((1, 1), int)
    if mask is not None:  # chunks begin at the first token that is no padding
        start = np.argmax(np.asarray(mask) != 0, 1)[:, None]
    number = (np.arange(t)[None] - start) // chunk
    return seen & (number[:, None, :, None] == number[:, None, None, :])


def attend(q, k, v, scale, seen, bias=None, softcap=None, sinks=None):
    """[B, H, T, dv] of q [B, H, T, d], k and v [B, K, S, .]."""
    groups = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, groups, 1), np.repeat(v, groups, 1)
    scores = q @ k.swapaxes(-1, -2) * scale
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    if bias is not None:
        scores = scores + bias
    scores = np.where(seen, scores, -np.inf)
    if sinks is not None:
        column = np.broadcast_to(sinks.reshape(1, -1, 1, 1),
                                 scores.shape[:-1] + (1,))
        return softmax(np.concatenate([scores, column], -1))[..., :-1] @ v
    return softmax(scores) @ v
