"""The rows of the tutorial in Python: each piece runs after these imports."""
import numpy as np
import locant

rng = np.random.default_rng(42)

# S3.1: cat, chases, dog as a set
x = rng.standard_normal((1, 1, 3, 8))
y = x[:, :, ::-1].copy()
assert np.allclose(locant.attention(x, x, x).sum(axis=2),
                   locant.attention(y, y, y).sum(axis=2))

# S3.2: softmax(q k^T / sqrt(D)) v
q, k, v = rng.standard_normal((3, 5, 8))
w = np.exp(q @ k.T / np.sqrt(8))
w /= w.sum(axis=1, keepdims=True)
assert np.allclose(w @ v, locant.attention(*(a[None, None] for a in (q, k, v))))

# S3.3: T(P X) = P T(X) for a permutation P
X, P = rng.standard_normal((5, 8)), np.eye(5)[[3, 1, 4, 0, 2]]
T = lambda x: locant.attention(*[np.ascontiguousarray(x)[None, None]] * 3)[0, 0]
assert np.allclose(T(P @ X), P @ T(X))

# S3.4: a causal mask breaks the symmetry
x = rng.standard_normal((1, 1, 5, 8))
y = x[:, :, [1, 0, 2, 3, 4]].copy()
a, b = (locant.attention(s, s, s, causal=True) for s in (x, y))
assert not np.allclose(a[:, :, 0], b[:, :, 1])

# S3.5: wavelengths, of 512 channels
wave = 2 * np.pi * 10000.0 ** (2 * np.arange(256) / 512)
assert np.isclose(wave[-1], 60611.477)            # not 10000 x 2 pi
P = locant.table("sinusoidal", 3, 512, dtype=np.float64)
assert np.allclose(P[2, 0::2], np.sin(2 * 2 * np.pi / wave))

# S3.6: the hard wall is an error
e = locant.Encoding("learned(length=512)")
try:
    locant.table(e, 513, 64, params=e.init(seed=1, width=64))
    raise AssertionError("position 512 was found")
except locant.Error as error:
    assert error.status == locant.Status.ERR_PARAM

# S3.7: a second segment sits behind the first: offsets, not positions from 0
q = rng.standard_normal((1, 1, 8, 16))
k, v = rng.standard_normal((2, 1, 1, 16, 16))     # memory, then the segment
out = locant.attention(q, k, v, "rope", causal=True)
assert np.allclose(out, locant.attention(q, k, v, "rope", causal=True,
                                         q_positions=np.arange(8, 16)))

# S3.8: four terms; R is sinusoidal, u, v and W_R are learned
e = locant.Encoding("transformer-xl")
print([(p.name, p.shape) for p in e.parameters(heads=2, head_dim=16, width=32)])
assert e.doors == ("content",)

# S3.9: T5 adds one number for head and bucket
b = locant.bias("t5", 8, 64, 64, params=locant.Encoding("t5").init(
    seed=1, heads=8))
assert np.array_equal(b[:, 1:, 1:], b[:, :-1, :-1])   # only the distance counts

# S3.10: the product depends on m - n
q, k = rng.standard_normal((2, 1, 64))
at = [(locant.rotate(q, "rope", offset=m) @
       locant.rotate(k, "rope", offset=m - 3).T).item() for m in (3, 10, 1000)]
assert np.allclose(at, at[0], atol=1e-4)

# S3.11: three ways in
assert [locant.Encoding(s).doors for s in ("sinusoidal", "alibi", "rope")] == \
    [("input",), ("score",), ("rotate",)]

# S3.12: what can be asked of the registry
for spec in ("sinusoidal", "learned", "transformer-xl", "rope"):
    e = locant.Encoding(spec)
    print(spec, e.doors, e.traits)
assert "limit" in locant.Encoding("learned").traits

# S3.13: static to learned, absolute to relative, additive to multiplicative
line = ("sinusoidal", "learned", "shaw", "rope")
relative = ["relative" in locant.Encoding(s).traits for s in line]
assert relative[:2] == [False, False] and relative[3]

# S3.14: all of them are here
assert {"none", "alibi", "kerple", "fire", "rope2d", "rope3d",
        "graph"} <= set(locant.encodings())

# S3.15: the four, with what they are called
for spec in ("sinusoidal", "learned", "transformer-xl", "rope"):
    print(f"{spec}: {locant.Encoding(spec).info.title}")
assert len(locant.encodings()) > 40

# S3.16: 512 channels, 100 tokens, batch 32; dropout keeps 9 of 10
x = rng.standard_normal((32, 100, 512), np.float32)
y = x + locant.table("sinusoidal", 100, 512)
y *= (rng.random(y.shape) > 0.1) / np.float32(0.9)
assert y.shape == x.shape

# S3.17: freqs_cis
angle = np.outer(np.arange(1024), 10000.0 ** (-np.arange(0, 64, 2) / 64))
cis = locant.angles(np.arange(1024), 64)
assert np.allclose(cis[..., 0] + 1j * cis[..., 1], np.exp(1j * angle),
                   atol=1e-6)

# S3.18: neighbours as complex numbers
x = rng.standard_normal((1, 2, 10, 8))
cis = locant.angles(np.arange(10), 8).astype(float).view(complex)[..., 0]
assert np.allclose((x.view(complex) * cis).view(float),
                   locant.rotate(x, "rope(pairing=interleaved)"), atol=1e-6)

# S3.19: causal attention of 8 heads
q, k, v = rng.standard_normal((3, 2, 8, 32, 64), np.float32)
out = locant.attention(q, k, v, "rope(pairing=interleaved)", causal=True)
assert np.allclose(out[:, :, 0], v[:, :, 0], atol=1e-6)  # sees only itself

# S3.20: a pre-norm block
def norm(x):
    return (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)

x = rng.standard_normal((1, 16, 64))
up = rng.standard_normal((64, 256)) / 8
down = rng.standard_normal((256, 64)) / 16
h = norm(x).reshape(1, 16, 4, 16).transpose(0, 2, 1, 3)
x = x + locant.attention(h, h, h, "rope", causal=True).transpose(
    0, 2, 1, 3).reshape(1, 16, 64)
x = x + np.maximum(norm(x) @ up, 0) @ down
assert x.shape == (1, 16, 64)

# S3.21: 256 tokens of 512 channels, 8 heads, causal
q = rng.standard_normal((4, 256, 512), np.float32)
q = q.reshape(4, 256, 8, 64).transpose(0, 2, 1, 3)
assert locant.attention(q, q, q, "rope", causal=True).shape == (4, 8, 256, 64)

# S3.22: models and their encodings
for spec, model in (("learned", "BERT"), ("t5", "T5"), ("rope", "PaLM")):
    assert model in locant.Encoding(spec).info.used_by
