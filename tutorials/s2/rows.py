"""The rows of the tutorial in Python: each piece runs after these imports."""
import numpy as np
import locant

rng = np.random.default_rng(42)

# S2.1: the goals, as specs that exist
for spec in ("sinusoidal", "learned", "relative", "rope", "t5", "alibi"):
    assert locant.Encoding(spec).doors

# S2.2: [A, B, C] and [B, A, C]: the outputs move with their tokens
x = rng.standard_normal((1, 1, 3, 8))
y = x[:, :, [1, 0, 2]].copy()
a, b = locant.attention(x, x, x), locant.attention(y, y, y)
assert np.allclose(a[:, :, [1, 0, 2]], b) and not np.allclose(a, b)

# S2.3: a sequence and its reverse, with and without positions
x = rng.standard_normal((1, 1, 6, 8))
y = x[:, :, ::-1].copy()
same = [np.allclose(locant.attention(x, x, x, e)[:, :, ::-1],
                    locant.attention(y, y, y, e)) for e in ("none", "rope")]
assert same == [True, False]

# S2.4: PE(pos + k) = PE(pos) rotated by k in each pair
P = locant.table("sinusoidal", 60, 64, dtype=np.float64)
a = 7 * 10000.0 ** (-2 * np.arange(32) / 64)
s, c = P[:50, 0::2], P[:50, 1::2]
assert np.allclose(P[7:57, 0::2], s * np.cos(a) + c * np.sin(a))

# S2.5: the layer: add the first rows
x = rng.standard_normal((2, 10, 64), np.float32)
y = x + locant.table("sinusoidal", 10, 64)
assert np.allclose(y[0, 0, 1::2], x[0, 0, 1::2] + 1)

# S2.6: the first four channels
P = locant.table("sinusoidal", 100, 64)           # plt.plot(P[:, :4])
turns = [np.count_nonzero(np.diff(np.sign(P[:, c]))) for c in (0, 2)]
assert turns[0] > turns[1]

# S2.7: the gradient reaches the table
e = locant.Encoding("learned(length=16)")
P = e.init(seed=1, width=8)
g = locant.table_backward(np.ones((4, 8), np.float32), e, params=P)
assert (g["table"][:4] == 1).all() and not g["table"][4:].any()

# S2.8: the same in every run; a learned one has numbers to train
a, b = (locant.table("sinusoidal", 10, 64) for _ in range(2))
assert np.array_equal(a, b)
assert "learned" in locant.Encoding("learned(length=10)").traits

# S2.9: both with 1024 x 512
fixed = locant.table("sinusoidal", 1024, 512)
learned = locant.Encoding("learned(length=1024)").init(seed=1, width=512)
assert fixed.shape == learned["table"].shape == (1024, 512)

# S2.10: far positions do not repeat
P = locant.table("sinusoidal", 3, 512,
                 positions=np.array([0, 62832, 10**6]))
assert abs(P[1] - P[0]).max() > 0.1 and abs(P[2] - P[0]).max() > 0.1

# S2.11: a table of 8 rows, stretched to 16
P = locant.Encoding("learned(length=8)").init(seed=1, width=4)["table"]
at = np.linspace(0, 7, 16)
Q = np.stack([np.interp(at, np.arange(8), P[:, c]) for c in range(4)], axis=1)
assert np.array_equal(Q[0], P[0]) and np.array_equal(Q[-1], P[-1])

# S2.12: vectors by distance, in attention
e = locant.Encoding("shaw")
q, k, v = rng.standard_normal((3, 1, 2, 10, 16), np.float32)
params = e.init(seed=1, heads=2, head_dim=16, width=32)
out = locant.attention(q, k, v, e, params=params)
assert out.shape == q.shape

# S2.13: a rotation of complex numbers
x = rng.standard_normal((10, 8))
angle = np.outer(np.arange(10), 10000.0 ** (-2 * np.arange(4) / 8))
z = x.view(complex) * np.exp(1j * angle)
assert np.allclose(z.view(float), locant.rotate(
    x, "rope(pairing=interleaved)"), atol=1e-6)

# S2.14: the input of an encoder, and attention that sees both sides
words = rng.standard_normal((100, 32), np.float32)
x = words[[5, 17, 42]] + locant.table("sinusoidal", 3, 32)
h = x.reshape(1, 3, 4, 8).transpose(0, 2, 1, 3)
assert locant.attention(h, h, h).shape == (1, 4, 3, 8)

# S2.15: a decoder: causal attention, then attention to the encoder's output
x = rng.standard_normal((1, 4, 3, 8))
memory = rng.standard_normal((1, 4, 7, 8))
x = x + locant.attention(x, x, x, causal=True)
assert locant.attention(x, memory, memory).shape == x.shape

# S2.16: NumPy's names for them; locant takes arrays in place
table = rng.standard_normal((4, 3)) * 0.02        # NdArray.randn().mul()
P = locant.table("learned(length=4)", 2, 3, params={"table": table})
assert np.allclose(P, table[0:2])
assert table[0:2].base is table                   # slice(): no copy

# S2.17: every encoding that the summary names
summary = {"sinusoidal", "learned", "relative", "rope"}
assert summary <= set(locant.encodings())
