"""Rotary frequencies with their scalings, and rotations.

A dictionary of parameters is that of transformers 5: rope_type, rope_theta and
the keys of the type.  Sources: arXiv:2104.09864 (RoPE), 2306.15595 (linear),
2309.00071 (YaRN), 2402.13753 (LongRoPE), 2407.21783 (Llama 3).
"""
import math

import numpy as np


def plain(base, dim):
    return base ** (-np.arange(0, dim, 2, dtype=np.float64) / dim)


def dynamic(p, dim, length, limit):
    base = p["rope_theta"]
    if length > limit:
        stretch = p["factor"] * length / limit - (p["factor"] - 1)
        base *= stretch ** (dim / (dim - 2))
    return plain(base, dim)


def m_scale(factor, m):
    return 1.0 if factor <= 1 else 0.1 * m * math.log(factor) + 1


def yarn(p, dim, limit):
    base, factor = p["rope_theta"], p["factor"]
    original = p.get("original_max_position_embeddings") or limit

    def channel(turns):
        return (dim * math.log(original / (turns * 2 * math.pi)) /
                (2 * math.log(base)))
    low = channel(p.get("beta_fast") or 32)
    high = channel(p.get("beta_slow") or 1)
    if p.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dim - 1)
    if low == high:
        high += 0.001
    ramp = np.clip((np.arange(dim // 2) - low) / (high - low), 0, 1)
    f = plain(base, dim)
    a = p.get("attention_factor")
    if a is None:
        m, m_all = p.get("mscale"), p.get("mscale_all_dim")
        a = (m_scale(factor, m) / m_scale(factor, m_all) if m and m_all
             else m_scale(factor, 1))
    return f / factor * ramp + f * (1 - ramp), a


def longrope(p, dim, length, limit):
    original = p["original_max_position_embeddings"]
    factor = p.get("factor") or limit / original
    a = p.get("attention_factor")
    if a is None:
        a = (1.0 if factor <= 1 else
             math.sqrt(1 + math.log(factor) / math.log(original)))
    rows = p["long_factor"] if length > original else p["short_factor"]
    return plain(p["rope_theta"], dim) / np.array(rows, np.float64), a


def llama3(p, dim):
    f = plain(p["rope_theta"], dim)
    original, factor = p["original_max_position_embeddings"], p["factor"]
    low, high = p["low_freq_factor"], p["high_freq_factor"]
    wave = 2 * math.pi / f
    s = (original / wave - low) / (high - low)
    between = (1 - s) * f / factor + s * f
    return np.where(wave > original / low, f / factor,
                    np.where(wave < original / high, f, between))


def proportional(p, width):
    turning = int(p.get("partial_rotary_factor", 1.0) * width // 2)
    f = plain(p["rope_theta"], width)
    f[turning:] = 0
    return f / p.get("factor", 1.0)


def frequencies(p, dim, length, limit):
    """(f [dim / 2], factor of cos and sin).

    length: the longest position of the call, plus 1; limit:
    max_position_embeddings.
    """
    kind = p.get("rope_type", "default")
    if kind == "default":
        return plain(p["rope_theta"], dim), 1.0
    if kind == "linear":
        return plain(p["rope_theta"], dim) / p["factor"], 1.0
    if kind == "dynamic":
        return dynamic(p, dim, length, limit), 1.0
    if kind == "yarn":
        return yarn(p, dim, limit)
    if kind == "longrope":
        return longrope(p, dim, length, limit)
    if kind == "llama3":
        return llama3(p, dim), 1.0
    if kind == "proportional":
        return proportional(p, dim), 1.0
    raise ValueError(f"rope_type {kind}")


def rotate(x, angles, factor=1.0, interleaved=False, start=0):
    """Rotate channels start .. start + 2 n - 1 of x [B, H, T, d] by angles
    [B, T, n] (or [T, n]); pairs are (c, c + n), or (2 c, 2 c + 1)."""
    if angles.ndim == 2:
        angles = angles[None]
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
    n = angles.shape[-1]
    y = x.copy()
    one = slice(start, start + n)
    two = slice(start + n, start + 2 * n)
    if interleaved:
        one = slice(start, start + 2 * n, 2)
        two = slice(start + 1, start + 2 * n, 2)
    y[..., one] = factor * (x[..., one] * cos - x[..., two] * sin)
    y[..., two] = factor * (x[..., two] * cos + x[..., one] * sin)
    return y


def angles(positions, f):
    """[B, T, n] of positions [B, T]."""
    return positions[..., None].astype(np.float64) * f


def mrope_angles(positions, f, section, interleaved):
    """Of positions [3, B, T]: chunks of pairs, or h and w at every third."""
    turn = angles(positions, f)
    out = turn[0].copy()
    if interleaved:
        for axis in (1, 2):
            c = np.arange(axis, 3 * section[axis], 3)
            out[..., c] = turn[axis][..., c]
        return out
    ends = np.cumsum(section)
    for axis in (1, 2):
        part = slice(ends[axis - 1], ends[axis])
        out[..., part] = turn[axis][..., part]
    return out
