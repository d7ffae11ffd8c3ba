"""Exactness at long positions.

Rotates the same query and key by RoPE at growing positions that differ by 3,
once with the usual float32 angles (inv_freq * position, cos, sin) and once
with locant.  The exact score depends only on the difference; the columns are
the changes of the scores, and the errors of the angles.
"""
import locant
import numpy as np

DIM, BASE, DISTANCE = 64, 10000.0, 3


def usual_angles(positions):
    """The usual formula, every step in float32."""
    inv_freq = 1 / np.float32(BASE) ** (
        np.arange(0, DIM, 2, dtype=np.float32) / np.float32(DIM))
    angle = positions.astype(np.float32)[:, None] * inv_freq
    return np.stack([np.cos(angle), np.sin(angle)], -1)


def turn(x, angles):
    """Rotate-half with given cosines and sines."""
    a, b = x[..., :DIM // 2], x[..., DIM // 2:]
    cos, sin = angles[..., 0], angles[..., 1]
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def score(q, k):
    return float((q.astype(np.float64) * k).sum() / DIM ** 0.5)


def main():
    r = np.random.default_rng(0)
    q, k = r.standard_normal((2, 1, DIM)).astype(np.float32)
    near = score(locant.rotate(q, "rope", [DISTANCE]),
                 locant.rotate(k, "rope", [0]))
    print(" position  angles off  score moves  score moves")
    print("                usual        usual       locant")
    rows = []
    for far in (10 ** 3, 10 ** 4, 10 ** 5, 10 ** 6, 10 ** 7, 10 ** 8):
        at = np.array([far + DISTANCE, far])
        usual, exact = usual_angles(at), locant.angles(at, DIM, BASE)
        moved = score(turn(q, usual[0]), turn(k, usual[1])) - near
        still = score(locant.rotate(q, "rope", at[:1]),
                      locant.rotate(k, "rope", at[1:])) - near
        rows.append((far, abs(usual - exact).max(), abs(moved), abs(still)))
        print("{:9d}  {:10.1e}  {:11.1e}  {:11.1e}".format(*rows[-1]))
    return rows


if __name__ == "__main__":
    main()
