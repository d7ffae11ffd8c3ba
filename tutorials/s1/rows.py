"""The rows of the tutorial in Python: each piece runs after these imports."""
import numpy as np
import locant

rng = np.random.default_rng(42)

# S1.1: the order of study, as specs
for spec in ("sinusoidal", "learned", "rope"):
    print(spec, locant.Encoding(spec).doors)
assert locant.Encoding("rope").doors == ("rotate",)

# S1.2: beyond the trained length the slow pairs reach angles never seen
trained, asked = locant.angles(np.array([511, 2047]), 64)
slow = slice(24, 32)                              # less than a rotation
assert (asked[slow, 1] > trained[slow, 1]).all()

# S1.3: one entry, and the whole table
P = locant.table("sinusoidal", 50, 512, dtype=np.float64)
p, j = 7, 3
assert np.allclose(P[p, 2 * j], np.sin(p / 10000 ** (2 * j / 512)))

# S1.4: a learned table; beyond its end there is an error, not a wrong row
P = locant.Encoding("learned(length=50)").init(seed=1, width=512)
assert P["table"].shape == (50, 512)
try:
    locant.table("learned(length=50)", 51, 512, params=P)
    raise AssertionError("position 50 was found")
except locant.Error as e:
    print(e.message)

# S1.5: rotate_half is the rotation by 90 degrees
x = np.arange(8.0)
half = np.concatenate([-x[4:], x[:4]])
quarter = locant.rotate(x[None, [0, 4]], "rope",  # 1.57 radians
                        positions=np.array([np.pi / 2]))
assert np.allclose(quarter, half[None, [0, 4]], atol=1e-6)

# S1.6: q cos + rotate_half(q) sin
q = rng.standard_normal((5, 8))
cos, sin = np.tile(locant.angles(np.arange(5), 8), (1, 2, 1)).T.swapaxes(1, 2)
half = np.concatenate([-q[:, 4:], q[:, :4]], axis=1)
assert np.allclose(q * cos + half * sin, locant.rotate(q, "rope"), atol=1e-6)

# S1.7: no length has to be known, and no table grows
q = rng.standard_normal((2, 10, 64))
assert np.allclose(locant.rotate(locant.rotate(q, "rope"), "rope",
                                 inverse=True), q, atol=1e-6)

# S1.8: attention of one head, and it does see positions
q, k, v = rng.standard_normal((3, 2, 1, 10, 64))
out = locant.attention(q, k, v, "rope", causal=True)
assert not np.allclose(out, v)
assert not np.allclose(out, locant.attention(q, k, v, causal=True))

# S1.9: one head of 64 on [2, 10, 128]
x = rng.standard_normal((2, 10, 128))
q, k, v = ((x @ w)[:, None] for w in rng.standard_normal((3, 128, 64)) / 11)
assert locant.attention(q, k, v, "rope", causal=True)[:, 0].shape == (2, 10, 64)

# S1.10: every head is rotated alike
x = np.repeat(rng.standard_normal((2, 1, 10, 32)), 4, axis=1)
y = locant.rotate(x, "rope")
assert np.array_equal(y[:, 0], y[:, 3])

# S1.11: heads are a transposed view, not a copy
x = rng.standard_normal((2, 10, 128))
q, k, v = (x.reshape(2, 10, 4, 32).transpose(0, 2, 1, 3) for _ in range(3))
out = locant.attention(q, k, v, "rope", causal=True)
assert out.shape == (2, 4, 10, 32)

# S1.12: four heads and an output projection
x = rng.standard_normal((2, 10, 128))
q, k, v, o = rng.standard_normal((4, 128, 128)) / 11
out = locant.attention(*((x @ w).reshape(2, 10, 4, 32).transpose(0, 2, 1, 3)
                         for w in (q, k, v)), "rope", causal=True)
assert (out.transpose(0, 2, 1, 3).reshape(2, 10, 128) @ o).shape == x.shape
