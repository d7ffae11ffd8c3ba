"""locant_train() by ctypes: corpus, store, runs, and their parameters."""
import ctypes
import os
import random
import tempfile
from dataclasses import dataclass

import numpy as np
import torch

import lib_locant  # noqa: F401; it makes the package importable
from locant import _c_lab
from locant._library import lab, make

LETTERS = b"abcdefghijklmnopqrstuvwxyz"

# LOCANT_TRAIN_INIT, whose model is S
HEADS, BATCH, LENGTH, RATE, MUON_RATE = 4, 16, 128, 3e-3, .02


@dataclass(frozen=True)
class Size:
    """A model; its feed-forward layer is four times as wide."""
    name: str
    layers: int
    width: int


SIZES = (Size("S", 3, 64), Size("M", 3, 96), Size("L", 4, 128))


def some_text(size):
    """Words of a small vocabulary, on one line."""
    r = random.Random(1)
    words = [bytes(r.choices(LETTERS, k=r.randint(2, 9))) for _ in range(300)]
    text = b""
    while len(text) < size:
        text += b" ".join(r.choices(words, k=1000)) + b" "
    return text[:size]


class Lab:
    """A store and a corpus of one text, in a temporary folder."""

    def __init__(self):
        self.lab = lab()
        self.folder = tempfile.TemporaryDirectory()
        self.text = some_text(1 << 19)
        path = os.path.join(self.folder.name, "text.txt")
        with open(path, "wb") as file:
            file.write(self.text)
        self.corpus, self.store = ctypes.c_void_p(), ctypes.c_void_p()
        options = make(_c_lab.CorpusOptions, kind=_c_lab.CorpusKind.FILES,
                       paths=(ctypes.c_char_p * 1)(path.encode()), n_paths=1,
                       seed=1)
        self.lab.locant_corpus_create(self.corpus, options)
        self.info = self.lab.locant_corpus_info_of(self.corpus).contents
        self.lab.locant_store_open(self.store, self.folder.name.encode())
        self.seed = 0

    def train(self, encoding, size, steps, muon=False):
        """Train a new run; returns its locant_run_info."""
        self.seed += 1
        kind = _c_lab.Optimizer.MUON if muon else _c_lab.Optimizer.ADAMW
        options = make(
            _c_lab.TrainOptions, encoding=encoding.encode(), seed=self.seed,
            layers=size.layers, width=size.width, heads=HEADS,
            ff=4 * size.width, batch=BATCH, length=LENGTH, steps=steps,
            learning_rate=RATE, checkpoint_every=1 << 30, optimizer=kind,
            muon_rate=MUON_RATE)
        run, info = ctypes.c_int64(), _c_lab.RunInfo()
        self.lab.locant_train(run, self.store, self.corpus, options)
        self.lab.locant_store_run(info, self.store, run)
        return info

    def weights(self, run):
        """{name: tensor} of the run's checkpoint."""
        from safetensors import safe_open
        path = f"{self.folder.name}/checkpoints/run-{run.id}.safetensors"
        with safe_open(path, "pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}

    def validation(self, run, blocks):
        """The validation loss of a run."""
        found = _c_lab.Evaluation()
        self.lab.locant_evaluate(found, self.store, run.id, self.corpus, blocks)
        return found.valid

    def valid_windows(self, blocks):
        """The windows of the validation loss: tokens and targets [blocks, LENGTH].

        One text is cut after 90 % and 95 %, and its pieces, each after a zero
        byte, have 16 KiB at most (src/corpus/corpus_split.c).
        """
        twentieth, piece = len(self.text) // 20, 16 << 10
        cut = self.text[twentieth * 18:twentieth * 19]
        pieces = [cut[i:i + piece] for i in range(0, len(cut), piece)]
        valid = b"".join(b"\0" + part for part in pieces)
        if len(valid) != self.info.valid_bytes:
            raise RuntimeError(f"the validation text has {len(valid)} bytes, "
                               f"locant's {self.info.valid_bytes}")
        room = len(valid) - LENGTH - 1
        ends = [LENGTH + 1 + int(w / blocks * room) for w in range(blocks)]
        windows = np.stack([np.frombuffer(valid[e - LENGTH - 1:e], np.uint8)
                            for e in ends])
        windows = torch.from_numpy(windows.astype(np.int64))
        return windows[:, :-1], windows[:, 1:]
