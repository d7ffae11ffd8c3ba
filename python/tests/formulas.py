"""Reference formulas of the tests, in double, with all arrays of T x S."""
import numpy as np


def bfloat16_bits(*given):
    """float32 arrays cut to bfloat16, as uint16: the upper half of each."""
    return [np.ascontiguousarray(x.view(np.uint16)[..., 1::2]) for x in given]


def widened(*bits):
    """float32 arrays of the values of bfloat16 bits."""
    return [(x.astype(np.uint32) << 16).view(np.float32) for x in bits]


def rope(x, positions, base=10000.0, interleaved=False):
    """Su et al. 2021: pairs rotated by p base^(-2c/D)."""
    x = np.asarray(x, np.float64)
    dim = x.shape[-1]
    f = base ** (-2 * np.arange(dim // 2) / dim)
    angle = np.asarray(positions, np.float64)[..., None] * f
    cos, sin = np.cos(angle), np.sin(angle)
    out = np.empty_like(x)
    a, b = ((np.s_[..., 0::2], np.s_[..., 1::2]) if interleaved else
            (np.s_[..., :dim // 2], np.s_[..., dim // 2:]))
    out[a] = x[a] * cos - x[b] * sin
    out[b] = x[a] * sin + x[b] * cos
    return out


def sinusoidal(length, dim, base=10000.0):
    """Vaswani et al. 2017: sine and cosine side by side."""
    angle = np.arange(length)[:, None] * base ** (
        -2 * np.arange(dim // 2) / dim)
    out = np.empty((length, dim))
    out[:, 0::2], out[:, 1::2] = np.sin(angle), np.cos(angle)
    return out


def alibi(heads, q_pos, k_pos):
    """Press et al. 2021, for a power of two of heads."""
    slope = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
    return -slope[:, None, None] * (q_pos[:, None] - k_pos[None, :])


def t5_bucket(distance, buckets=32, furthest=128):
    """Raffel et al. 2020, one direction: buckets of q - k >= 0."""
    n = np.maximum(distance, 0)
    exact = buckets // 2
    far = exact + (np.log(np.maximum(n, 1) / exact) /
                   np.log(furthest / exact) * (buckets - exact)).astype(int)
    return np.where(n < exact, n, np.minimum(far, buckets - 1))


class Attention:
    """softmax(s) v and its gradients, for every option of the API."""

    def __init__(self, q, k, v, bias=0.0, visible=None, scale=None,
                 softcap=0.0, sinks=None, dense=0.0):
        self.group = q.shape[1] // k.shape[1]
        self.q, self.k, self.v = (np.asarray(t, np.float64)
                                  for t in (q, k, v))
        self.k, self.v = (np.repeat(t, self.group, axis=1)
                          for t in (self.k, self.v))
        self.scale = q.shape[-1] ** -0.5 if scale is None else scale
        s = self.scale * self.q @ self.k.swapaxes(-1, -2) + bias
        self.slope = 1.0
        if softcap:
            s = softcap * np.tanh(s / softcap)
            self.slope = 1 - (s / softcap) ** 2
        s = s + dense
        if visible is not None:
            s = np.where(visible, s, -np.inf)
        sink = (np.full(q.shape[1], -np.inf) if sinks is None
                else np.asarray(sinks, np.float64))[None, :, None, None]
        row_max = np.maximum(s.max(-1, keepdims=True), sink)
        row_max = np.where(np.isfinite(row_max), row_max, 0)
        e, self.esink = np.exp(s - row_max), np.exp(sink - row_max)
        total = e.sum(-1, keepdims=True) + self.esink
        self.seen = e.sum(-1, keepdims=True) > 0
        with np.errstate(divide="ignore", invalid="ignore"):
            self.p = np.where(self.seen, e / total, 0)
            self.lse = (np.log(total) + row_max)[..., 0]
            self.psink = np.where(self.seen, self.esink / total, 0)
        self.out = self.p @ self.v

    def backward(self, dout):
        """dq, dk, dv, dbias [B, H, T, S], dsinks [H]; dense_gradient."""
        dout = np.asarray(dout, np.float64)
        dp = dout @ self.v.swapaxes(-1, -2)
        delta = (dout * self.out).sum(-1, keepdims=True)
        self.dense_gradient = self.p * (dp - delta)
        ds = self.dense_gradient * self.slope
        dsinks = -(self.psink * delta).sum((0, 2, 3))
        dq = self.scale * ds @ self.k
        dk = self.scale * ds.swapaxes(-1, -2) @ self.q
        dv = self.p.swapaxes(-1, -2) @ dout
        b, h, s, _ = dk.shape
        grouped = (b, h // self.group, self.group, s, -1)
        return (dq, dk.reshape(grouped).sum(2), dv.reshape(grouped).sum(2),
                ds, dsinks)


def unlike(found, wanted):
    """|found - wanted| / |wanted|, in the L2 norm."""
    wanted = np.asarray(wanted, np.float64)
    size = np.sqrt((wanted ** 2).sum())
    return float(np.sqrt(((np.asarray(found, np.float64) - wanted) ** 2)
                         .sum()) / (size if size else 1.0))
