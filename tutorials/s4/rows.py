"""The rows of the tutorial in Python: each piece runs after these imports."""
import numpy as np
import locant

rng = np.random.default_rng(42)

# S4.1: the chapter's subject: the order that tokens have
e = locant.Encoding("sinusoidal")
print(e.info.title)
assert e.doors == ("input",)

# S4.2: absolute or relative?
assert [("relative" in locant.Encoding(s).traits)
        for s in ("sinusoidal", "rope", "alibi")] == [False, True, True]

# S4.3: the last word of "cat catches mouse" in both orders
x = rng.standard_normal((1, 1, 3, 8))
y = x[:, :, ::-1].copy()
a, b = locant.attention(x, x, x), locant.attention(y, y, y)
assert np.allclose(a[0, 0, 2], b[0, 0, 0])

# S4.4: the frequency falls with the channel
P = locant.table("sinusoidal", 2, 64, dtype=np.float64)
assert (np.diff(np.arcsin(P[1, 2::2])) < 0).all()

# S4.5: the table [100, 512], and its first numbers
P = locant.table("sinusoidal", 100, 512)
print(P[0, :8].round(4), P[1, :8].round(4))
assert P.shape == (100, 512) and np.array_equal(P[0, :4], [0, 1, 0, 1])

# S4.6: the picture: plt.imshow(P, cmap="viridis", aspect="auto")
P = locant.table("sinusoidal", 100, 512)
assert P.min() >= -1 and P.max() <= 1

# S4.7: unique, relative, bounded
P = locant.table("sinusoidal", 100, 512, dtype=np.float64)
assert not np.allclose(P[0], P[1]) and abs(P).max() <= 1
assert np.allclose(P @ P.T, (P @ P.T)[0, abs(np.subtract.outer(
    np.arange(100), np.arange(100)))])             # only the distance counts

# S4.8: [2, 100, 768] with a table of 512 x 768
e = locant.Encoding("learned(length=512)")
P = e.init(seed=1, width=768)
x = rng.standard_normal((2, 100, 768), np.float32)
assert (x + locant.table(e, 100, 768, params=P)).shape == (2, 100, 768)

# S4.9: positions beyond 2048 need no larger table
x = rng.standard_normal((1, 64))
y = locant.rotate(x, "rope(pairing=interleaved)", offset=10**6)
assert np.isclose(np.linalg.norm(x), np.linalg.norm(y))

# S4.10: queries and keys of [2, 8, 128, 64]
q, k = rng.standard_normal((2, 2, 8, 128, 64), np.float32)
q_rotated, k_rotated = (locant.rotate(a, "rope(pairing=interleaved)")
                        for a in (q, k))
assert q_rotated.shape == k_rotated.shape == (2, 8, 128, 64)

# S4.11: the slopes fall by a constant factor
slopes = -locant.bias("alibi", 8, 2, 2)[:, 1, 0]
assert np.array_equal(slopes, 2.0 ** -np.arange(1, 9))

# S4.12: scores lowered by slope x |i - j|
scores = rng.standard_normal((2, 8, 10, 10), np.float32)
distance = abs(np.subtract.outer(np.arange(10), np.arange(10)))
lowered = scores - 2.0 ** -np.arange(1, 9)[:, None, None] * distance
assert np.allclose((lowered - scores)[:, :, 9, :],
                   locant.bias("alibi", 8, 10, 10)[:, 9], atol=1e-5)

# S4.13: types of the three
for spec in ("sinusoidal", "rope", "alibi"):
    print(spec, locant.Encoding(spec).doors, locant.Encoding(spec).traits)
assert not locant.Encoding("alibi").parameters(heads=8)

# S4.14: far tokens of ALiBi's steepest head are ignored
b = locant.bias("alibi", 8, 256, 256)[0, 255]
assert np.exp(b[:128] - b[255]).max() < 1e-27

# S4.15: 50 positions x 64 channels, by hand and by locant
p, c = np.arange(50)[:, None], np.arange(64)
P = np.where(c % 2, np.cos(p / 10000 ** ((c - c % 2) / 64)),
             np.sin(p / 10000 ** ((c - c % 2) / 64)))
assert np.allclose(P, locant.table("sinusoidal", 50, 64), atol=1e-6)

# S4.16: lengths before and after
x = rng.standard_normal((2, 8, 128, 64))
y = locant.rotate(x, "rope")
assert np.allclose(np.linalg.norm(x, axis=-1), np.linalg.norm(y, axis=-1))

# S4.17: slopes over the heads, for 8, 12 and 16
for heads in (8, 12, 16):
    slopes = -locant.bias("alibi", heads, 2, 2)[:, 1, 0]
    print(heads, slopes.round(4))
    assert len(set(slopes)) == heads

# S4.18: in a shell: locant report --preset homework
q, k, v = rng.standard_normal((3, 1, 4, 256, 16), np.float32)
for spec in ("rope", "alibi"):                    # 256 positions are no error
    assert locant.attention(q, k, v, spec, causal=True).shape == q.shape

# S4.19: rope and alibi act in every layer, sinusoidal only at the input
assert [locant.Encoding(s).doors[0] for s in ("sinusoidal", "rope", "alibi")] \
    == ["input", "rotate", "score"]

# S4.20: models and their encodings
for spec, model in (("alibi", "BLOOM"), ("rope", "Qwen")):
    assert model in locant.Encoding(spec).info.used_by
