"""The rows of the tutorial in Python: each piece runs after these imports."""
import numpy as np
import locant

rng = np.random.default_rng(42)

# S0.1: the same word in two orders of a sentence
x = rng.standard_normal((1, 1, 3, 8))             # I, love, you
y = x[:, :, ::-1].copy()                          # you, love, I
for spec, same in (("none", True), ("rope", False)):
    a, b = (locant.attention(s, s, s, spec) for s in (x, y))
    assert np.allclose(a[0, 0, 2], b[0, 0, 0]) == same

# S0.2: what layer 0 reads
tokens = rng.standard_normal((6, 16), np.float32) / 2
position = locant.table("sinusoidal", 6, 16)
read = tokens + position
assert np.allclose(position[1, 0], np.sin(1))

# S0.3: the machine
print(locant.__version__, locant.isa(), locant.threads(), "threads")
assert np.array_equal(rng.standard_normal(4),
                      np.random.default_rng(42).standard_normal(4))

# S0.4: four linear maps around attention, 4 heads of 8 channels
def heads(x):
    return x.reshape(1, 5, 4, 8).transpose(0, 2, 1, 3)

x = rng.standard_normal((1, 5, 32))
q, k, v, o = rng.standard_normal((4, 32, 32)) / np.sqrt(32)
out = locant.attention(heads(x @ q), heads(x @ k), heads(x @ v))
out = out.transpose(0, 2, 1, 3).reshape(1, 5, 32) @ o
assert out.shape == x.shape

# S0.5: outputs move along with their tokens
x = rng.standard_normal((1, 1, 5, 8))
order = np.array([2, 0, 4, 1, 3])
y = x[:, :, order].copy()
assert np.allclose(locant.attention(y, y, y),
                   locant.attention(x, x, x)[:, :, order])

# S0.6: the formula
P = locant.table("sinusoidal", 50, 64, dtype=np.float64)
p, c = np.arange(50)[:, None], np.arange(32)
assert np.allclose(P[:, 0::2], np.sin(p * 10000.0 ** (-2 * c / 64)))
assert np.allclose(P[:, 1::2], np.cos(p * 10000.0 ** (-2 * c / 64)))

# S0.7: unique, and without parameters
P = locant.table("sinusoidal", 5000, 64)
assert len(np.unique(P, axis=0)) == 5000
assert not locant.Encoding("sinusoidal").parameters(width=64)

# S0.8: no table of 5000 rows: any positions, when they are needed
P = locant.table("sinusoidal", 3, 64, positions=np.array([0, 5000, 10**9]))
assert np.isfinite(P).all() and np.allclose(P[1, 0], np.sin(5000))

# S0.9: shape and range
P = locant.table("sinusoidal", 20, 64)
assert P.shape == (20, 64) and abs(P).max() <= 1

# S0.10: the table, and the frequency of each pair
P = locant.table("sinusoidal", 50, 64)            # plt.imshow(P.T) draws it
frequency = 10000.0 ** (-2 * np.arange(32) / 64)  # plt.semilogy(frequency)
assert np.allclose(np.arcsin(P[1, 2::2]), frequency[1:])

# S0.11: cosine between positions
S = locant.similarity("sinusoidal", 20, 64)
assert np.allclose(S[5, 6], S[0, 1])              # depends on the distance
assert S[0, 15] < S[0, 5] < S[0, 1] < S[0, 0]

# S0.12: a trained table, and the gradient that trains it
P = locant.Encoding("learned(length=5000)").init(seed=1, width=64)
rows = locant.table("learned(length=5000)", 20, 64, params=P)
assert np.allclose(rows, P["table"][:20])

# S0.13: a vector per clipped distance (Shaw), and the scalars of T5
clipped = np.clip(np.subtract.outer(np.arange(80), np.arange(80)), -32, 32)
vectors = rng.standard_normal((65, 32))[clipped + 32]
assert vectors.shape == (80, 80, 32)
assert locant.Encoding("t5").init(seed=1, heads=4)["table"].shape == (32, 4)

