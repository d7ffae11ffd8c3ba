"""locant.models.convert: there and back, metadata, refusals."""
import json
import struct
import tempfile
import unittest
from pathlib import Path

import numpy as np

import locant
from locant import models

Q = "model.layers.0.self_attn.q_proj.weight"
K = "model.layers.0.self_attn.k_proj.weight"


def write(folder: Path) -> None:
    folder.mkdir()
    rng = np.random.default_rng(1)
    arrays = {Q: rng.standard_normal((8, 2), "f4"),
              K: rng.standard_normal((4, 2), "f4")}
    header, at = {}, 0
    for name, array in arrays.items():
        header[name] = {"dtype": "F32", "shape": array.shape,
                        "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(
        struct.pack("<Q", len(text)) + text
        + b"".join(a.tobytes() for a in arrays.values()))
    (folder / "config.json").write_text(json.dumps({
        "model_type": "llama", "num_hidden_layers": 1, "hidden_size": 2,
        "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4}))


def read(folder: Path) -> tuple[dict, bytes]:
    data = (folder / "model.safetensors").read_bytes()
    n = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8:8 + n]), data[8 + n:]


class Convert(unittest.TestCase):
    def setUp(self) -> None:
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.root = Path(self.dir.name)
        write(self.root / "m")

    def test_there_and_back(self) -> None:
        a = models.convert(self.root / "m", self.root / "i", "interleaved",
                           verify=True)
        self.assertEqual((a.source, a.target, a.assumed, a.moved),
                         ("half", "interleaved", True, 2))
        self.assertLessEqual(a.worst, 1e-6)
        header, moved = read(self.root / "i")
        self.assertEqual(header["__metadata__"]["locant.pairing"],
                         "interleaved")
        old = np.frombuffer(read(self.root / "m")[1], "f4").reshape(-1, 2)
        new = np.frombuffer(moved, "f4").reshape(-1, 2)
        # llama.cpp: reshape(n, 2, h / 2).swap(1, 2)
        want = old.reshape(3, 2, 2, 2).swapaxes(1, 2).reshape(-1, 2)
        np.testing.assert_array_equal(new, want)
        b = models.convert(self.root / "i", self.root / "h", "half")
        self.assertEqual((b.source, b.assumed, b.worst),
                         ("interleaved", False, None))
        self.assertEqual(read(self.root / "h")[1], read(self.root / "m")[1])

    def test_gguf(self) -> None:
        done = models.convert(self.root / "m", self.root / "g", format="gguf")
        self.assertEqual((done.target, done.tokenizer, done.lost,
                          done.differs), ("interleaved", "none", 0, None))
        with self.assertRaisesRegex(locant.Error, "is interleaved"):
            models.convert(self.root / "m", self.root / "x", "half",
                           format="gguf")
        self.assertFalse((self.root / "x").exists())

    def test_refusals(self) -> None:
        with self.assertRaisesRegex(ValueError, "pairing: 'both'"):
            models.convert(self.root / "m", self.root / "x", "both")
        with self.assertRaisesRegex(ValueError, "format: 'npz'"):
            models.convert(self.root / "m", self.root / "x", "half",
                           format="npz")
        with self.assertRaisesRegex(locant.Error, "is there already"):
            models.convert(self.root / "m", self.root / "m", "half")


if __name__ == "__main__":
    unittest.main()
