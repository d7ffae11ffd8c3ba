"""locant.models.compare and identify, against numpy's own rotations."""
import json
import os
import tempfile
import unittest

import locant
import locant.models
import numpy as np

LLAMA = {"model_type": "llama", "hidden_size": 256, "num_attention_heads": 8,
         "num_hidden_layers": 4, "max_position_embeddings": 8192,
         "rope_theta": 500000.0}


def rotated(x, base, width, interleaved):
    """x [.., T, D], the first 'width' channels rotated in float64."""
    pairs = width // 2
    f = base ** (-np.arange(pairs) / pairs)
    angle = np.arange(x.shape[-2])[:, None] * f
    c, s = np.cos(angle), np.sin(angle)
    y = x.copy()
    a = np.arange(pairs) * 2 if interleaved else np.arange(pairs)
    b = a + 1 if interleaved else a + pairs
    y[..., a] = x[..., a] * c - x[..., b] * s
    y[..., b] = x[..., a] * s + x[..., b] * c
    return y


class Config:
    """As an object of transformers."""

    def to_dict(self):
        return dict(LLAMA)


class Compare(unittest.TestCase):
    def test_operands_of_every_kind_are_one_model(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "config.json")
            with open(path, "w") as f:
                json.dump(LLAMA, f)
            for other in (path, folder, LLAMA, Config(), "rope(base=500000)",
                          locant.Encoding("rope(base=500000)")):
                c = locant.models.compare(LLAMA, other)
                self.assertTrue(c, other)
                self.assertEqual((c.verdict, c.exact, c.layers), ("same", True,
                                                                  4))

    def test_difference_says_where_and_how_much(self):
        c = locant.models.compare(LLAMA, {**LLAMA, "rope_theta": 1e6})
        self.assertFalse(c)
        i = np.arange(16) / 16
        apart = np.abs(5e5 ** -i - 1e6 ** -i)
        d, = c.differences
        self.assertEqual((d.field, d.tower, d.layer, d.layers, d.pair),
                         ("frequency", "text", 0, 4, apart.argmax()))
        self.assertEqual(d.position, int(1e-3 // apart.max()) + 1)
        # both frequencies are doubles near 1: 8192 positions times 2^-52
        self.assertAlmostEqual(d.amount, 8192 * apart.max(), delta=1e-11)

    def test_stack_reads_b(self):
        new = {k: v for k, v in LLAMA.items() if k != "rope_theta"}
        new["rope_parameters"] = {"rope_type": "default", "rope_theta": 5e5}
        self.assertTrue(locant.models.compare(new, stack="hf5"))
        c = locant.models.compare(new, stack="hf4")  # base 10000
        self.assertEqual([d.field for d in c.differences], ["frequency"])

    def test_wrong_arguments_are_named(self):
        for status, sentence, call in (
                ("ERR_PARAM", "stack is 'torch'",
                 lambda: locant.models.compare(LLAMA, stack="torch")),
                ("ERR_PARAM", "b is None",
                 lambda: locant.models.compare(LLAMA)),
                ("ERR_PARAM", "a is a int",
                 lambda: locant.models.compare(5, LLAMA)),
                ("ERR_UNSUPPORTED", "model_type is 'nosuch'",
                 lambda: locant.models.compare({"model_type": "nosuch"}, "rope")),
                ("ERR_IO", "cannot be opened",
                 lambda: locant.models.compare("rope", "no such file"))):
            with self.assertRaisesRegex(locant.Error, sentence) as raised:
                call()
            self.assertEqual(raised.exception.status, locant.Status[status])


class Identify(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(1)

    def test_rotations(self):
        x = self.random.normal(size=(2, 1024, 32)).astype(np.float32)
        for base, width, interleaved, spec in (
                (1e4, 32, False, "rope"),
                (500, 32, True, "rope(base=500,pairing=interleaved)"),
                (1e3, 16, False, "rope(base=1000,dim=16)")):
            y = rotated(x.astype(np.float64), base, width, interleaved)
            r = locant.models.identify(x, y.astype(np.float32))
            self.assertTrue(r)
            self.assertEqual((r.spec, r.sign, r.offset, r.dtype),
                             (spec, 1, 0, "float32"))
            self.assertLess(r.residual, 1)

    def test_positions_and_offset(self):
        x = self.random.normal(size=(1024, 32))
        y = rotated(x, 1e4, 32, False)
        r = locant.models.identify(x, y, positions=np.arange(1024) - 5)
        self.assertEqual((r.spec, r.offset, r.beside),
                         ("rope", 5, "positions +5"))

    def test_tables_biases_weights(self):
        angle = np.arange(64)[:, None] * 1e4 ** (-np.arange(16) / 16)
        table = np.concatenate([np.sin(angle), np.cos(angle)], 1)
        self.assertEqual(locant.models.identify(table=table).spec,
                         "sinusoidal(form=split)")
        slope = 2.0 ** -np.arange(1, 9)[:, None, None]
        bias = slope * (np.arange(16)[None, None] - np.arange(16)[None, :, None])
        bias = np.where(np.tril(np.ones((16, 16))) > 0, bias, -np.inf)
        self.assertEqual(locant.models.identify(bias=bias).spec, "alibi")
        half = self.random.normal(size=(4, 2, 8, 24))
        other = half.transpose(0, 2, 1, 3).reshape(64, 24)
        r = locant.models.identify(weights=(half.reshape(64, 24), other))
        self.assertEqual((r.spec, r.beside), ("half to interleaved",
                                              "16 channels of heads of 16"))

    def test_scores(self):
        q, k = self.random.normal(size=(2, 1, 4, 128, 16))
        s = rotated(q, 1e3, 16, False) @ \
            rotated(k, 1e3, 16, False).swapaxes(2, 3) / 4
        r = locant.models.identify(q=q, k=k, scores=s)
        self.assertEqual(r.spec, "rope(base=1000)")
        self.assertAlmostEqual(r.factor, 0.25, delta=1e-6)

    def test_undecided_and_none(self):
        x = self.random.normal(size=(64, 32))
        r = locant.models.identify(x, x, positions=np.zeros(64, np.int64))
        self.assertEqual((r.verdict, len(r.remaining)), ("undecided", 2))
        r = locant.models.identify(x, self.random.normal(size=(64, 32)))
        self.assertEqual(r.verdict, "none of these")

    def test_wrong_arguments_are_named(self):
        x = np.ones((4, 8))
        for sentence, call in (
                ("identify has x arrays", lambda: locant.models.identify(x)),
                ("identify has no arrays", locant.models.identify),
                ("y has size 6",
                 lambda: locant.models.identify(x, np.ones((4, 6)))),
                ("expected \\[H, T, S\\]",
                 lambda: locant.models.identify(bias=x))):
            with self.assertRaisesRegex(locant.Error, sentence):
                call()


if __name__ == "__main__":
    unittest.main()