# S0.14: parameters
sizes = {spec: sum(np.prod(p.shape) for p in
                   locant.Encoding(spec).parameters(width=32))
         for spec in ("sinusoidal", "learned(length=5000)")}
assert sizes == {"sinusoidal": 0, "learned(length=5000)": 160000}

# S0.15: an untrained table is noise
fixed = locant.table("sinusoidal", 20, 64)
noise = rng.normal(0, 0.1, (20, 64))
assert abs(noise.std() - 0.1) < 0.01
assert np.allclose((fixed ** 2).mean(axis=1), 0.5)

# S0.16: eight copies of one token; the values are unit vectors, so that the
# output is the weights
x = np.tile(rng.standard_normal((1, 1, 1, 8)), (1, 1, 8, 1))
y = x + locant.table("sinusoidal", 8, 8)
v = np.eye(8)[None, None]
assert np.allclose(locant.attention(x, x, v), 1 / 8)
w = locant.attention(y, y, v)[0, 0]
assert (-(w * np.log(w)).sum(axis=1) < np.log(8)).all()

# S0.17: rope on the channels of each head
x = rng.standard_normal((1, 4, 10, 8))
y = locant.rotate(x, "rope(pairing=interleaved)")
assert np.allclose(np.linalg.norm(x, axis=-1), np.linalg.norm(y, axis=-1))

# S0.18: the bias of ALiBi is negative for the past
b = locant.bias("alibi", 8, 4, 4)
assert b[0, 3, 0] == -1.5
slopes = -locant.bias("alibi", 12, 2, 2)[:, 1, 0]
assert np.allclose(slopes[8:], 2.0 ** -np.arange(0.5, 4, 1))

# S0.19: shapes
x = rng.standard_normal((1, 10, 32))
assert locant.rotate(x, "rope").shape == (1, 10, 32)
assert locant.bias("alibi", 4, 10, 10).shape == (4, 10, 10)

# S0.20: four heads, the future left out
b = locant.bias("alibi", 4, 10, 10)
b[:, np.triu_indices(10, 1)[0], np.triu_indices(10, 1)[1]] = np.nan
assert np.allclose(b[:, 9, 0], -9 * 2.0 ** (-2 * np.arange(1, 5)))

# S0.21: time the same attention with each encoding
from time import perf_counter
q, k, v = rng.standard_normal((3, 1, 8, 256, 64), np.float32)
for spec in ("none", "rope", "alibi"):
    start = perf_counter()
    out = locant.attention(q, k, v, spec, causal=True)
    print(f"{spec}: {(perf_counter() - start) * 1e3:.2f} ms")
    assert np.isfinite(out).all()

# S0.22: what each has to train, 1024 positions of 512 channels
for spec, n in (("sinusoidal", 0), ("learned(length=1024)", 1024 * 512),
                ("rope", 0), ("alibi", 0)):
    p = locant.Encoding(spec).parameters(width=512, heads=8, head_dim=64)
    assert sum(np.prod(one.shape) for one in p) == n

# S0.23: traits of the registry
assert "learned" in locant.Encoding("learned").traits
for spec in ("rope", "alibi"):
    assert "relative" in locant.Encoding(spec).traits

# S0.24: where each one acts
doors = {spec: locant.Encoding(spec).doors for spec in
         ("sinusoidal", "learned", "rope", "alibi")}
assert doors == {"sinusoidal": ("input",), "learned": ("input",),
                 "rope": ("rotate",), "alibi": ("score",)}

# S0.25: positions change the weights
x = rng.standard_normal((1, 1, 8, 8)) * 0.3
y = x + locant.table("sinusoidal", 8, 8)
v = np.eye(8)[None, None]
assert abs(locant.attention(x, x, v) - locant.attention(y, y, v)).max() > 0.01

# S0.26: who uses what
used = {s: locant.Encoding(s).info.used_by for s in ("rope", "alibi")}
assert "PaLM" in used["rope"] and "PaLM" not in used["alibi"]
