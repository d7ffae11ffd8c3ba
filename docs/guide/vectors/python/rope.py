"""The code under test: a rope with YaRN as a project of yours may have it."""
import numpy as np


def frequencies(dim, base, factor=1.0, original=0, fast=32, slow=1):
    plain = base ** (-np.arange(0, dim, 2, dtype=np.float64) / dim)
    if factor == 1.0:
        return plain

    def pair(turns):
        return (dim * np.log(original / (turns * 2 * np.pi))
                / (2 * np.log(base)))

    low = max(np.floor(pair(fast)), 0)
    high = min(np.ceil(pair(slow)), dim - 1)
    ramp = np.clip((np.arange(dim // 2) - low) / (high - low), 0, 1)
    return plain / factor * ramp + plain * (1 - ramp)


def rotate(x, positions, frequency, factor=1.0):
    attention = 0.1 * np.log(factor) + 1
    angle = positions[:, None] * frequency
    cosine = (np.cos(angle) * attention).astype(x.dtype)
    sine = (np.sin(angle) * attention).astype(x.dtype)
    a, b = np.split(x, 2, axis=1)
    return np.concatenate([a * cosine - b * sine, a * sine + b * cosine], 1)
